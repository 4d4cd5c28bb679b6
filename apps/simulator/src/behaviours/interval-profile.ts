import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { CLOCK_COLUMN } from '@hes/dlms/cosem/selective-access.ts';
import { DAY_MS, SLOT_MS, dayStart, firstDayOf, localDay, monthOf } from '#world/calendar.ts';
import { hourLeadMs, type LocalTime } from '#world/local-time.ts';
import type { Held, Profile } from './profile.ts';
import { createClockWriter, type Width, writeNull, writeNumber, writeRowHead } from './row-writer.ts';

const SHORTEST_MONTH_DAYS = 28;

export interface IntervalColumn {
  object: CaptureObject;
  width: Width;
}

/** Captures of an interval profile; shared by all meters of a kind. */
export interface IntervalSpec<M> {
  /** Milliseconds; `day` and `month`: at the local midnight that begins each. */
  period: number | 'day' | 'month';
  depthDays: number;
  /** A longer period, a multiple of the usual one, from a moment on; earlier rows stay. */
  longer?: { from: number; period: number };
  /** Columns other than the clock, which is always first. */
  columns(meter: M): readonly IntervalColumn[];
  /** Whole numbers of each column at the 96 quarter-hours of a day of the world; only those on the grid of the period are used. */
  dayOf?(meter: M, day: number): readonly ArrayLike<number>[];
  /** Whole numbers of each column at one moment. */
  momentOf?(meter: M, at: number): readonly number[];
}

export interface IntervalSource<M> {
  meter: M;
  now(): number;
  /** There are no rows before this moment. */
  beganAt: number;
  local: LocalTime;
  /** Sends null-data for a regularly advanced clock and for an unchanged value. @spec BB 4 (null-data in buffers) */
  isCompressed: boolean;
  /** Time stamps of the rows of this response if they differ from the capture moments. */
  wrongStamps?(): ((at: number) => number) | undefined;
}

const CALENDAR = {
  day: { of: (day: number) => day, firstDay: (day: number) => day },
  month: { of: monthOf, firstDay: firstDayOf },
} as const;

/** A profile with rows on a grid of local time, generated on access. */
export function intervalProfile<M>(spec: IntervalSpec<M>, source: IntervalSource<M>): Profile {
  const columns = spec.columns(source.meter);
  const stepMs = spec.period === 'month' ? undefined : spec.period === 'day' ? DAY_MS : (spec.longer?.period ?? spec.period);
  return {
    columns: [CLOCK_COLUMN, ...columns.map((column) => column.object)],
    // A billing period is ended by a calendar script, so it has no period in seconds.
    capturePeriodSeconds: spec.period === 'month' ? 0 : (stepMs ?? DAY_MS) / 1000,
    capacity: spec.period === 'month' ? Math.ceil(spec.depthDays / SHORTEST_MONTH_DAYS) : (spec.depthDays * DAY_MS) / (stepMs ?? DAY_MS),
    held: () => (typeof spec.period === 'number' ? onGrid(spec.period, spec, source) : onCalendar(spec.period, spec, source)),
    writeRows(out, held, from, to, chosen) {
      const writeClock = createClockWriter(source.local);
      const stampOf = source.wrongStamps?.() ?? ((at: number) => at);
      const last = columns.map(() => Number.NaN);
      let day = Number.NaN;
      let values: readonly ArrayLike<number>[] = [];
      for (let position = from; position < to; position++) {
        const at = held.at(position);
        // A day of a clock change is an hour longer or shorter, so its row carries an explicit time stamp.
        const follows = position > from && at - held.at(position - 1) === stepMs;
        const moment = spec.momentOf?.(source.meter, at);
        if (localDay(at) !== day) {
          day = localDay(at);
          values = spec.dayOf?.(source.meter, day) ?? [];
        }
        const slot = (at - dayStart(day)) / SLOT_MS;
        writeRowHead(out, chosen.length);
        for (const index of chosen) {
          if (index === 0) {
            if (source.isCompressed && follows) writeNull(out);
            else writeClock(out, stampOf(at));
            continue;
          }
          const value = moment?.[index - 1] ?? values[index - 1]?.[slot] ?? 0;
          if (source.isCompressed && value === last[index - 1]) writeNull(out);
          else writeNumber(out, columns[index - 1]?.width ?? 'u32', value);
          last[index - 1] = value;
        }
      }
    },
  };
}

function onCalendar<M>(period: keyof typeof CALENDAR, spec: IntervalSpec<M>, { local, ...source }: IntervalSource<M>): Held {
  const { of, firstDay } = CALENDAR[period];
  const startOf = (number: number): number => local.startOf(firstDay(number));
  const index = (moment: number): number => {
    const number = of(local.dayOf(moment));
    return moment <= startOf(number) ? number : number + 1;
  };
  const now = source.now();
  const first = index(Math.max(source.beganAt, now - spec.depthDays * DAY_MS + 1));
  const count = Math.max(0, index(now + 1) - first);
  return {
    count,
    at: (position) => startOf(first + position),
    firstAt: (moment) => Math.max(0, Math.min(count, index(moment) - first)),
  };
}

/** Rows of the usual period up to the moment of the change, and of the longer one from there on. */
function onGrid<M>(periodMs: number, spec: IntervalSpec<M>, source: IntervalSource<M>): Held {
  const { longer } = spec;
  const usual = onOneGrid(periodMs, spec, source);
  if (longer === undefined) return usual;
  const later = onOneGrid(longer.period, spec, source);
  const until = usual.firstAt(longer.from);
  const first = later.firstAt(longer.from);
  return {
    count: until + later.count - first,
    at: (position) => (position < until ? usual.at(position) : later.at(position - until + first)),
    firstAt: (moment) =>
      moment < longer.from ? Math.min(until, usual.firstAt(moment)) : until + Math.max(0, later.firstAt(moment) - first),
  };
}

function onOneGrid<M>(periodMs: number, spec: IntervalSpec<M>, { local, ...source }: IntervalSource<M>): Held {
  const now = source.now();
  // The full hours of a zone may be offset from those of UTC.
  const origin = hourLeadMs(local, now) % periodMs;
  const index = (moment: number): number => Math.ceil((moment - origin) / periodMs);
  const first = index(Math.max(source.beganAt, now - spec.depthDays * DAY_MS + 1));
  const count = Math.max(0, index(now + 1) - first);
  return {
    count,
    at: (position) => (first + position) * periodMs + origin,
    firstAt: (moment) => Math.max(0, Math.min(count, index(moment) - first)),
  };
}
