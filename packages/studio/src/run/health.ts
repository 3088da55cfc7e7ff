/** Detects training problems from gradients and activations: NaN, exploding, vanishing, dead units. */
import type { Output } from './session.ts';
import { statsOf } from './stats.ts';

export interface Finding {
  readonly level: 'good' | 'warn' | 'bad';
  readonly text: string;
  /** The module or parameter concerned. */
  readonly path?: string;
}

/** A gradient norm below this fraction of the largest one counts as vanishing. */
const VANISHING = 1e-5;
/** A gradient norm above this counts as exploding. */
const EXPLODING = 100;
/** A larger fraction of dead units is reported. */
const DEAD = 0.5;

/** Findings from gradient norms by parameter. */
export function gradientFindings(norms: ReadonlyMap<string, number>): Finding[] {
  const broken = [...norms].find(([, norm]) => !Number.isFinite(norm))?.[0];
  if (broken !== undefined) {
    return [{ level: 'bad', path: broken, text: `The gradient of ${broken} is NaN or infinite.` }];
  }
  const largest = Math.max(...norms.values(), 0);
  if (norms.size > 0 && largest === 0) {
    return [{ level: 'bad', text: 'All gradients are zero: the model is not learning. Either the loss does not depend on the parameters, or all units in between are saturated or dead.' }];
  }
  const found: Finding[] = [];
  for (const [name, norm] of norms) {
    if (norm > EXPLODING) {
      const text = `Gradients explode at ${name}: norm ${norm.toPrecision(3)}. Try a lower learning rate.`;
      found.push({ level: 'bad', path: name, text });
    } else if (norm === 0) {
      found.push({ level: 'warn', path: name, text: `The gradient of ${name} is zero: it is not learning.` });
    } else if (norm < VANISHING * largest) {
      const share = (largest / norm).toExponential(0);
      const text = `Gradients vanish at ${name}: ${share} times smaller than the largest.`;
      found.push({ level: 'warn', path: name, text });
    }
  }
  return found;
}

/** The fraction of a layer's units that are zero for every example. */
export function deadUnits({ data, shape }: Output): number {
  // The units of images [batch, channel, row, column] are the channels.
  const axis = shape.length === 4 ? 1 : shape.length - 1;
  const units = shape[axis] ?? 1;
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const isAwake = new Uint8Array(units);
  for (let n = 0; n < data.length; n += 1) if (data[n] !== 0) isAwake[Math.floor(n / inner) % units] = 1;
  return isAwake.reduce((dead, awake) => dead + 1 - awake, 0) / units;
}

/** Findings from the outputs of modules, by path. */
export function activationFindings(activations: ReadonlyMap<string, Output>): Finding[] {
  const found: Finding[] = [];
  for (const [name, output] of activations) {
    const { broken, count } = statsOf(output.data);
    if (broken > 0) {
      const text = `${broken} of ${count} outputs of ${name} are NaN or infinite.`;
      return [{ level: 'bad', path: name, text }];
    }
    const dead = deadUnits(output);
    if (dead > DEAD) {
      const text = `${Math.round(dead * 100)} % of the units of ${name} are dead: zero for every example.`;
      found.push({ level: 'warn', path: name, text });
    }
  }
  return found;
}

/** The name of the first tensor, in execution order, that contains NaN or infinity. */
export function firstNonFinite(...groups: ReadonlyMap<string, Output>[]): string | undefined {
  for (const group of groups) {
    for (const [name, { data }] of group) if (statsOf(data).broken > 0) return name;
  }
  return undefined;
}
