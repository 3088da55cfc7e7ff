/** A pad to draw a digit, its predicted class probabilities, and predictions on test digits. */
import { useCallback, useRef, useState, type PointerEvent, type ReactNode } from 'react';
import { PIXELS, SIDE, pixels, type Labelled } from '../data/digits.ts';
import type { Run } from '../run/run.ts';
import { argmax } from '../tasks/task.ts';
import { Canvas, shaded, type DrawContext } from '../ui/canvas.tsx';
import { css, mix } from '../ui/color.ts';
import { share } from '../ui/format.ts';
import { useLive } from './use-live.ts';

/** Number of test digits shown, and the height of a cell with its label relative to its width. */
const SHOWN = 24;
const TALL = 1.35;

export function DigitPad({ run, test }: { run: Run; test: Labelled | undefined }): ReactNode {
  const [drawn, setDrawn] = useState<Float32Array<ArrayBuffer>>();
  const last = useRef<readonly [number, number]>(undefined);
  const guess = useLive(run, 200, async (session) => {
    return drawn ? (await session.call('predict', [{ data: drawn, shape: [1, PIXELS] }])).data : undefined;
  }, { key: drawn });

  const pen = (event: PointerEvent<HTMLDivElement>): void => {
    if (event.buttons !== 1) {
      last.current = undefined;
      return;
    }
    event.currentTarget.setPointerCapture(event.pointerId);
    const box = event.currentTarget.getBoundingClientRect();
    const at = [((event.clientX - box.left) / box.width) * SIDE, ((event.clientY - box.top) / box.height) * SIDE] as const;
    const from = last.current ?? at;
    last.current = at;
    setDrawn((before) => stroke(before ?? new Float32Array(PIXELS), from, at));
  };
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      context.imageSmoothingEnabled = false;
      const ground = mix(colours.ground, colours.ink, 0.06);
      context.fillStyle = css(ground);
      context.fillRect(0, 0, width, height);
      if (!drawn) return;
      context.drawImage(shaded(SIDE, SIDE, (level) => mix(ground, colours.ink, level), (n) => drawn[n] ?? 0), 0, 0, width, height);
    },
    [drawn],
  );
  const best = guess ? argmax(guess) : undefined;
  return (
    <div className="digits">
      <div className="pad-side">
        <div className="pad" onPointerDown={pen} onPointerMove={pen} data-testid="pad">
          <Canvas draw={draw} label="Draw a digit here" />
          {!drawn && <span className="hint">Draw a digit</span>}
        </div>
        <button type="button" className="quiet" disabled={!drawn} onClick={() => setDrawn(undefined)}>
          Clear
        </button>
      </div>
      <ol className="bars" aria-label="Class probabilities">
        {Array.from({ length: 10 }, (_, digit) => (
          <li key={digit} className={digit === best ? 'best' : ''}>
            <span>{digit}</span>
            <i style={{ transform: `scaleX(${guess?.[digit] ?? 0})` }} />
            <b>{guess ? share(guess[digit]) : ''}</b>
          </li>
        ))}
      </ol>
      <Samples run={run} test={test} />
    </div>
  );
}

/** The number of columns that makes the digits largest, with labels below them. */
function best(width: number, height: number): { columns: number; cell: number } {
  const side = (columns: number): number => Math.min(width / columns, height / Math.ceil(SHOWN / columns) / TALL);
  const all = Array.from({ length: SHOWN }, (_, n) => ({ columns: n + 1, cell: side(n + 1) }));
  return all.reduce((a, b) => (b.cell > a.cell ? b : a));
}

function stroke(before: Float32Array, [ax, ay]: readonly [number, number], [bx, by]: readonly [number, number]): Float32Array<ArrayBuffer> {
  const next = new Float32Array(before);
  const steps = Math.max(1, Math.ceil(Math.hypot(bx - ax, by - ay) * 2));
  for (let s = 0; s <= steps; s += 1) {
    const [x, y] = [ax + ((bx - ax) * s) / steps - 0.5, ay + ((by - ay) * s) / steps - 0.5];
    for (let row = Math.max(0, Math.floor(y - 2)); row <= Math.min(SIDE - 1, y + 3); row += 1) {
      for (let column = Math.max(0, Math.floor(x - 2)); column <= Math.min(SIDE - 1, x + 3); column += 1) {
        const ink = Math.max(0, Math.min(1, 1.9 - Math.hypot(column - x, row - y)));
        const at = row * SIDE + column;
        next[at] = Math.max(next[at] ?? 0, ink);
      }
    }
  }
  return next;
}

function Samples({ run, test }: { run: Run; test: Labelled | undefined }): ReactNode {
  const scores = useLive(run, 400, async (session) => {
    if (!test) return undefined;
    const picks = Array.from({ length: SHOWN }, (_, n) => n);
    return (await session.call('predict', [{ data: pixels(test, picks), shape: [SHOWN, PIXELS] }])).data;
  }, { key: test });
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      if (!test) return;
      const { columns, cell } = best(width, height);
      const across = width / columns;
      const gap = 3;
      context.imageSmoothingEnabled = false;
      context.font = '11px ui-monospace, monospace';
      context.textAlign = 'center';
      for (let n = 0; n < SHOWN; n += 1) {
        const [x, y] = [(n % columns) * across + (across - cell) / 2, Math.floor(n / columns) * cell * TALL];
        const ground = mix(colours.ground, colours.ink, 0.06);
        const ink = (p: number): number => (test.images[n * PIXELS + p] ?? 0) / 255;
        context.drawImage(shaded(SIDE, SIDE, (level) => mix(ground, colours.ink, level), ink), x + gap / 2, y, cell - gap, cell - gap);
        if (!scores) continue;
        const guess = argmax(scores.subarray(n * 10, n * 10 + 10));
        const isRight = guess === test.labels[n];
        context.fillStyle = css(isRight ? mix(colours.ground, colours.ink, 0.62) : colours.ember);
        context.fillText(isRight ? String(guess) : `${guess} ≠ ${test.labels[n]}`, x + cell / 2, y + cell + 9);
      }
    },
    [test, scores],
  );
  return <Canvas className="samples" draw={draw} label="Test digits with predicted labels" />;
}
