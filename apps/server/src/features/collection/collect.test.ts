import { expect, test } from 'vitest';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { Devices, MeterDevice } from '#field/devices.ts';
import { advanceByPush } from '#field/profiles/watermarks.ts';
import { gapsOf, reachedBy } from './collect.ts';

const DAY_MS = 86_400_000;
const zone = new Zone('Asia/Shanghai');
/** Midnight in the time zone of the test. */
const MIDNIGHT = Date.parse('2026-11-18T16:00:00Z');
const NOW = MIDNIGHT + 3.5 * DAY_MS;

const gapFrom = (profile: 'lpa' | 'energy' | 'daily' | 'monthly', through: number) => {
  const device = { watermarks: { [`through:${profile}`]: through }, periodSeconds: { lpa: 900, lpb: 900 } };
  const order = { profiles: [profile], lookBackDays: 30, fromCache: false, cacheOnlyUntil: undefined };
  return gapsOf(device, order, NOW, zone)[0]?.from;
};

test.each(['lpa', 'energy', 'daily'] as const)(
  'the next request of %s starts with the capture right after the last requested second',
  (profile) => {
    expect(gapFrom(profile, MIDNIGHT - 1000)).toBe(MIDNIGHT);
  },
);

test.each([
  ['lpa', 900_000],
  ['energy', 3_600_000],
] as const)('the next request of %s starts one period after the last capture', (profile, periodMs) => {
  expect(gapFrom(profile, MIDNIGHT + 30 * 60_000)).toBe(MIDNIGHT + 30 * 60_000 + periodMs);
});

test('a capture with a late timestamp does not hide the next one', () => {
  expect(gapFrom('lpa', MIDNIGHT + 7000)).toBe(MIDNIGHT + 900_000);
});

test('after a month end the next request starts at the next one; without a watermark it looks back to the last one', () => {
  const first = (month: string) => Date.parse(`2026-${month}-01T00:00:00+08:00`);
  expect(gapFrom('monthly', first('10'))).toBe(first('11'));
  expect(gapFrom('monthly', first('11'))).toBeUndefined();
  expect(gapFrom('monthly', 0)).toBe(NOW - 0.5 * DAY_MS - 30 * DAY_MS);
});

/** The watermark after a push of these rows; undefined when it does not move. */
function readThrough(mark: number | undefined, stamps: number[]): number | undefined {
  const device = {
    watermarks: mark === undefined ? {} : { 'through:lpa': mark },
    periodSeconds: { lpa: 900, lpb: 900 },
  } as unknown as MeterDevice; // as: advanceByPush reads nothing else
  let through: number | undefined;
  const devices = { setWatermark: (_device: MeterDevice, _key: string, at: number) => (through = at) } as unknown as Devices; // as: advanceByPush calls nothing else
  advanceByPush({ devices, zone }, device, 'lpa', Float64Array.from(stamps));
  return through;
}

test('a push advances the watermark up to the first missing capture', () => {
  const nth = (quarter: number) => MIDNIGHT + quarter * 900_000;
  expect(readThrough(nth(0), [nth(2), nth(1)])).toBe(nth(2));
  expect(readThrough(nth(0), [nth(1), nth(3)])).toBe(nth(1));
  expect(readThrough(nth(0), [nth(2), nth(3)])).toBeUndefined();
  expect(readThrough(nth(2), [nth(1), nth(2)])).toBeUndefined();
  expect(readThrough(undefined, [nth(1)])).toBeUndefined();
});

test('cached rows advance the watermark to the first gap, and the meter is read from the gap on', () => {
  const nth = (quarter: number) => MIDNIGHT + quarter * 900_000;
  const reached = (stamps: number[]) => reachedBy({ stamps, periodSeconds: 900 }, { profile: 'lpa', from: nth(0), to: NOW }, zone);
  expect(reached([nth(0), nth(1), nth(2)])).toEqual({ through: nth(2), next: nth(3) });
  expect(reached([nth(0), nth(2)])).toEqual({ through: nth(0), next: nth(1) });
  expect(reached([nth(1)])).toEqual({ through: undefined, next: nth(0) });
});

test('a missing freeze in the cache is a gap, too', () => {
  const midnight = (days: number) => MIDNIGHT + days * DAY_MS;
  const reached = (stamps: number[]) => reachedBy({ stamps, periodSeconds: 0 }, { profile: 'daily', from: midnight(0), to: NOW }, zone);
  expect(reached([midnight(0), midnight(1)])).toEqual({ through: midnight(1), next: midnight(2) });
  expect(reached([midnight(0), midnight(2)])).toEqual({ through: midnight(0), next: midnight(1) });
});
