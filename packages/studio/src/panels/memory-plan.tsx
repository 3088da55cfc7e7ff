/** Charts over the kernel launches of a step: the memory plan and the timeline. */
import { useCallback, useMemo, type MouseEvent, type ReactNode } from 'react';
import { liveBytes, phaseOf, type Trace } from '../run/trace.ts';
import { Canvas, type DrawContext } from '../ui/canvas.tsx';
import { classColour, css, mix, type Palette, type Colour } from '../ui/color.ts';
import { bytes } from '../ui/format.ts';

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

/** Width of the byte axis at the left of the memory plan, in pixels. */
const AXIS = 58;

/** Axis ticks in bytes: round numbers, at least 34 pixels apart. */
function ticks(arena: number, height: number): number[] {
  const least = arena / Math.max(1, Math.floor(height / 34));
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  const apart = [1, 2, 5, 10].map((n) => n * power).find((apart) => apart >= least) ?? power;
  return Array.from({ length: Math.floor(arena / apart) + 1 }, (_, n) => n * apart);
}

/** Arena offset over launches: each buffer is a box from its first to its last use. */
export function MemoryPlan({ trace, chosen, onChoose }: PictureProps): ReactNode {
  const launches = Math.max(1, trace.kernels.length);
  const live = useMemo(() => liveBytes(trace), [trace]);
  const peak = live.reduce((best, bytes, n) => (bytes > (live[best] ?? 0) ? n : best), 0);
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      const [across, down] = [(width - AXIS) / launches, height / Math.max(1, trace.plan.arena)];
      context.font = '11px ui-monospace, monospace';
      context.textAlign = 'right';
      for (const tick of ticks(trace.plan.arena, height)) {
        context.fillStyle = css(colours.ink, 0.1);
        context.fillRect(AXIS, tick * down, width - AXIS, 1);
        context.fillStyle = css(colours.ink, 0.72);
        context.fillText(bytes(tick), AXIS - 6, Math.min(height - 2, Math.max(9, tick * down + 4)));
      }
      context.save();
      context.translate(AXIS, 0);
      const kernel = trace.kernels[chosen];
      const touched = new Set([...(kernel?.reads ?? []), ...(kernel?.writes ?? [])]);
      trace.plan.buffers.forEach((buffer, n) => {
        if (buffer.place !== 'arena') return;
        const colour = colourOf(trace, buffer.node, colours);
        const lastUse = Math.min(buffer.to, launches - 1);
        const box = [buffer.from * across, buffer.offset * down, (lastUse - buffer.from + 1) * across, buffer.bytes * down] as const;
        context.fillStyle = css(mix(colours.ground, colour, touched.has(n) ? 1 : 0.42));
        context.fillRect(box[0], box[1], Math.max(1, box[2] - 0.5), Math.max(0.75, box[3] - 0.5));
      });
      context.strokeStyle = css(colours.ink, 0.75);
      context.strokeRect(chosen * across + 0.5, 0.5, Math.max(1, across - 1), height - 1);
      const middle = (peak + 0.5) * across;
      context.fillStyle = css(colours.ink);
      context.fillRect(middle - 0.75, 0, 1.5, height);
      const isRight = middle > (width - AXIS) / 2;
      context.textAlign = isRight ? 'right' : 'left';
      const at = middle + (isRight ? -5 : 5);
      const text = `peak ${bytes(trace.plan.live)}`;
      context.lineWidth = 4;
      context.lineJoin = 'round';
      context.strokeStyle = css(colours.ground);
      context.strokeText(text, at, height - 6);
      context.fillText(text, at, height - 6);
      context.restore();
    },
    [trace, chosen, launches, peak],
  );
  return <Clickable count={launches} from={AXIS} onChoose={onChoose} draw={draw} label="Memory plan: offset against time" />;
}

/** Kernels in launch order; widths are proportional to their times. */
export function Timeline({ trace, times, chosen, onChoose }: PictureProps & { readonly times: readonly number[] | undefined }): ReactNode {
  const total = times?.reduce((sum, time) => sum + time, 0) ?? 0;
  const ends = useMemo(() => {
    let at = 0;
    return (times ?? []).map((time) => (at += time / Math.max(1e-9, total)));
  }, [times, total]);
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      ends.forEach((end, n) => {
        const start = (ends[n - 1] ?? 0) * width;
        const wide = end * width - start;
        const colour = colourOf(trace, trace.kernels[n]?.nodes[0], colours);
        context.fillStyle = css(mix(colours.ground, colour, n === chosen ? 1 : 0.5));
        context.fillRect(start, 0, Math.max(0.5, wide - 0.5), height);
        const name = trace.kernels[n]?.name ?? '';
        if (wide > name.length * 6.5 + 8) {
          context.fillStyle = css(n === chosen ? colours.ground : colours.ink, 0.9);
          context.font = '11px ui-monospace, monospace';
          context.fillText(name, start + 5, height / 2 + 4);
        }
      });
    },
    [trace, ends, chosen],
  );
  const choose = (share: number): void => {
    const n = ends.findIndex((end) => share <= end);
    if (n >= 0) onChoose(n);
  };
  return <Clickable count={0} from={0} onChoose={choose} draw={draw} label="Kernels of one step over time" />;
}

/** A clickable canvas with a left margin of `from` pixels. Reports one of `count` columns, or with 0 the fraction of its width. */
function Clickable(props: { count: number; from: number; onChoose: (n: number) => void; draw: (target: DrawContext) => void; label: string }): ReactNode {
  const click = (event: MouseEvent<HTMLDivElement>): void => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = (event.clientX - box.left - props.from) / (box.width - props.from);
    if (share < 0) return;
    props.onChoose(props.count === 0 ? share : Math.min(props.count - 1, Math.floor(share * props.count)));
  };
  return (
    <div className="clickable" onClick={click}>
      <Canvas draw={props.draw} label={props.label} />
    </div>
  );
}
