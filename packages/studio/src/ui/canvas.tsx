/** A canvas component that redraws when its size, theme or draw function changes. */
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { palette, type Colour, type Palette } from './color.ts';
import { useTheme } from './theme.ts';

export interface DrawContext {
  readonly context: CanvasRenderingContext2D;
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

/** A canvas that fills its container. `draw` uses CSS pixels. */
export function Canvas({ draw, label, className = '' }: { draw: (target: DrawContext) => void; label: string; className?: string }): ReactNode {
  const [box, width, height] = useSize<HTMLDivElement>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useTheme();
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    if (!context || !canvas.current || width === 0 || height === 0) return;
    const scale = window.devicePixelRatio || 1;
    canvas.current.width = Math.round(width * scale);
    canvas.current.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    draw({ context, width, height, colours: palette() });
  }, [draw, width, height, theme]);
  return (
    <div className={`canvas ${className}`} ref={box}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </div>
  );
}

/** An image with one colour per pixel, to be scaled when drawn. */
export function bitmap(width: number, height: number, colour: (n: number) => Colour): OffscreenCanvas {
  return image(width, height, (n) => word(colour(n)));
}

/** Like `bitmap`, for levels from 0 to 1, using a lookup table of 256 shades. */
export function shaded(width: number, height: number, shade: (level: number) => Colour, level: (n: number) => number): OffscreenCanvas {
  const shades = Uint32Array.from({ length: 256 }, (_, n) => word(shade(n / 255)));
  return image(width, height, (n) => shades[Math.max(0, Math.min(255, Math.round(level(n) * 255)))] ?? 0);
}

/** A colour serializeError into one RGBA pixel (little endian). */
const word = ([r, g, b]: Colour): number => 0xff000000 | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r);

function image(width: number, height: number, pixel: (n: number) => number): OffscreenCanvas {
  const canvas = new OffscreenCanvas(width, height);
  const context = canvas.getContext('2d') as OffscreenCanvasRenderingContext2D;
  const image = context.createImageData(width, height);
  const words = new Uint32Array(image.data.buffer);
  for (let n = 0; n < words.length; n += 1) words[n] = pixel(n);
  context.putImageData(image, 0, 0);
  return canvas;
}
