import { expect, test } from 'vitest';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { Devices, MeterDevice } from '#field/devices.ts';
import { advanceByPush } from '#field/profiles/watermarks.ts';
import { gapsOf, reachedBy } from './collect.ts';

const DAY_MS = 86_400_000;
const zone = new Zone('Asia/Shanghai');
/** Midnight there. */
const MIDNIGHT = Date.parse('2026-11-18T16:00:00Z');
const NOW = MIDNIGHT + 3.5 * DAY_MS;

const gapFrom = (profile: 'lpa' | 'energy' | 'daily' | 'monthly', through: number) => {
  const device = { watermarks: { [`through:${profile}`]: through }, periodSeconds: { lpa: 900, lpb: 900 } };
  const order = { profiles: [profile], lookBackDays: 30, fromCache: false, cacheOnlyUntil: undefined };
  return gapsOf(device, order, NOW, zone)[0]?.from;
};

test.each(['lpa', 'energy', 'daily'] as const)(
  'what was read of %s up to the last second of a request goes on with the capture right behind it',
  (profile) => {
    expect(gapFrom(profile, MIDNIGHT - 1000)).toBe(MIDNIGHT);
  },
);

test.each([
  ['lpa', 900_000],
  ['energy', 3_600_000],
] as const)('what was read of %s up to a capture goes on one period later', (profile, periodMs) => {
  expect(gapFrom(profile, MIDNIGHT + 30 * 60_000)).toBe(MIDNIGHT + 30 * 60_000 + periodMs);
});

test('a capture that a clock stamped a little late hides none that comes in time again', () => {
  expect(gapFrom('lpa', MIDNIGHT + 7000)).toBe(MIDNIGHT + 900_000);
});

test('a month end that was read goes on with the next one, whatever the month is long; before any it looks back for the last', () => {
  const first = (month: string) => Date.parse(`2026-${month}-01T00:00:00+08:00`);
  expect(gapFrom('monthly', first('10'))).toBe(first('11'));
  expect(gapFrom('monthly', first('11'))).toBeUndefined();
  expect(gapFrom('monthly', 0)).toBe(NOW - 0.5 * DAY_MS - 30 * DAY_MS);
});

/** Up to which capture the rows count as read; undefined: the mark stays. */
function readThrough(mark: number | undefined, stamps: number[]): number | undefined {
  const device = {
    marks: mark === undefined ? {} : { 'through:lpa': mark },
    periodSeconds: { lpa: 900, lpb: 900 },
  } as unknown as MeterDevice; // as: nothing else is looked at
  let through: number | undefined;
  const devices = { mark: (_device: MeterDevice, _key: string, at: number) => (through = at) } as unknown as Devices; // as: nothing else is called
  advanceByPush({ devices, zone }, device, 'lpa', Float64Array.from(stamps));
  return through;
}

test('pushed captures count as read as far as none is missing between them and what was read before', () => {
  const nth = (quarter: number) => MIDNIGHT + quarter * 900_000;
  expect(readThrough(nth(0), [nth(2), nth(1)])).toBe(nth(2));
  expect(readThrough(nth(0), [nth(1), nth(3)])).toBe(nth(1));
  expect(readThrough(nth(0), [nth(2), nth(3)])).toBeUndefined();
  expect(readThrough(nth(2), [nth(1), nth(2)])).toBeUndefined();
  expect(readThrough(undefined, [nth(1)])).toBeUndefined();
});

test('of rows that a DCU holds those before the first hole count as read, and the meter is asked from the hole on', () => {
  const nth = (quarter: number) => MIDNIGHT + quarter * 900_000;
  const reached = (stamps: number[]) => reachedBy({ stamps, periodSeconds: 900 }, { profile: 'lpa', from: nth(0), to: NOW }, zone);
  expect(reached([nth(0), nth(1), nth(2)])).toEqual({ through: nth(2), next: nth(3) });
  expect(reached([nth(0), nth(2)])).toEqual({ through: nth(0), next: nth(1) });
  expect(reached([nth(1)])).toEqual({ through: undefined, next: nth(0) });
});

test('a freeze that a DCU lacks is a hole, too', () => {
  const midnight = (days: number) => MIDNIGHT + days * DAY_MS;
  const reached = (stamps: number[]) => reachedBy({ stamps, periodSeconds: 0 }, { profile: 'daily', from: midnight(0), to: NOW }, zone);
  expect(reached([midnight(0), midnight(1)])).toEqual({ through: midnight(1), next: midnight(2) });
  expect(reached([midnight(0), midnight(2)])).toEqual({ through: midnight(0), next: midnight(1) });
});
