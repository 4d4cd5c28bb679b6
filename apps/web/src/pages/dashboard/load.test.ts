import { afterEach, expect, test } from 'vitest';
import { useServerTime } from '#core/time/format.ts';
import { loadNow } from './load.ts';

afterEach(() => useServerTime.setState({ timeZone: 'UTC' }));

const day = (first: string, values: (number | null)[]) =>
  values.map((kw, slot) => ({ at: new Date(Date.parse(first) + slot * 900_000).toISOString(), kw }));

test('the load of now is the newest slot that has a value, against the same slot of yesterday', () => {
  const yesterday = day('2025-06-09T00:00:00Z', [80, 100, 90, 90]);
  expect(loadNow(day('2025-06-10T00:00:00Z', [100, 110, null, null]), yesterday)).toEqual({ kw: 110, time: '00:15', change: 0.1 });
  expect(loadNow(day('2025-06-10T00:00:00Z', [null]), yesterday)).toBeUndefined();
});

test('it is compared with the same time on the clock where the day before had another hour more or less', () => {
  useServerTime.setState({ timeZone: 'Europe/Berlin' });
  // 03:00 of a day of 23 hours is its ninth quarter; of the day before it is the thirteenth.
  const today = day(
    '2025-03-29T23:00:00Z',
    Array.from({ length: 9 }, (_, slot) => 110 + slot),
  );
  const yesterday = day(
    '2025-03-28T23:00:00Z',
    Array.from({ length: 96 }, (_, slot) => slot),
  );
  expect(loadNow(today, yesterday)).toEqual({ kw: 118, time: '03:00', change: (118 - 12) / 12 });
});
