/** How a model is doing, in plain sentences. */
import type { Output } from './session.ts';
import { statsOf } from './stats.ts';

export interface Finding {
  readonly level: 'good' | 'warn' | 'bad';
  readonly text: string;
  /** The part of the model it is about. */
  readonly where?: string;
}

/** Below this share of the largest gradient of all layers, a layer learns next to nothing. */
const VANISHING = 1e-5;
/** Gradients longer than this make a step that throws the model about. */
const EXPLODING = 100;
/** More silent units than this are worth a word. */
const DEAD = 0.5;

/** What the norms of gradients say, by parameter. */
export function gradientFindings(norms: ReadonlyMap<string, number>): Finding[] {
  const broken = [...norms].find(([, norm]) => !Number.isFinite(norm))?.[0];
  if (broken !== undefined) {
    return [{ level: 'bad', where: broken, text: `The gradient of ${broken} is not a number.` }];
  }
  const largest = Math.max(...norms.values(), 0);
  if (norms.size > 0 && largest === 0) {
    return [{ level: 'bad', text: 'All gradients are zero: nothing is learned. The loss does not depend on the parameters, or everything between is saturated or dead.' }];
  }
  const found: Finding[] = [];
  for (const [name, norm] of norms) {
    if (norm > EXPLODING) {
      const text = `Gradients explode at ${name}: norm ${norm.toPrecision(3)}. Try a lower learning rate.`;
      found.push({ level: 'bad', where: name, text });
    } else if (norm === 0) {
      found.push({ level: 'warn', where: name, text: `No gradient reaches ${name}: it learns nothing.` });
    } else if (norm < VANISHING * largest) {
      const share = (largest / norm).toExponential(0);
      const text = `Gradients vanish at ${name}: ${share} times smaller than the largest.`;
      found.push({ level: 'warn', where: name, text });
    }
  }
  return found;
}

/** Units of a layer that gave zero for every example. */
export function deadUnits({ data, shape }: Output): number {
  // Of images, [batch, channel, row, column], the channels are the units.
  const axis = shape.length === 4 ? 1 : shape.length - 1;
  const units = shape[axis] ?? 1;
  const inner = shape.slice(axis + 1).reduce((a, b) => a * b, 1);
  const isAwake = new Uint8Array(units);
  for (let n = 0; n < data.length; n += 1) if (data[n] !== 0) isAwake[Math.floor(n / inner) % units] = 1;
  return isAwake.reduce((dead, awake) => dead + 1 - awake, 0) / units;
}

export function activationFindings(activations: ReadonlyMap<string, Output>): Finding[] {
  const found: Finding[] = [];
  for (const [name, output] of activations) {
    const { broken, count } = statsOf(output.data);
    if (broken > 0) {
      const text = `${name} gives ${broken} of ${count} values that are not finite.`;
      return [{ level: 'bad', where: name, text }];
    }
    const dead = deadUnits(output);
    if (dead > DEAD) {
      const text = `${Math.round(dead * 100)} % of the units of ${name} give zero for every example.`;
      found.push({ level: 'warn', where: name, text });
    }
  }
  return found;
}

/** The first tensor, in the order of computing, that holds something that is not finite. */
export function firstBroken(...groups: ReadonlyMap<string, Output>[]): string | undefined {
  for (const group of groups) {
    for (const [name, { data }] of group) if (statsOf(data).broken > 0) return name;
  }
  return undefined;
}
