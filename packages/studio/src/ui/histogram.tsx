/** Draws a histogram with its minimum and maximum. */
import { useCallback, type ReactNode } from 'react';
import type { Histogram as Data } from '../run/stats.ts';
import { Canvas, type DrawContext } from './canvas.tsx';
import { css } from './color.ts';
import { number } from './format.ts';

export function Histogram({ of, colour, label }: { of: Data; colour: 'ember' | 'water'; label: string }): ReactNode {
  const draw = useCallback(
    ({ context, width, height, colours }: DrawContext) => {
      const [base, most] = [height - 14, Math.max(1, ...of.counts)];
      const bar = width / of.counts.length;
      context.fillStyle = css(colours[colour]);
      of.counts.forEach((count, n) => {
        const tall = count === 0 ? 0 : Math.max(1, (count / most) * (base - 2));
        context.fillRect(n * bar, base - tall, Math.max(1, bar - 1), tall);
      });
      context.fillStyle = css(colours.ink, 0.16);
      context.fillRect(0, base, width, 1);
      if (of.from < 0 && of.to > 0) context.fillRect(((0 - of.from) / (of.to - of.from)) * width, 0, 1, base);
      context.fillStyle = css(colours.ink, 0.6);
      context.font = '10.5px ui-monospace, monospace';
      context.textBaseline = 'bottom';
      context.fillText(number(of.from), 0, height);
      context.textAlign = 'right';
      context.fillText(number(of.to), width, height);
    },
    [of, colour],
  );
  return <Canvas className="histogram" draw={draw} label={label} />;
}
