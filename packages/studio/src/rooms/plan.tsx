/** Two pictures over the launches of a step: where buffers lie, and how long kernels take. */
import { useCallback, useMemo, type MouseEvent, type ReactNode } from 'react';
import { liveBytes, phaseOf, type Trace } from '../run/trace.ts';
import { Canvas, type Brush } from '../ui/canvas.tsx';
import { classColour, css, mix, type Palette, type Colour } from '../ui/color.ts';

interface PictureProps {
  readonly trace: Trace;
  readonly chosen: number;
  readonly onChoose: (kernel: number) => void;
}

const PHASE_COLOUR = { forward: 1, backward: 0, update: 2 } as const;

function colourOf(trace: Trace, node: number | undefined, colours: Palette): Colour {
  const found = node === undefined ? undefined : trace.nodes[node];
  return found ? classColour(colours, PHASE_COLOUR[phaseOf(found)]) : colours.ink;
}

/** Offset against time: each buffer a box, from the first launch that touches it to the last. */
export function MemoryPlan({ trace, chosen, onChoose }: PictureProps): ReactNode {
  const launches = Math.max(1, trace.kernels.length);
  const live = useMemo(() => liveBytes(trace), [trace]);
  const peak = live.reduce((best, bytes, n) => (bytes > (live[best] ?? 0) ? n : best), 0);
  const draw = useCallback(
    ({ to, width, height, colours }: Brush) => {
      const [across, down] = [width / launches, height / Math.max(1, trace.plan.arena)];
      to.fillStyle = css(colours.ink, 0.09);
      to.fillRect(peak * across, 0, Math.max(1, across), height);
      const kernel = trace.kernels[chosen];
      const touched = new Set([...(kernel?.reads ?? []), ...(kernel?.writes ?? [])]);
      trace.plan.buffers.forEach((buffer, n) => {
        if (buffer.place !== 'arena') return;
        const colour = colourOf(trace, buffer.node, colours);
        const to_ = Math.min(buffer.to, launches - 1);
        const box = [buffer.from * across, buffer.offset * down, (to_ - buffer.from + 1) * across, buffer.bytes * down] as const;
        to.fillStyle = css(mix(colours.ground, colour, touched.has(n) ? 1 : 0.42));
        to.fillRect(box[0], box[1], Math.max(1, box[2] - 0.5), Math.max(0.75, box[3] - 0.5));
      });
      to.strokeStyle = css(colours.ink, 0.75);
      to.strokeRect(chosen * across + 0.5, 0.5, Math.max(1, across - 1), height - 1);
      to.font = '11px system-ui, sans-serif';
      const isRight = peak * across > width / 2;
      to.textAlign = isRight ? 'right' : 'left';
      const at = isRight ? peak * across - 4 : (peak + 1) * across + 4;
      to.lineWidth = 4;
      to.strokeStyle = css(colours.ground);
      to.strokeText('peak', at, height - 6);
      to.fillStyle = css(colours.ink);
      to.fillText('peak', at, height - 6);
      to.lineWidth = 1;
    },
    [trace, chosen, launches, peak],
  );
  return <Clickable count={launches} onChoose={onChoose} draw={draw} label="Memory plan: offset against time" />;
}

/** Kernels one after the other, as wide as they are long. */
export function Timeline({ trace, times, chosen, onChoose }: PictureProps & { readonly times: readonly number[] | undefined }): ReactNode {
  const total = times?.reduce((sum, time) => sum + time, 0) ?? 0;
  const ends = useMemo(() => {
    let at = 0;
    return (times ?? []).map((time) => (at += time / Math.max(1e-9, total)));
  }, [times, total]);
  const draw = useCallback(
    ({ to, width, height, colours }: Brush) => {
      ends.forEach((end, n) => {
        const start = (ends[n - 1] ?? 0) * width;
        const wide = end * width - start;
        const colour = colourOf(trace, trace.kernels[n]?.nodes.at(-1), colours);
        to.fillStyle = css(mix(colours.ground, colour, n === chosen ? 1 : 0.5));
        to.fillRect(start, 0, Math.max(0.5, wide - 0.5), height);
        const name = trace.kernels[n]?.name ?? '';
        if (wide > name.length * 6.5 + 8) {
          to.fillStyle = css(n === chosen ? colours.ground : colours.ink, 0.9);
          to.font = '11px ui-monospace, monospace';
          to.fillText(name, start + 5, height / 2 + 4);
        }
      });
    },
    [trace, ends, chosen],
  );
  const choose = (share: number): void => {
    const n = ends.findIndex((end) => share <= end);
    if (n >= 0) onChoose(n);
  };
  return <Clickable count={0} onChoose={choose} draw={draw} label="Kernels of one step over time" />;
}

/** A canvas that tells where it was clicked: one of `count` columns, or the share of its width. */
function Clickable(props: { count: number; onChoose: (n: number) => void; draw: (brush: Brush) => void; label: string }): ReactNode {
  const click = (event: MouseEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    props.onChoose(props.count === 0 ? share : Math.min(props.count - 1, Math.floor(share * props.count)));
  };
  return (
    <div className="clickable" onClick={click}>
      <Canvas draw={props.draw} label={props.label} />
    </div>
  );
}
