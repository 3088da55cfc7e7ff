/** How a model is doing, in plain sentences. */
import type { Output } from './session.ts';
import { normOf, statsOf } from './stats.ts';

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

export function gradientFindings(gradients: ReadonlyMap<string, Output>): Finding[] {
  const norms = [...gradients].map(([name, { data }]) => ({ name, norm: normOf(data) }));
  const broken = norms.find(({ norm }) => !Number.isFinite(norm));
  if (broken) {
    return [{ level: 'bad', where: broken.name, text: `The gradient of ${broken.name} is not a number.` }];
  }
  const largest = Math.max(...norms.map(({ norm }) => norm), 0);
  const found: Finding[] = [];
  for (const { name, norm } of norms) {
    if (norm > EXPLODING) {
      const text = `Gradients explode at ${name}: norm ${norm.toPrecision(3)}. Try a lower learning rate.`;
      found.push({ level: 'bad', where: name, text });
    } else if (largest > 0 && norm < VANISHING * largest) {
      const share = (largest / Math.max(norm, Number.MIN_VALUE)).toExponential(0);
      const text = `Gradients vanish at ${name}: ${share} times smaller than the largest.`;
      found.push({ level: 'warn', where: name, text });
    }
  }
  return found;
}

/** Units of a layer that gave zero for every example. */
export function deadUnits({ data, shape }: Output): number {
  const units = shape.at(-1) ?? 1;
  const rows = data.length / units;
  let dead = 0;
  for (let unit = 0; unit < units; unit += 1) {
    let isSilent = rows > 0;
    for (let row = 0; row < rows && isSilent; row += 1) isSilent = data[row * units + unit] === 0;
    if (isSilent) dead += 1;
  }
  return dead / units;
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
