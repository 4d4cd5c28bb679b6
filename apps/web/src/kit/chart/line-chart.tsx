import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { NeutralZone } from '#core/theme/neutral-zone.tsx';
import { usePreferences } from '#core/theme/preferences.ts';
import { THEMES, type ThemeName } from '#core/theme/tokens.ts';
import { dateTime, useServerTime } from '#core/time/format.ts';
import { ChartTools } from './chart-tools.tsx';
import { dayTicks } from './day-ticks.ts';
import { downsample } from './downsample.ts';
import { timeTicks } from './time-ticks.ts';
import styles from './line-chart.module.css';

export interface Series {
  label: string;
  /** Palette colour by role; reference lines are dashed and grey. */
  colour: 'primary' | 'teal' | 'violet' | 'orange' | 'wait' | 'reference';
  values: (number | null)[];
  fill?: boolean;
}

interface LineChartProps {
  label: string;
  /** Seconds since 1970, or indices of `dayTimes`. */
  times: number[];
  series: Series[];
  unit: string;
  /** Wall times of a day (`13:45`), one per index: several days are compared by wall time, not by instant. */
  dayTimes?: string[];
  decimals?: number;
  /** Heading of the time in the legend. */
  timeLabel: string;
  /** Draws bars: for amounts over a period, not values at an instant. */
  bars?: boolean;
  /** One entry per day: the axis shows dates, and each day has its own space. */
  days?: boolean;
  /** A text per time, shown with the values in the legend: a remark, or the reason why there is no value. */
  notes?: { label: string; texts: string[] };
  /** File name: set to offer saving the chart as image and as CSV. */
  name?: string;
}

const AXIS_FONT_PX = 11;
const AXIS_FONT_FLOOR_PX = 10;
/** Space for the axis labels on the left and the unit above them. */
const AXIS_PX = 60;
/** Grid lines of the value axis in a tall chart. */
const MOST_VALUE_LINES = 9;
const BAR_SHARE = 0.7;
const BAR_MAX_PX = 40;
const DAY_LABEL_PX = 64;
const TIME_LABEL_PX = 70;
const HALF_DAY_S = 43_200;
/** The value axis of bars and filled areas includes zero, so that lengths and areas are proportional. */
const FROM_ZERO: UPlot.Scale = { range: { min: { pad: 0, soft: 0, mode: 1 }, max: { pad: 0.1, soft: 0, mode: 1 } } };
/** Minimum and maximum per pixel: more points cannot be seen. */
const POINTS_PER_PX = 4;

function colourOf(theme: ThemeName, colour: Series['colour']): string {
  const { palette, tones } = THEMES[theme];
  if (colour === 'primary') return palette.primary;
  if (colour === 'teal') return palette.teal;
  if (colour === 'reference') return palette.textFaint;
  return colour === 'wait' ? tones.wait.solid : tones[colour].solid;
}

/** Midnights are labelled by date, other times by the clock, in the utility's zone. */
function momentText(seconds: number): string {
  const text = dateTime(seconds * 1000);
  return text.endsWith('00:00:00') ? text.slice(5, 10) : text.slice(11, 16);
}

/** Bars are centred on their day and need half a day of margin on both sides. */
function roomOf({ times, bars }: Pick<LineChartProps, 'times' | 'bars'>): [number, number] {
  const room = bars || times.length < 2 ? HALF_DAY_S : 0;
  return [(times[0] ?? 0) - room, (times.at(-1) ?? 0) + room];
}

/** One bar is centred on its day; two stand side by side. */
const barsOf = (at: number, count: number) =>
  UPlot.paths.bars?.({ size: [BAR_SHARE / count, BAR_MAX_PX], align: count === 1 ? 0 : at === 0 ? -1 : 1 });

/** An invisible series: only its legend entry is shown. */
function notesOf({ notes }: Pick<LineChartProps, 'notes'>, latest: Latest): UPlot.Series[] {
  if (notes === undefined) return [];
  const value: UPlot.Series.Value = (plot, _value, _series, at) => {
    const { times, notes: current } = latest();
    return current?.texts[times.indexOf(plot.data[0][at ?? -1] ?? Number.NaN)] ?? '—';
  };
  return [{ label: notes.label, class: 'u-note', points: { show: false }, paths: () => null, value }];
}

const everyNth = (times: number[], most: number): number[] => {
  const step = Math.max(1, Math.ceil(times.length / Math.max(1, most)));
  return times.filter((_, at) => at % step === 0);
};

/** The data of the last render: a plot outlives many of them. */
type Latest = () => Pick<LineChartProps, 'times' | 'bars' | 'notes'>;

interface Surroundings {
  theme: ThemeName;
  width: number;
  height: number;
  k: number;
  timeZone: string;
}

