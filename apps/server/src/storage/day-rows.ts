import type { ProfileName } from '@hes/contract/reading/reading.ts';
import { OUT_OF_RANGE_BIT } from '@hes/contract/states/reading.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { Grid } from './grids.ts';

export type Source = 'cache' | 'meter' | 'push' | 'manual' | 'estimated';

/** Captures of one meter and profile as received, by column, with one entry per capture. */
export interface ProfileReading {
  meterId: string;
  dcuId: string;
  profile: ProfileName;
  periodSeconds: number;
  /** Epoch milliseconds of each capture; NaN where the meter's clock was not valid. */
  stamps: Float64Array;
  /** Status words; NaN where the profile has none. */
  status: Float64Array | undefined;
  /** By channel number: integers in the channel's unit, NaN for null. Undefined: not captured. */
  channels: (Float64Array | undefined)[];
  readAt: number;
  source: Source;
  traceId: string | undefined;
  /** The task that read them; undefined for an unsolicited push. */
  taskId?: string | undefined;
}

/** One row of `reading_profile`: a UTC day of one meter and profile. NaN marks an empty slot. */
export interface DayRow extends Grid {
  meterId: string;
  dcuId: string;
  profile: ProfileName;
  /** Days since 1970-01-01 UTC. */
  day: number;
  present: number;
  status: Float64Array;
  channels: (Float64Array | undefined)[];
  readAt: number;
  source: Source;
  traceId: string | undefined;
  taskId: string | undefined;
}

export const DAY_MS = 86_400_000;
const DAY_SECONDS = 86_400;
const INT4_MAX = 2_147_483_647;
/** Larger integers are not exact as doubles, and no register of a meter is that large. */
const INT8_MAX = Number.MAX_SAFE_INTEGER;
/**
 * Stamps further ahead of the server's clock at the time of the reading come from a wrong meter clock and are dropped. The clock may be
 * set back until the rows are stored, and the watermark follows the reading.
 */
const FUTURE_LIMIT_MS = DAY_MS;
/** Earlier stamps come from a meter clock that was never set and are dropped. */
const PAST_LIMIT_MS = Date.UTC(2000, 0, 1);

export const keyOf = (row: { meterId: string; profile: string; day: number }): string => `${row.meterId}/${row.profile}/${row.day}`;

/** Creates an empty row with all columns in one buffer: an allocation per column costs as much as filling it. */
function createRow(reading: ProfileReading, day: number, leadSeconds: number): DayRow {
  const { meterId, dcuId, profile, periodSeconds, readAt, source, traceId, taskId } = reading;
  const slots = DAY_SECONDS / periodSeconds;
  let columns = 1;
  for (const values of reading.channels) if (values !== undefined) columns++;
  const memory = new Float64Array(columns * slots).fill(Number.NaN);
  let used = 0;
  const next = () => memory.subarray(used, (used += slots));
  const status = next();
  const channels = CHANNELS.map((_, channel) => (reading.channels[channel] === undefined ? undefined : next()));
  return {
    meterId,
    dcuId,
    profile,
    day,
    periodSeconds,
    leadSeconds,
    present: 0,
    status,
    channels,
    readAt,
    source,
    traceId,
    taskId,
  };
}

/** Offset of a day's slots against UTC midnight. */
export interface SlotGrid {
  leadMs(at: number, periodMs: number): number;
}

export interface SplitReading {
  rows: DayRow[];
  /** Dropped captures: their clock was invalid or far off, or they lie inside an occupied slot. */
  dropped: number;
  /** The newest capture that was kept; undefined when there is none. */
  latest: { stamp: number; index: number } | undefined;
}

/** Consecutive captures, from `from` to before `to`, of one day row. */
interface Run {
  row: DayRow;
  from: number;
  to: number;
}

/** Slot number of a dropped capture. */
const DROPPED = -1;

/**
 * Iterates by channel: a check of all channels per capture costs twice as much. A value outside its column's range becomes null and marks
 * its slot, because a wrong value is worse than a missing one.
 */
function fillChannels({ row, from, to }: Run, channels: ProfileReading['channels'], slots: Int32Array): void {
  for (let channel = 0; channel < channels.length; channel++) {
    const values = channels[channel];
    const target = row.channels[channel];
    if (values === undefined || target === undefined) continue;
    const largest = CHANNELS[channel]?.type === 'int4' ? INT4_MAX : INT8_MAX;
    for (let i = from; i < to; i++) {
      const slot = slots[i] as number; // as: there is one for each capture
      const value = values[i] as number; // as: columns are as long as stamps
      if (slot === DROPPED) continue;
      const isTooLarge = Math.abs(value) > largest;
      target[slot] = isTooLarge ? Number.NaN : value;
      if (isTooLarge) row.status[slot] = (row.status[slot] ?? 0) | OUT_OF_RANGE_BIT;
    }
  }
}

/**
 * Splits captures into UTC days and slots. A capture after a slot's start (clock adjustment or restart of the meter) fills that slot unless
 * it is occupied. A day in which the zone's offset changes gives one row per lead.
 */
export function splitReading(reading: ProfileReading, grid: SlotGrid): SplitReading {
  const periodMs = reading.periodSeconds * 1000;
  const byDay = new Map<string, DayRow>();
  const slots = new Int32Array(reading.stamps.length).fill(DROPPED);
  const runs: Run[] = [];
  let dropped = 0;
  let latest: SplitReading['latest'];
  for (let i = 0; i < reading.stamps.length; i++) {
    const stamp = reading.stamps[i] as number; // as: i is below the length
    if (!(stamp > PAST_LIMIT_MS && stamp < reading.readAt + FUTURE_LIMIT_MS)) {
      dropped++;
      continue;
    }
    const leadMs = grid.leadMs(stamp, periodMs);
    const day = Math.floor((stamp - leadMs) / DAY_MS);
    const offset = stamp - leadMs - day * DAY_MS;
    const slot = Math.floor(offset / periodMs);
    let run = runs.at(-1);
    if (run?.row.day !== day || run.row.leadSeconds * 1000 !== leadMs) {
      const key = `${day}/${leadMs}`;
      let row = byDay.get(key);
      if (row === undefined) byDay.set(key, (row = createRow(reading, day, leadMs / 1000)));
      runs.push((run = { row, from: i, to: i }));
    }
    const { row } = run;
    const taken = !Number.isNaN(row.status[slot] as number); // as: a day has all its slots
    if (taken && offset % periodMs !== 0) {
      dropped++;
      continue;
    }
    if (!taken) row.present++;
    const status = reading.status?.[i] ?? 0;
    row.status[slot] = Number.isNaN(status) ? 0 : status | 0;
    slots[i] = slot;
    run.to = i + 1;
    if (latest === undefined || stamp > latest.stamp) latest = { stamp, index: i };
  }
  for (const run of runs) fillChannels(run, reading.channels, slots);
  return { rows: [...byDay.values()], dropped, latest };
}
