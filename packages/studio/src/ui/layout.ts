/** Layered top-to-bottom layout of boxes, computed by ELK in a worker. */
import ELK from 'elkjs/lib/elk-api.js';
import worker from 'elkjs/lib/elk-worker.min.js?url';
import type { Folded } from '../run/fold.ts';

export interface Spot {
  readonly x: number;
  readonly y: number;
}

export const BOX = { width: 176, height: 44 } as const;

let elk: InstanceType<typeof ELK> | undefined;

export async function layout({ boxes, wires }: Folded): Promise<ReadonlyMap<string, Spot>> {
  elk ??= new ELK({ workerUrl: worker });
  const done = await elk.layout({
    id: 'graph',
    layoutOptions: {
      'elk.algorithm': 'layered',
      'elk.direction': 'DOWN',
      'elk.layered.spacing.nodeNodeBetweenLayers': '56',
      'elk.spacing.nodeNode': '28',
      'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
    },
    children: boxes.map(({ id }) => ({ id, ...BOX })),
    edges: wires.map(({ from, to }, n) => ({ id: String(n), sources: [from], targets: [to] })),
  });
  return new Map((done.children ?? []).map(({ id, x, y }) => [id, { x: x ?? 0, y: y ?? 0 }]));
}