function optionsOf(props: LineChartProps, latest: Latest, { theme, width, height, k, timeZone }: Surroundings): UPlot.Options {
  const { palette } = THEMES[theme];
  const font = `${Math.max(AXIS_FONT_FLOOR_PX, AXIS_FONT_PX * k).toFixed(1)}px 'IBM Plex Sans', sans-serif`;
  const axis = { stroke: palette.textMuted, font, ticks: { show: false }, grid: { stroke: palette.line, width: 1 } };
  const { dayTimes } = props;
  return {
    width,
    height,
    padding: [Math.round(10 * k), Math.round(24 * k), 0, 0],
    cursor: { points: { size: 7 * k }, y: false },
    legend: { show: true, live: true },
    scales: {
      ...(dayTimes ? { x: { time: false, range: [0, dayTimes.length] } } : props.days ? { x: { range: () => roomOf(latest()) } } : {}),
      ...(props.bars || props.series.some(({ fill }) => fill) ? { y: FROM_ZERO } : {}),
    },
    axes: [
      dayTimes
        ? {
            ...axis,
            grid: { show: false },
            size: 30 * k,
            splits: () => dayTicks(dayTimes),
            values: (_, splits) => splits.map((place) => dayTimes[place] ?? '24:00'),
          }
        : {
            ...axis,
            grid: { show: false },
            size: 30 * k,
            values: (_, splits) => splits.map(momentText),
            splits: (_, _axis, from, to) =>
              props.days
                ? everyNth(latest().times, width / (DAY_LABEL_PX * k))
                : timeTicks({ from, to, most: width / (TIME_LABEL_PX * k) }, timeZone),
          },
      { ...axis, size: AXIS_PX * k, space: Math.max(30 * k, height / MOST_VALUE_LINES) },
    ],
    series: [
      dayTimes
        ? { label: props.timeLabel, value: (_, place) => (place === null ? '—' : (dayTimes[place] ?? '—')) }
        : {
            label: props.timeLabel,
            value: (_: UPlot, seconds: number | null) => (seconds === null ? '—' : dateTime(seconds * 1000).slice(0, 16)),
          },
      ...props.series.map((line, at) => {
        const stroke = colourOf(theme, line.colour);
        return {
          label: line.label,
          stroke,
          width: (line.colour === 'reference' ? 1.25 : 1.75) * Math.max(1, k),
          dash: line.colour === 'reference' ? [5, 4] : [],
          fill: line.fill ? `${stroke}1f` : undefined,
          points: { show: false },
          spanGaps: false,
          ...(props.bars && line.colour !== 'reference' ? { paths: barsOf(at, props.series.length), fill: stroke } : {}),
          value: (_: UPlot, value: number | null) => (value === null ? '—' : `${value.toFixed(props.decimals ?? 2)} ${props.unit}`),
        } as UPlot.Series; // exact optional members differ from the library's
      }),
      ...notesOf(props, latest),
    ],
  };
}

type Points = readonly (readonly (number | null)[])[];

const pointsOf = ({ times, series }: Pick<LineChartProps, 'times' | 'series'>): Points => [times, ...series.map((line) => line.values)];

const isSame = (a: Points, b: Points): boolean =>
  a.length === b.length && a.every((row, at) => row.length === b[at]?.length && row.every((value, index) => value === b[at]?.[index]));

/** Times first, then a row per series, reduced to what a plot of this width can show. */
function dataOf({ times, series, notes }: LineChartProps, width: number): UPlot.AlignedData {
  const drawn = downsample({ times, rows: series.map((line) => line.values) }, Math.max(2000, width * POINTS_PER_PX));
  return [drawn.times, ...drawn.rows, ...(notes ? [drawn.times.map(() => null)] : [])] as UPlot.AlignedData; // as: a tuple of rows
}

/** Replaces the data of a plot. A range that the user zoomed to stays. */
function update(plot: UPlot, data: UPlot.AlignedData): void {
  const { min, max } = plot.scales['x'] ?? {};
  const before = plot.data[0];
  const isZoomed = min != null && max != null && (min > (before[0] ?? min) || max < (before.at(-1) ?? max));
  plot.setData(data, !isZoomed);
  if (isZoomed) plot.setScale('x', { min, max });
}

function Canvas({ width, height, k, ...props }: LineChartProps & { width: number; height: number; k: number }) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const points = useRef<Points>([]);
  const latest = useRef(props);
  latest.current = props;
  const theme = usePreferences((state) => state.theme);
  const timeZone = useServerTime((state) => state.timeZone);
  const LEGEND_PX = 26;
  const { times: _times, series, notes, ...others } = props;
  // Everything but the data, as text: a new plot would lose zoom, hover and hidden series, so only a change here builds one.
  const shape = JSON.stringify([theme, width, height, k, timeZone, others, series.map(({ values: _, ...line }) => line), notes?.label]);
  useEffect(() => {
    if (!box.current) return undefined;
    const given = latest.current;
    const options = optionsOf(given, () => latest.current, { theme, width, height: height - LEGEND_PX, k, timeZone });
    const created = new UPlot(options, dataOf(given, width), box.current);
    plot.current = created;
    points.current = pointsOf(given);
    // A canvas is not redrawn when a web font arrives late.
    void document.fonts.ready.then(() => plot.current === created && created.redraw(false, true));
    return () => {
      plot.current = undefined;
      created.destroy();
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `shape` contains all other inputs
  }, [shape]);
  useEffect(() => {
    const next = pointsOf(props);
    if (plot.current === undefined || isSame(points.current, next)) return;
    points.current = next;
    update(plot.current, dataOf(props, width));
  });
  return (
    <div ref={box} className={styles['chart']} style={{ fontSize: Math.max(AXIS_FONT_FLOOR_PX, 12 * k) }}>
      <span className={styles['unit']} style={{ width: AXIS_PX * k, height: LEGEND_PX, lineHeight: `${LEGEND_PX}px` }}>
        {props.unit}
      </span>
    </div>
  );
}

/** Time series on a canvas. For screen readers the page shows the same numbers in a table or list. */
export function LineChart(props: LineChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const { name, ...rest } = props;
  const chart = (
    <div ref={box} className={styles['frame']} role="img" aria-label={props.label}>
      <NeutralZone>{({ width, height }, k) => <Canvas {...props} width={width} height={height} k={k} />}</NeutralZone>
    </div>
  );
  if (name === undefined) return chart;
  return (
    <div className={styles['holder']}>
      {chart}
      <ChartTools {...rest} name={name} box={box} />
    </div>
  );
}
