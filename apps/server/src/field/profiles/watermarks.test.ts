import { Zone } from '@hes/contract/schedule/zone.ts';
import { expect, test, vi } from 'vitest';
import type { MeterDevice } from '../devices.ts';
import { advanceByPush, advanceWhenStored, nextCapture } from './watermarks.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Summer time begins at 2 on 29 March and ends at 3 on 25 October 2026. */
const zone = new Zone('Europe/Berlin');
const AT = Date.UTC(2026, 5, 1, 10);

const deviceAt = (marks: Record<string, number>) =>
  ({ periodSeconds: { lpa: 900, lpb: 3_600 }, watermarks: marks }) as unknown as MeterDevice; // as: nothing else is read
const next = (profile: Parameters<typeof nextCapture>[0], through: number) => nextCapture(profile, through, deviceAt({}), zone);

test('the next capture is one period of the profile later', () => {
  expect(next('lpa', AT)).toBe(AT + QUARTER_MS);
  expect(next('lpb', AT)).toBe(AT + HOUR_MS);
  expect(next('energy', AT)).toBe(AT + HOUR_MS);
});

test('after a watermark between minutes the next capture is the next slot of the local day', () => {
  expect(next('lpa', AT - 1_000)).toBe(AT);
  expect(next('lpa', AT + 1_000)).toBe(AT + QUARTER_MS);
  expect(next('lpb', AT + QUARTER_MS + 59_000)).toBe(AT + HOUR_MS);
});

test('daily freezes are due at local midnights and monthly ones at month ends, also when the clocks change', () => {
  const midnight = Date.UTC(2026, 2, 28, 23);
  expect(next('daily', midnight)).toBe(midnight + DAY_MS - HOUR_MS);
  expect(next('daily', midnight - 1)).toBe(midnight);
  expect(next('monthly', Date.UTC(2026, 2, 10))).toBe(Date.UTC(2026, 2, 31, 22));
  expect(next('monthly', Date.UTC(2026, 2, 31, 22))).toBe(Date.UTC(2026, 3, 30, 22));
});

function pushed(through: number | undefined, ...stamps: number[]): number | undefined {
  const device = deviceAt(through === undefined ? {} : { 'through:lpa': through });
  const setWatermark = vi.fn();
  advanceByPush({ devices: { setWatermark }, zone }, device, 'lpa', Float64Array.from(stamps));
  const calls: unknown[][] = setWatermark.mock.calls;
  expect(calls.length).toBeLessThanOrEqual(1);
  if (calls[0] !== undefined) expect(calls[0].slice(0, 2)).toEqual([device, 'through:lpa']);
  return calls[0]?.[2] as number | undefined; // as: the new watermark
}

test('pushed rows advance the watermark as far as they continue it, in any order', () => {
  expect(pushed(AT, AT + QUARTER_MS)).toBe(AT + QUARTER_MS);
  expect(pushed(AT, AT + 2 * QUARTER_MS, AT + QUARTER_MS)).toBe(AT + 2 * QUARTER_MS);
  expect(pushed(AT, AT - QUARTER_MS, AT, AT + QUARTER_MS)).toBe(AT + QUARTER_MS);
});

test('pushed rows behind a gap, or none after the watermark, leave it', () => {
  expect(pushed(AT, AT + 2 * QUARTER_MS)).toBeUndefined();
  expect(pushed(AT, AT + QUARTER_MS, AT + 3 * QUARTER_MS)).toBe(AT + QUARTER_MS);
  expect(pushed(AT, AT - QUARTER_MS, AT)).toBeUndefined();
  expect(pushed(AT, Number.NaN)).toBeUndefined();
  expect(pushed(undefined, AT + QUARTER_MS)).toBeUndefined();
});

test('a row stamped within the next slot continues the watermark: the clock of the meter was set', () => {
  expect(pushed(AT, AT + QUARTER_MS + 60_000)).toBe(AT + QUARTER_MS + 60_000);
  expect(pushed(AT, AT + 2 * QUARTER_MS - 1)).toBe(AT + 2 * QUARTER_MS - 1);
});

test('the watermark of a read advances after the commit of all its rows, and not if one failed', async () => {
  const setWatermark = vi.fn();
  const advance = (through: number | undefined, stored: Promise<unknown>[]) =>
    advanceWhenStored({ devices: { setWatermark } }, deviceAt({}), 'daily', through, stored);
  const { promise, resolve } = Promise.withResolvers<void>();
  advance(AT, [promise, Promise.resolve()]);
  advance(undefined, []);
  const failing = Promise.reject(new Error('full disk'));
  advance(AT + 1, [Promise.resolve(), failing]);
  await failing.catch(() => undefined);
  await new Promise((settled) => setImmediate(settled));
  expect(setWatermark).not.toHaveBeenCalled();
  resolve();
  await vi.waitFor(() => expect(setWatermark.mock.calls.map((call: unknown[]) => call.slice(1))).toEqual([['through:daily', AT]]));
  advance(AT + 2, []);
  await vi.waitFor(() => expect(setWatermark).toHaveBeenCalledTimes(2));
});
