/** Drawing on a canvas of the size it has on the page, again whenever something changes. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { palette, type Colour, type Palette } from './color.ts';
import { useTheme } from './theme.ts';

export interface Brush {
  readonly to: CanvasRenderingContext2D;
  readonly width: number;
  readonly height: number;
  readonly colours: Palette;
}

export function useSize<E extends HTMLElement>(): [React.RefObject<E | null>, number, number] {
  const ref = useRef<E>(null);
  const [size, setSize] = useState<readonly [number, number]>([0, 0]);
  useEffect(() => {
    const element = ref.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setSize([element.clientWidth, element.clientHeight]));
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  return [ref, size[0], size[1]];
}

/** A canvas as large as its box; `draw` is called in CSS pixels. */
export function Canvas({ draw, label, className = '' }: { draw: (brush: Brush) => void; label: string; className?: string }): ReactNode {
  const [box, width, height] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const to = canvas.current?.getContext('2d');
    if (!to || !canvas.current || width === 0 || height === 0) return;
    const scale = window.devicePixelRatio || 1;
    canvas.current.width = Math.round(width * scale);
    canvas.current.height = Math.round(height * scale);
    to.setTransform(scale, 0, 0, scale, 0, 0);
    to.clearRect(0, 0, width, height);
    draw({ to, width, height, colours: palette() });
  }, [draw, width, height, theme]);
  return (
    <div className={`canvas ${className}`} ref={box}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}

/** A small image, shown large and crisp or smooth. */
export function bitmap(width: number, height: number, colour: (n: number) => Colour): OffscreenCanvas {
  return image(width, height, (n) => word(colour(n)));
}

/** The same by shades of levels from 0 to 1, each of which is mixed but once. */
export function shaded(width: number, height: number, shade: (level: number) => Colour, level: (n: number) => number): OffscreenCanvas {
  const shades = Uint32Array.from({ length: 256 }, (_, n) => word(shade(n / 255)));
  return image(width, height, (n) => shades[Math.max(0, Math.min(255, Math.round(level(n) * 255)))] ?? 0);
}

/** A colour as the four bytes of a pixel. */
const word = ([r, g, b]: Colour): number => 0xff000000 | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r);

function image(width: number, height: number, pixel: (n: number) => number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height);
  const to = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  const image = to.createImageData(width, height);
  const words = new Uint32Array(image.data.buffer);
  for (let n = 0; n < words.length; n += 1) words[n] = pixel(n);
  to.putImageData(image, 0, 0);
  return canvas;
}
