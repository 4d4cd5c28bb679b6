import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import type { PoolClient } from 'pg';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { DAY_MS, keyOf, type DayRow, type SlotGrid } from './day-rows.ts';
import { COUNT_ARRIVALS } from './queries.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
const HOURS = 24;
const CACHED_DAYS = 512;

/** Local hours of the utility's time zone, by which new captures are counted. Offsets may be multiples of a quarter hour. */
export class HourCalendar implements SlotGrid {
  readonly timeZone: string;
  readonly #zone: Zone;
  readonly #days = new BoundedCache<string, Float64Array>(CACHED_DAYS);

  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#zone = new Zone(timeZone);
  }

  /** Zone offsets are multiples of a quarter hour, so only longer periods have a lead against UTC. */
  leadMs(at: number, periodMs: number): number {
    if (QUARTER_MS % periodMs === 0) return 0;
    return (periodMs - (this.#zone.offsetMs(at) % periodMs)) % periodMs;
  }

  /** For each slot of a UTC day, the instant at which its local hour begins, in epoch milliseconds. */
  hoursOf({ day, periodSeconds, leadSeconds }: Pick<DayRow, 'day' | 'periodSeconds' | 'leadSeconds'>): Float64Array {
    const key = `${day}/${periodSeconds}/${leadSeconds}`;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const periodMs = periodSeconds * 1000;
    const hours = Float64Array.from({ length: DAY_MS / periodMs }, (_, slot) =>
      this.#zone.hourBegins(day * DAY_MS + leadSeconds * 1000 + slot * periodMs),
    );
    this.#days.set(key, hours);
    return hours;
  }
}

/** A merged day row with its status slots before the merge; null for a new row. */
export interface WrittenDay {
  meter_id: string;
  profile: string;
  day: number;
  before: (number | null)[] | null;
}

/** New captures of one DCU and profile by local hour, over 24 hours from UTC midnight plus the zone's fraction of an hour. */
interface DayArrivals {
  dcuId: string;
  profile: string;
  /** Start of the first hour, in epoch milliseconds. */
  begins: number;
  /** 24 counts, one per hour. */
  got: number[];
}

/** Keyed by DCU, profile and day. */
export type Arrivals = Map<string, DayArrivals>;

export function countArrivals(rows: readonly DayRow[], written: readonly WrittenDay[], calendar: HourCalendar): Arrivals {
  const before = new Map(written.map((row) => [keyOf({ meterId: row.meter_id, profile: row.profile, day: row.day }), row.before]));
  const arrivals: Arrivals = new Map();
  for (const row of rows) {
    const known = before.get(keyOf(row));
    if (known !== undefined) countRow(row, known, calendar.hoursOf(row), arrivals);
  }
  return arrivals;
}

/** Slots of an hour are adjacent, so their count is accumulated and added once per hour. */
function countRow(row: DayRow, known: WrittenDay['before'], hours: Float64Array, arrivals: Arrivals): void {
  let fresh = 0;
  let into: DayArrivals | undefined;
  for (let slot = 0; slot < row.status.length; slot++) {
    if (!Number.isNaN(row.status[slot]) && (known === null || (known[slot] ?? null) === null)) fresh++;
    const hour = hours[slot] ?? Number.NaN;
    if (fresh === 0 || hour === hours[slot + 1]) continue;
    const index = Math.floor(hour / HOUR_MS) % HOURS;
    const begins = hour - index * HOUR_MS;
    if (into?.begins !== begins) into = dayOf(arrivals, row, begins);
    into.got[index] = (into.got[index] ?? 0) + fresh;
    fresh = 0;
  }
}

function dayOf(arrivals: Arrivals, { dcuId, profile }: DayRow, begins: number): DayArrivals {
  const key = `${dcuId}/${profile}/${begins}`;
  let day = arrivals.get(key);
  if (day === undefined) arrivals.set(key, (day = { dcuId, profile, begins, got: Array.from({ length: HOURS }, () => 0) }));
  return day;
}

/** Adds the counts to `arrival_day`; returns their sum. */
export async function storeArrivals(client: PoolClient, arrivals: Arrivals): Promise<number> {
  const days = [...arrivals.values()];
  if (days.length === 0) return 0;
  await client.query({
    name: 'count_arrivals',
    text: COUNT_ARRIVALS,
    values: [
      days.map(({ dcuId }) => dcuId),
      days.map(({ profile }) => profile),
      days.map(({ begins }) => new Date(begins).toISOString()),
      days.map(({ got }) => `{${got.join(',')}}`),
    ],
  });
  return days.reduce((sum, { got }) => got.reduce((all, count) => all + count, sum), 0);
}
