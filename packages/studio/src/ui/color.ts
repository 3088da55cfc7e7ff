/** Colours for canvases. They follow the theme; zero maps to the background colour. */

export type Colour = readonly [number, number, number];

export interface Palette {
  readonly ground: Colour;
  readonly ink: Colour;
  readonly ember: Colour;
  readonly water: Colour;
  readonly leaf: Colour;
}

/** The colours of the current theme, from CSS variables. */
export function palette(): Palette {
  const style = getComputedStyle(document.documentElement);
  const read = (name: string): Colour => parse(style.getPropertyValue(name).trim());
  return {
    ground: read('--surface'),
    ink: read('--ink'),
    ember: read('--ember'),
    water: read('--water'),
    leaf: read('--leaf'),
  };
}

function parse(text: string): Colour {
  const digits = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text);
  return digits ? [1, 2, 3].map((n) => parseInt(digits[n] as string, 16)) as unknown as Colour : [128, 128, 128];
}

export const css = ([r, g, b]: Colour, alpha = 1): string => `rgba(${r | 0}, ${g | 0}, ${b | 0}, ${alpha})`;

export function mix(a: Colour, b: Colour, share: number): Colour {
  const t = Math.max(0, Math.min(1, share));
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

/** Sequential colour map: background, ember, dark ember. */
export function heat(p: Palette, share: number): Colour {
  return share < 0.6 ? mix(p.ground, p.ember, share / 0.6) : mix(p.ember, mix(p.ember, p.ink, 0.55), (share - 0.6) / 0.4);
}

/** Diverging colour map: water below zero, ember above. */
export function signed(p: Palette, x: number): Colour {
  return mix(p.ground, x < 0 ? p.water : p.ember, Math.abs(x));
}

/** The colour of a class. */
export function classColour(p: Palette, n: number): Colour {
  return [p.ember, p.water, p.leaf][n % 3] as Colour;
}
