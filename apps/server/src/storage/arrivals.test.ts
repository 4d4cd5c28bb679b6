import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countArrivals, HourCalendar } from './arrivals.ts';
import { DAY_MS, splitReading } from './day-rows.ts';

const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
/** Offsets of whole, half and quarter hours; daylight saving of an hour, of half an hour, and none. */
const ZONES = [
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'America/St_Johns',
  'Pacific/Chatham',
  'Asia/Shanghai',
];
const FROM = Date.UTC(2024, 0, 1);
/** Days of clock changes, which a random day rarely hits. Lord Howe changes by half an hour. */
const CHANGES = ['2024-03-31', '2024-04-06', '2024-10-05', '2024-10-27', '2024-11-03'].map((day) => Date.parse(day));

const reading = (first: number, count: number) => ({
  meterId: '1',
  dcuId: '2',
  profile: 'lpa' as const,
  periodSeconds: QUARTER_MS / 1000,
  stamps: Float64Array.from({ length: count }, (_, i) => first + i * QUARTER_MS),
  status: undefined,
  channels: [Float64Array.from({ length: count }, (_, i) => i)],
  readAt: FROM + 1000 * DAY_MS,
  source: 'meter' as const,
  traceId: undefined,
});

const dayAt = fc.oneof(
  fc.constantFrom(...CHANGES),
  fc.nat({ max: 365 }).map((day) => FROM + day * DAY_MS),
);

test('every quarter hour keeps its instant and is counted in its local hour, also across clock changes of half an hour', () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), dayAt, fc.nat({ max: 95 }), fc.integer({ min: 1, max: 200 }), (zone, day, startsAt, count) => {
      const calendar = new HourCalendar(zone);
      const first = day + startsAt * QUARTER_MS;
      const { rows, dropped } = splitReading(reading(first, count), calendar);
      const found = rows
        .flatMap((row) =>
          [...row.status.keys()]
            .filter((slot) => !Number.isNaN(row.status[slot]))
            .map((slot) => [row.day * DAY_MS + row.leadSeconds * 1000 + slot * QUARTER_MS, row.channels[0]?.[slot]]),
        )
        .toSorted(([a = 0], [b = 0]) => a - b);
      expect(dropped).toBe(0);
      expect(found).toEqual(Array.from({ length: count }, (_, i) => [first + i * QUARTER_MS, i]));

      const wall = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
      const hours = new Map<string, number>();
      for (let i = 0; i < count; i++) {
        const name = wall.format(first + i * QUARTER_MS).slice(0, 13);
        hours.set(name, (hours.get(name) ?? 0) + 1);
      }
      const written = rows.map((row) => ({ meter_id: row.meterId, profile: row.profile, day: row.day, before: null }));
      const counted = new Map<string, number>();
      for (const { begins, got } of countArrivals(rows, written, calendar).values())
        for (const [index, arrived] of got.entries()) {
          if (arrived === 0) continue;
          const name = wall.format(begins + index * HOUR_MS).slice(0, 13);
          counted.set(name, (counted.get(name) ?? 0) + arrived);
        }
      expect(counted).toEqual(hours);
    }),
    { numRuns: 300 },
  );
});
