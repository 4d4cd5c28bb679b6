import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { CLOCK_COLUMN } from '@hes/dlms/cosem/selective-access.ts';
import { DAY_MS, SLOT_MS, dayStart, firstDayOf, localDay, monthOf } from '#world/calendar.ts';
import type { Held, Profile } from './profile.ts';
import { createClockWriter, type Width, writeNull, writeNumber, writeRowHead } from './row-writer.ts';

const SHORTEST_MONTH_DAYS = 28;

export interface IntervalColumn {
  object: CaptureObject;
  width: Width;
}

/** What an interval profile captures; shared by all meters of a kind. */
export interface IntervalSpec<M> {
  /** `month`: the first local midnight of each. */
  periodMs: number | 'month';
  depthDays: number;
  /** Beside the clock, which is always first. */
  columns(meter: M): readonly IntervalColumn[];
  /** Of each column, the whole numbers captured at the 96 quarters of a local day; only those on the period's grid are asked for. */
  dayOf(meter: M, day: number): readonly ArrayLike<number>[];
}

export interface IntervalSource<M> {
  meter: M;
  now(): number;
  /** Local midnight before which there is nothing. */
  beganAt: number;
  /** Sends null-data for a clock that ticked on and for a value that did not change. @spec BB 4 (null-data in buffers) */
  isCompressed: boolean;
  /** How the rows of this answer are stamped, when that is not the moment of their capture. */
  wrongStamps?(): ((at: number) => number) | undefined;
}

/** A profile whose rows stand on a grid of local time and are made when they are asked for. */
export function intervalProfile<M>(spec: IntervalSpec<M>, source: IntervalSource<M>): Profile {
  const columns = spec.columns(source.meter);
  return {
    columns: [CLOCK_COLUMN, ...columns.map((column) => column.object)],
    // A billing period is ended by a script of the calendar, not by a period of seconds.
    capturePeriodSeconds: spec.periodMs === 'month' ? 0 : spec.periodMs / 1000,
    capacity: spec.periodMs === 'month' ? Math.ceil(spec.depthDays / SHORTEST_MONTH_DAYS) : (spec.depthDays * DAY_MS) / spec.periodMs,
    held: () => (spec.periodMs === 'month' ? onMonths(spec, source) : onGrid(spec.periodMs, spec, source)),
    writeRows(out, held, from, to, chosen) {
      const writeClock = createClockWriter();
      const stampOf = source.wrongStamps?.() ?? ((at: number) => at);
      const last = columns.map(() => Number.NaN);
      let day = Number.NaN;
      let values: readonly ArrayLike<number>[] = [];
      for (let position = from; position < to; position++) {
        const at = held.at(position);
        if (localDay(at) !== day) {
          day = localDay(at);
          values = spec.dayOf(source.meter, day);
        }
        const slot = (at - dayStart(day)) / SLOT_MS;
        writeRowHead(out, chosen.length);
        for (const index of chosen) {
          if (index === 0) {
            if (source.isCompressed && position > from) writeNull(out);
            else writeClock(out, stampOf(at));
            continue;
          }
          const value = values[index - 1]?.[slot] ?? 0;
          if (source.isCompressed && value === last[index - 1]) writeNull(out);
          else writeNumber(out, columns[index - 1]?.width ?? 'u32', value);
          last[index - 1] = value;
        }
      }
    },
  };
}

function onMonths<M>(spec: IntervalSpec<M>, source: IntervalSource<M>): Held {
  const index = (moment: number): number => {
    const month = monthOf(localDay(moment));
    return moment <= dayStart(firstDayOf(month)) ? month : month + 1;
  };
  const now = source.now();
  const first = index(Math.max(source.beganAt, now - spec.depthDays * DAY_MS + 1));
  const count = Math.max(0, index(now + 1) - first);
  return {
    count,
    at: (position) => dayStart(firstDayOf(first + position)),
    firstAt: (moment) => Math.max(0, Math.min(count, index(moment) - first)),
  };
}

function onGrid<M>(periodMs: number, spec: IntervalSpec<M>, source: IntervalSource<M>): Held {
  // The zone is a whole number of hours from UTC, so only a period of a day sees where local midnight is.
  const origin = ((dayStart(0) % periodMs) + periodMs) % periodMs;
  const index = (moment: number): number => Math.ceil((moment - origin) / periodMs);
  const now = source.now();
  const first = index(Math.max(source.beganAt, now - spec.depthDays * DAY_MS + 1));
  const count = Math.max(0, index(now + 1) - first);
  return {
    count,
    at: (position) => (first + position) * periodMs + origin,
    firstAt: (moment) => Math.max(0, Math.min(count, index(moment) - first)),
  };
}
