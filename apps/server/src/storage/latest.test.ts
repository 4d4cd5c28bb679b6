import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { expect, test } from 'vitest';
import { P_AVG_PLUS_CHANNEL, U1_CHANNEL } from './channels.ts';
import { DAY_MS, type DayRow } from './day-rows.ts';
import { countValues, LatestBatch } from './latest.ts';

const DAY = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

/** Hourly captures of a day; power and voltage are the number of the slot, with and without 230,000. */
const rowOf = (profile: DayRow['profile'], leadSeconds = 0, values: Partial<DayRow> = {}): DayRow => {
  const channels: (Float64Array | undefined)[] = CHANNELS.map(() => undefined);
  channels[P_AVG_PLUS_CHANNEL] = Float64Array.from({ length: 24 }, (_, slot) => slot);
  channels[U1_CHANNEL] = Float64Array.from({ length: 24 }, (_, slot) => 230_000 + slot);
  return { meterId: '7', profile, leadSeconds, periodSeconds: 3_600, channels, ...values } as DayRow; // as: nothing else is read
};
const latestOf = (fill: (batch: LatestBatch) => void) => {
  const batch = new LatestBatch();
  fill(batch);
  return batch.meters.get('7');
};

test('the newest capture of a load profile gives the power, in any order of arrival', () => {
  const latest = latestOf((batch) => {
    batch.addProfile(rowOf('lpa'), DAY + 5 * HOUR_MS, DAY);
    batch.addProfile(rowOf('lpa'), DAY + 7 * HOUR_MS, DAY);
    batch.addProfile(rowOf('lpa'), DAY + 6 * HOUR_MS, DAY);
  });
  expect(latest).toEqual({ values: {}, lpaStamp: DAY + 7 * HOUR_MS, pAvgPlusW: 7 });
});

test('a capture that arrives again replaces the value, and one without value has none', () => {
  const without = rowOf('lpa');
  without.channels[P_AVG_PLUS_CHANNEL] = new Float64Array(24).fill(Number.NaN);
  const latest = latestOf((batch) => {
    batch.addProfile(rowOf('lpa'), DAY + 5 * HOUR_MS, DAY);
    batch.addProfile(without, DAY + 5 * HOUR_MS, DAY);
  });
  expect(latest).toMatchObject({ lpaStamp: DAY + 5 * HOUR_MS, pAvgPlusW: undefined });
  without.channels[P_AVG_PLUS_CHANNEL] = undefined;
  expect(latestOf((batch) => batch.addProfile(without, DAY, DAY))?.pAvgPlusW).toBeUndefined();
});

test('the slot of a capture counts from the lead of its day', () => {
  const stamp = DAY + 900_000 + 3 * HOUR_MS;
  expect(latestOf((batch) => batch.addProfile(rowOf('lpa', 900), stamp, DAY))?.pAvgPlusW).toBe(3);
});

test('only captures of the last day replace the voltage, and only those of the profile with instantaneous values', () => {
  const now = DAY + 3 * DAY_MS;
  const voltageAt = (profile: DayRow['profile'], stamp: number) => latestOf((batch) => batch.addProfile(rowOf(profile), stamp, now));
  expect(voltageAt('lpb', now - DAY_MS + HOUR_MS)).toEqual({ values: {}, u1Stamp: now - DAY_MS + HOUR_MS, u1Mv: 230_001 });
  expect(voltageAt('lpb', now - DAY_MS)).toEqual({ values: {} });
  expect(voltageAt('energy', now)).toEqual({ values: {} });
  const latest = latestOf((batch) => {
    batch.addProfile(rowOf('lpb'), now - HOUR_MS, now);
    batch.addProfile(rowOf('lpb'), now - 2 * HOUR_MS, now);
    batch.addProfile(rowOf('lpb'), now - HOUR_MS, now);
  });
  expect(latest).toMatchObject({ u1Mv: 230_023 });
});

test('the newest freeze gives the registers; one of the same day replaces them', () => {
  const latest = latestOf((batch) => {
    batch.addDaily('7', 20_000, [10, 20, 30]);
    batch.addDaily('7', 19_999, [1, 2, 3]);
    batch.addDaily('7', 20_000, [11, Number.NaN]);
  });
  expect(latest).toEqual({ values: {}, freezeDay: 20_000, ePlusTenthWh: 11, eMinusTenthWh: undefined });
});

test('meters have separate newest values', () => {
  const batch = new LatestBatch();
  batch.addDaily('1', 20_000, [1, 1]);
  batch.addDaily('2', 20_001, [2, 2]);
  expect(batch.entryOf('1')).toMatchObject({ freezeDay: 20_000, ePlusTenthWh: 1 });
  expect([...batch.meters.keys()]).toEqual(['1', '2']);
});

test('a row counts one value for each captured slot and channel', () => {
  expect(countValues(rowOf('lpa', 0, { present: 24 }))).toBe(48);
  expect(countValues(rowOf('lpa', 0, { present: 0 }))).toBe(0);
});
