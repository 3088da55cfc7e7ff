/** Norms of gradients by layer. */

/** Those of all layers at one step. */
export interface FlowColumn {
  readonly step: number;
  readonly norms: readonly number[];
}

/** Columns that are kept. */
const COLUMNS = 96;

/** The layers that parameters belong to: `0` has `0.weight` and `0.bias`. */
export function layersOf(parameters: Iterable<string>): { readonly layer: string; readonly names: readonly string[] }[] {
  const found = new Map<string, string[]>();
  for (const name of parameters) {
    const layer = name.replace(/\.[^.]+$/, '');
    found.set(layer, [...(found.get(layer) ?? []), name]);
  }
  return [...found].map(([layer, names]) => ({ layer, names }));
}

/** The columns so far and one more, of the norms of all parameters. */
export function withColumn(flow: readonly FlowColumn[], step: number, norms: ReadonlyMap<string, number>): FlowColumn[] {
  const column = layersOf(norms.keys()).map(({ names }) => Math.hypot(...names.map((name) => norms.get(name) ?? 0)));
  return [...flow, { step, norms: column }].slice(-COLUMNS);
}
