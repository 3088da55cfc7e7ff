/** SVG icons. */
import type { ReactNode } from 'react';

export function Ember(): ReactNode {
  return (
    <svg className="ember" viewBox="0 0 32 32" aria-hidden="true">
      <path d="M16 2 29 11 25 27 9 30 3 15Z" fill="#d4460f" />
      <path d="M16 2 18 16 3 15Z" fill="#f0723a" />
      <path d="M29 11 18 16 25 27Z" fill="#a8320a" />
      <path d="M18 16 25 27 9 30Z" fill="#ffb45c" />
    </svg>
  );
}

function Icon({ children }: { children: ReactNode }): ReactNode {
  return (
    <svg className="glyph" viewBox="0 0 16 16" aria-hidden="true" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round">
      {children}
    </svg>
  );
}

export const Play = (): ReactNode => <Icon><path d="M4.5 3v10l8-5z" fill="currentColor" /></Icon>;
export const Pause = (): ReactNode => <Icon><path d="M5.5 3.5v9M10.5 3.5v9" strokeWidth="2.4" /></Icon>;
export const Stop = (): ReactNode => <Icon><path d="M4 4h8v8H4z" fill="currentColor" /></Icon>;
export const Step = (): ReactNode => <Icon><path d="M4 3.5v9l6-4.5zM12.5 3.5v9" /></Icon>;
export const Reset = (): ReactNode => <Icon><path d="M3 8a5 5 0 1 0 1.6-3.7M3 2.5v3h3" /></Icon>;
export const Sun = (): ReactNode => <Icon><circle cx="8" cy="8" r="2.8" /><path d="M8 1.5v1.6M8 12.9v1.6M1.5 8h1.6M12.9 8h1.6M3.4 3.4l1.1 1.1M11.5 11.5l1.1 1.1M12.6 3.4l-1.1 1.1M4.5 11.5l-1.1 1.1" /></Icon>;
export const Moon = (): ReactNode => <Icon><path d="M13.2 9.8A5.6 5.6 0 0 1 6.2 2.8a5.6 5.6 0 1 0 7 7z" /></Icon>;
