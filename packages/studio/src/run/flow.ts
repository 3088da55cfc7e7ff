/** Gradient norms by layer over time. */

/** The gradient norms of all layers at one step. */
export interface FlowColumn {
  readonly step: number;
  readonly norms: readonly number[];
}

/** Number of columns kept. */
const COLUMNS = 96;

/** Groups parameters by layer: `0` has `0.weight` and `0.bias`. */
export function layersOf(parameters: Iterable<string>): { readonly layer: string; readonly names: readonly string[] }[] {
  const found = new Map<string, string[]>();
  for (const name of parameters) {
    const layer = name.replace(/\.[^.]+$/, '');
    found.set(layer, [...(found.get(layer) ?? []), name]);
  }
  return [...found].map(([layer, names]) => ({ layer, names }));
}

/** Appends a column computed from the norms of all parameters. */
export function withColumn(flow: readonly FlowColumn[], step: number, norms: ReadonlyMap<string, number>): FlowColumn[] {
  const column = layersOf(norms.keys()).map(({ names }) => Math.hypot(...names.map((name) => norms.get(name) ?? 0)));
  return [...flow, { step, norms: column }].slice(-COLUMNS);
}
