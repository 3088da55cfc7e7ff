/** A line chart over steps, with a band from minimum to maximum of the values in each bin. */
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import uPlot from 'uplot';
import type { Series } from '../run/series.ts';
import { useSize } from './canvas.tsx';
import { css, palette, type Colour, type Palette } from './color.ts';
import { axisNumber, axisShare, number, share } from './format.ts';
import { useTheme } from './theme.ts';

interface ChartProps {
  readonly title: string;
  readonly series: Series;
  /** Changes when there is new data. */
  readonly version: number;
  readonly colour: 'ember' | 'water' | 'leaf';
  readonly isLogarithmic?: boolean;
  readonly isShare?: boolean;
  readonly canSmooth?: boolean;
  /** End of the step axis, so that related charts align. */
  readonly until?: number;
}

/** Maximum number of points drawn: about one per two pixels. */
const BINS = 480;

export function Chart(props: ChartProps): ReactNode {
  const { title, series, colour, isShare = false, until } = props;
  const [box, width, height] = useSize<HTMLDivElement>();
  const [isSmooth, setSmooth] = useState(false);
  const [isLogarithmic, setLogarithmic] = useState(props.isLogarithmic ?? false);
  const plot = useRef<uPlot>(undefined);
  const reading = useRef<HTMLOutputElement>(null);
  const theme = useTheme();
  const hasSize = width > 0 && height > 0;

  useEffect(() => {
    const element = box.current;
    if (!element || !hasSize) return;
    const colours = palette();
    const read = (at: uPlot): void => {
      if (reading.current) reading.current.textContent = textAt(at, isShare);
    };
    const created = new uPlot({ ...options(colours, colours[colour], isLogarithmic, isShare), hooks: { setCursor: [read] } }, [[], [], [], []], element);
    plot.current = created;
    return () => {
      plot.current = undefined;
      created.destroy();
    };
  }, [theme, colour, isLogarithmic, isShare, hasSize, box]);

  const bins = useMemo(() => series.bins(BINS), [series, props.version]);
  useEffect(() => {
    if (!plot.current) return;
    plot.current.setSize({ width, height });
    const line = isSmooth ? bins.smooth : bins.last;
    plot.current.setData([bins.at, bins.high, bins.low, line]);
    if (until !== undefined && bins.at.length > 0) plot.current.setScale('x', { min: 0, max: Math.max(1, until) });
  }, [bins, until, isSmooth, width, height, theme, isLogarithmic, hasSize]);

  return (
    <figure className="chart">
      <figcaption>
        <h2>{title}</h2>
        <output className="reading" ref={reading} />
        <span className="tools">
          <button type="button" className="tick" aria-pressed={isLogarithmic} onClick={() => setLogarithmic(!isLogarithmic)}>
            log
          </button>
          {props.canSmooth && (
            <button type="button" className="tick" aria-pressed={isSmooth} onClick={() => setSmooth(!isSmooth)}>
              smooth
            </button>
          )}
        </span>
      </figcaption>
      <div className="plot" ref={box} role="img" aria-label={`${title} over steps`} />
    </figure>
  );
}

/** Text for the cursor position: step, value, and the band if it is wider than the line. */
function textAt({ cursor: { idx }, data: [at, high, low, line] }: uPlot, isShare: boolean): string {
  if (idx === null || idx === undefined || !at || at[idx] === undefined) return '';
  const text = (x: number | null | undefined): string => (x === null || x === undefined ? 'not finite' : isShare ? share(x) : number(x));
  const [least, greatest] = [low?.[idx], high?.[idx]];
  const band = least === greatest ? '' : ` (${text(least)} to ${text(greatest)})`;
  return `step ${at[idx].toLocaleString('en')}: ${text(line?.[idx])}${band}`;
}

function options(p: Palette, colour: Colour, isLogarithmic: boolean, isShare: boolean): uPlot.Options {
  const format = isShare ? axisShare : axisNumber;
  const axis = {
    stroke: css(p.ink, 0.6),
    font: '11px ui-monospace, "SF Mono", Menlo, Consolas, monospace',
    grid: { stroke: css(p.ink, 0.08), width: 1 },
    ticks: { show: false },
  };
  return {
    width: 100,
    height: 100,
    padding: [8, 24, 0, 0],
    legend: { show: false },
    cursor: { points: { size: 6 }, drag: { x: false, y: false } },
    scales: { x: { time: false }, y: isLogarithmic ? { distr: 3 } : {} },
    axes: [
      { ...axis, size: 24, gap: 4, values: (_, ticks) => ticks.map((x) => (Number.isInteger(x) ? x.toLocaleString('en') : '')) },
      { ...axis, size: 56, gap: 6, values: (_, ticks) => ticks.map((y) => (y === null ? '' : format(y))) },
    ],
    series: [
      {},
      { stroke: css(colour, 0.2), width: 1, points: { show: false } },
      { stroke: css(colour, 0.2), width: 1, points: { show: false } },
      { stroke: css(colour), width: 1.5, points: { show: false } },
    ],
    bands: [{ series: [1, 2], fill: css(colour, 0.16) }],
  };
}
