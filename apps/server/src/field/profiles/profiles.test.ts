import { failed, ok } from '@hes/contract/core/outcome.ts';
import type { CountedProfile } from '@hes/contract/reading/reading.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { expect, test } from 'vitest';
import type { MeterDevice } from '../devices.ts';
import { NO_METADATA } from '../meter-metadata.ts';
import { STANDARD_OBJECTS } from '../object-map.ts';
import type { OperationTools } from '../operations/operation-tools.ts';
import { instanceOf, partsOf, profileAt, rangeResult, storeRows } from './profiles.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const AT = Date.UTC(2026, 0, 1);

test('a range is read in parts of some days, which neither overlap nor leave out a second', () => {
  expect(partsOf('lpa', AT, AT + 5 * DAY_MS)).toEqual([
    { from: AT, to: AT + 2 * DAY_MS - 1_000 },
    { from: AT + 2 * DAY_MS, to: AT + 4 * DAY_MS - 1_000 },
    { from: AT + 4 * DAY_MS, to: AT + 5 * DAY_MS },
  ]);
  expect(partsOf('lpb', AT, AT)).toEqual([{ from: AT, to: AT }]);
  expect(partsOf('daily', AT, AT + 31 * DAY_MS - 1_000)).toHaveLength(1);
  expect(partsOf('daily', AT, AT + 31 * DAY_MS)).toHaveLength(2);
  expect(partsOf('energy', AT, AT + 14 * DAY_MS - 1_000)).toHaveLength(2);
  expect(partsOf('monthly', AT, AT + 399 * DAY_MS)).toHaveLength(1);
  expect(partsOf('lpa', AT + 1, AT)).toEqual([]);
});

test('a profile is found by its logical name, and a logical name of another object is no profile', () => {
  for (const profile of ['daily', 'monthly', 'energy', 'lpa', 'lpb'] as const)
    expect(profileAt(instanceOf(profile), STANDARD_OBJECTS)).toBe(profile);
  expect(profileAt(obis('1.0.1.8.0.255'), STANDARD_OBJECTS)).toBeUndefined();
});

test('an order for a range without rows fails', () => {
  expect(rangeResult({ rows: 0, newest: undefined })).toEqual(failed('NO_DATA'));
  expect(rangeResult({ rows: 3, newest: AT })).toEqual(ok({ rows: 3 }));
});

interface Stored {
  kind: 'profile' | 'daily';
  value: unknown;
  urgent: boolean;
}

/** Passes rows with these times to the writer; returns what the writer received. */
function stored(
  profile: CountedProfile,
  stamps: readonly number[],
  { periodSeconds = 3_600, formerPeriods = [] as number[], source = {} } = {},
) {
  const calls: Stored[] = [];
  const record =
    (kind: Stored['kind']) =>
    (value: unknown, urgent: boolean): Promise<void> => {
      calls.push({ kind, value, urgent });
      return Promise.resolve();
    };
  const tools = {
    writer: { storeProfile: record('profile'), storeDaily: record('daily') },
    zone: new Zone('Asia/Shanghai'),
  } as unknown as Pick<OperationTools, 'writer' | 'zone'>; // as: storeRows calls nothing else
  const device = { id: '7', metadata: NO_METADATA, periodSeconds: { lpa: 900, lpb: 1_800 } } as unknown as MeterDevice; // as: nothing else is read
  const data = {
    rows: stamps.length,
    clock: Float64Array.from(stamps),
    clockStatus: new Uint8Array(stamps.length),
    values: [],
    inferred: false,
  };
  const origin = { device, dcuId: '3', traceId: 't', now: AT + DAY_MS, urgent: true, taskId: '9', ...source };
  void storeRows(tools, origin, profile, { columns: [], periodSeconds, formerPeriods, entries: undefined, data });
  expect(calls).toHaveLength(1);
  return calls[0] as Stored; // as: there is one
}
const periodOf = (
  stamps: readonly number[],
  layout: { periodSeconds?: number; formerPeriods?: number[] } = {},
  profile: CountedProfile = 'lpa',
) => (stored(profile, stamps, layout).value as { periodSeconds: number }).periodSeconds; // as: of a profile
const at = (...minutes: number[]) => minutes.map((minute) => AT + minute * MINUTE_MS);

test('rows of a load profile are stored with their origin', () => {
  expect(stored('lpa', at(0, 60))).toMatchObject({
    kind: 'profile',
    urgent: true,
    value: {
      meterId: '7',
      dcuId: '3',
      profile: 'lpa',
      periodSeconds: 3_600,
      stamps: Float64Array.from(at(0, 60)),
      readAt: AT + DAY_MS,
      source: 'meter',
      traceId: 't',
      taskId: '9',
    },
  });
  expect(stored('lpa', at(0), { source: { source: 'push', urgent: false } })).toMatchObject({ urgent: false, value: { source: 'push' } });
});

test('the period is that of the layout, else that of the meter type', () => {
  expect(periodOf(at(0, 60))).toBe(3_600);
  expect([periodOf(at(0, 60), { periodSeconds: 0 }), periodOf(at(0, 60), { periodSeconds: 0 }, 'lpb')]).toEqual([900, 1_800]);
  expect(periodOf(at(0, 60), { periodSeconds: 0 }, 'energy')).toBe(3_600);
});

test('rows off the present grid have the longest former period that contains one of them', () => {
  expect(periodOf(at(0, 15), { formerPeriods: [900] })).toBe(900);
  expect(periodOf(at(0, 30), { formerPeriods: [900, 1_800] })).toBe(1_800);
  expect(periodOf(at(0, 60, Number.NaN), { formerPeriods: [900] }), 'all rows are on the grid').toBe(3_600);
  expect(periodOf(at(0, 10), { formerPeriods: [7] }), 'no capture period').toBe(3_600);
  expect(periodOf(at(0, 20), { periodSeconds: 3_600, formerPeriods: [2_400] }), 'no part of the present one').toBe(3_600);
});

// Chaos, seed 6: the former period was lost with a connection, and its last capture replaced the one before.
test('without a former period, one row off the grid is enough for a common one, and two for a short one', () => {
  expect(periodOf(at(0, 15))).toBe(900);
  expect(periodOf(at(0, 15, 45))).toBe(900);
  expect(periodOf(at(60, 120), { periodSeconds: 7_200 })).toBe(3_600);
  expect(periodOf(at(10, 60))).toBe(3_600);
  expect(periodOf(at(0, 30, 90))).toBe(1_800);
  expect(periodOf(at(5, 10))).toBe(300);
  expect(periodOf(at(7, 8))).toBe(3_600);
});

test('all daily freezes are stored, and of monthly ones those at midnight', () => {
  const midnight = Date.UTC(2025, 11, 31, 16);
  const daysOf = (profile: CountedProfile) => (stored(profile, [midnight, midnight + MINUTE_MS]).value as unknown[]).length; // as: rows of freezes
  expect([daysOf('daily'), daysOf('monthly')]).toEqual([2, 1]);
  expect(stored('daily', [midnight])).toMatchObject({ kind: 'daily', urgent: true, value: [{ source: 'meter', taskId: '9', dcuId: '3' }] });
});
