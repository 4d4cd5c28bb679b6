import type { PoolClient } from 'pg';
import { Zone } from '#platform/zone.ts';
import { DAY_MS, keyOf, type DayRow } from './day-rows.ts';
import { COUNT_ARRIVALS } from './queries.ts';

const HOUR_MS = 3_600_000;
const CACHED_DAYS = 512;

/** Counts new captures by the hours an operator knows: those of the utility's zone, also where it lies half an hour off. */
export class HourCalendar {
  readonly timeZone: string;
  readonly #zone: Zone;
  readonly #days = new Map<string, Float64Array>();

  constructor(timeZone: string) {
    this.timeZone = timeZone;
    this.#zone = new Zone(timeZone);
  }

  /** For each slot of a UTC day, the instant at which its local hour begins, in epoch milliseconds. */
  hoursOf(day: number, periodSeconds: number): Float64Array {
    const key = `${day}/${periodSeconds}`;
    const known = this.#days.get(key);
    if (known !== undefined) return known;
    const periodMs = periodSeconds * 1000;
    const hours = Float64Array.from({ length: DAY_MS / periodMs }, (_, slot) => {
      const at = day * DAY_MS + slot * periodMs;
      const offset = this.#zone.offsetMs(at);
      return Math.floor((at + offset) / HOUR_MS) * HOUR_MS - offset;
    });
    if (this.#days.size >= CACHED_DAYS) this.#days.clear();
    this.#days.set(key, hours);
    return hours;
  }
}

/** A day row that the merge has written: what its status held before, or null when the row is new. */
export interface WrittenDay {
  meter_id: string;
  profile: string;
  day: number;
  before: (number | null)[] | null;
}

/** New captures by DCU and profile, then by hour. */
export type Arrivals = Map<string, Map<number, number>>;

export function countArrivals(rows: readonly DayRow[], written: readonly WrittenDay[], calendar: HourCalendar): Arrivals {
  const before = new Map(written.map((row) => [keyOf({ meterId: row.meter_id, profile: row.profile, day: row.day }), row.before]));
  const arrivals: Arrivals = new Map();
  for (const row of rows) {
    const known = before.get(keyOf(row));
    if (known === undefined) continue;
    const key = `${row.dcuId}/${row.profile}`;
    let counts = arrivals.get(key);
    if (counts === undefined) arrivals.set(key, (counts = new Map()));
    countRow(row, known, calendar.hoursOf(row.day, row.periodSeconds), counts);
  }
  return arrivals;
}

/** Slots of an hour follow each other: they are counted first and added once. */
function countRow(row: DayRow, known: WrittenDay['before'], hours: Float64Array, counts: Map<number, number>): void {
  let fresh = 0;
  for (let slot = 0; slot < row.status.length; slot++) {
    if (!Number.isNaN(row.status[slot]) && (known === null || (known[slot] ?? null) === null)) fresh++;
    const hour = hours[slot] ?? Number.NaN;
    if (fresh === 0 || hour === hours[slot + 1]) continue;
    counts.set(hour, (counts.get(hour) ?? 0) + fresh);
    fresh = 0;
  }
}

/** Adds the counts to `completeness`; returns their sum. */
export async function storeArrivals(client: PoolClient, arrivals: Arrivals): Promise<number> {
  const entries = [...arrivals].flatMap(([key, counts]) => {
    const [dcuId, profile] = key.split('/');
    return [...counts].map(([hour, got]) => ({ dcuId, profile, hour, got }));
  });
  if (entries.length === 0) return 0;
  await client.query({
    name: 'count_arrivals',
    text: COUNT_ARRIVALS,
    values: [
      entries.map(({ dcuId }) => dcuId),
      entries.map(({ profile }) => profile),
      entries.map(({ hour }) => new Date(hour).toISOString()),
      entries.map(({ got }) => got),
    ],
  });
  return entries.reduce((sum, { got }) => sum + got, 0);
}
