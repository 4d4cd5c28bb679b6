import { obis } from '@hes/dlms/cosem/obis.ts';
import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { scalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import { expect, test } from 'vitest';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink, ReadOutcome } from '../link.ts';
import { MeterMetadata } from '../meter-metadata.ts';
import { checkedKeyOf, isTrusted, layoutOf, refreshLayout, type Column, type Layout } from './profile-layout.ts';

const HOUR_MS = 3_600_000;
const READ_AT = Date.parse('2026-11-25T08:00:00Z');
const LPA = obis('1.0.99.1.0.255');

const isTrustedAt = (now: number, watermarks: Record<string, number> = { [checkedKeyOf(LPA)]: READ_AT }) =>
  isTrusted({ watermarks } as MeterDevice, { instance: LPA, now }); // as: the function uses nothing else

test('a capture list is trusted for a day after its read', () => {
  expect(isTrustedAt(READ_AT)).toBe(true);
  expect(isTrustedAt(READ_AT + 24 * HOUR_MS - 1)).toBe(true);
  expect(isTrustedAt(READ_AT + 24 * HOUR_MS)).toBe(false);
});

test('a capture list that was never read is not trusted, nor is that of another profile', () => {
  expect(isTrustedAt(READ_AT, {})).toBe(false);
  expect(isTrustedAt(READ_AT, { [checkedKeyOf(obis('1.0.99.2.0.255'))]: READ_AT })).toBe(false);
});

const WATT_HOUR = 30;
const CLOCK: Column = { classId: 8, instance: obis('0.0.1.0.0.255'), attributeId: 2, dataIndex: 0 };
const E_PLUS: Column = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2, dataIndex: 0 };
const E_MINUS: Column = { ...E_PLUS, instance: obis('1.0.2.8.0.255') };

/** A meter whose metadata is changed as the cache of devices changes it. */
function meterWith(metadata: Record<string, unknown> = {}) {
  const device = {
    metadata: new MeterMetadata(JSON.stringify(metadata)),
    watermarks: {},
    metadataLosses: 0,
    scalersCheckedAt: new Map(),
  } as unknown as MeterDevice; // as: nothing else is read
  const rechecked: MeterDevice[] = [];
  const devices = {
    setMetadata: (one: MeterDevice, key: string, value: unknown) =>
      (one.metadata = new MeterMetadata(one.metadata.serializeWith(key, value))),
    setWatermark: (one: MeterDevice, key: string, at: number) => (one.watermarks[key] = at),
    requireRecheck: (one: MeterDevice) => rechecked.push(one),
  } as unknown as Devices; // as: nothing else is called
  return { device, devices, rechecked };
}

/** A link that returns these lists, one for each request. */
function linkWith(...answers: Outcome<ReadOutcome[]>[]) {
  const asked: number[] = [];
  const getList = (refs: unknown[]) => {
    asked.push(refs.length);
    return Promise.resolve(answers.shift() ?? failed('METER_TIMEOUT'));
  };
  return { link: { getList } as unknown as DeviceLink, asked }; // as: nothing else is called
}
const { captureObjects, capturePeriod, profileEntries } = profileGeneric.attributes;
const answered = (columns: Column[], periodSeconds: number, ...scalings: ReadOutcome[]): Outcome<ReadOutcome[]> =>
  ok([
    ok(encode(captureObjects.codec, columns)),
    ok(encode(capturePeriod.codec, periodSeconds)),
    ok(encode(profileEntries.codec, 1_000)),
    ...scalings,
  ]);
const scalingOf = (scaler: number): ReadOutcome => ok(encode(scalerUnit, { scaler, unit: WATT_HOUR }));
const ORDER = { instance: LPA, now: READ_AT, name: 'LPA' };

test('a first layout is read with its scalers, and cached with the time of the comparison', async () => {
  const { device, devices, rechecked } = meterWith();
  const { link, asked } = linkWith(answered([CLOCK, E_PLUS], 900), ok([scalingOf(1)]));
  const layout: Layout = { columns: [CLOCK, E_PLUS], periodSeconds: 900, entries: 1_000 };
  expect(await refreshLayout(link, device, devices, ORDER)).toEqual(ok({ layout, changes: [] }));
  expect(asked).toEqual([3, 1]);
  expect(layoutOf(device, LPA)).toEqual(layout);
  expect(isTrusted(device, ORDER)).toBe(true);
  expect(rechecked).toEqual([]);
});

test('a layout without its scalers is not cached', async () => {
  const { device, devices } = meterWith();
  expect(await refreshLayout(linkWith(answered([CLOCK, E_PLUS], 900)).link, device, devices, ORDER)).toEqual(failed('METER_TIMEOUT'));
  expect([layoutOf(device, LPA), isTrusted(device, ORDER)]).toEqual([undefined, false]);
});

test('a refused or malformed capture list fails with its reason; a refused period counts as unknown', async () => {
  const { device, devices } = meterWith();
  const refresh = (...answers: Outcome<ReadOutcome[]>[]) => refreshLayout(linkWith(...answers).link, device, devices, ORDER);
  expect(await refresh(ok([failed('ACCESS_DENIED'), ok(encode(capturePeriod.codec, 900))]))).toEqual(failed('ACCESS_DENIED'));
  expect(await refresh(ok([]))).toEqual(failed('BAD_ANSWER'));
  expect(await refresh(failed('LINK_LOST'))).toEqual(failed('LINK_LOST'));
  expect(await refresh(ok([ok(Uint8Array.of(1, 5))]))).toMatchObject({ ok: false });
  expect(layoutOf(device, LPA)).toBeUndefined();
  const unknown = await refresh(ok([ok(encode(captureObjects.codec, [CLOCK])), failed('ACCESS_DENIED'), failed('OBJECT_UNDEFINED')]));
  expect(unknown).toEqual(ok({ layout: { columns: [CLOCK], periodSeconds: 0, entries: undefined }, changes: [] }));
});

test('changes of columns, period and scaler are reported, and former periods are kept, the newest first', async () => {
  const known: Layout = { columns: [CLOCK, E_PLUS], periodSeconds: 3_600, formerPeriods: [1_800, 900, 300, 600, 60] };
  const { device, devices, rechecked } = meterWith({
    [`profile:${LPA}`]: known,
    [`scaler:3/${E_PLUS.instance}`]: { scaler: 0, unit: WATT_HOUR },
  });
  const { link, asked } = linkWith(answered([CLOCK, E_MINUS], 900, scalingOf(1)), ok([scalingOf(0)]));
  const refreshed = await refreshLayout(link, device, devices, ORDER);
  expect(asked).toEqual([4, 1]);
  expect(refreshed).toMatchObject({
    value: {
      layout: { columns: [CLOCK, E_MINUS], periodSeconds: 900, formerPeriods: [3_600, 1_800, 300, 600] },
      changes: [
        'layout LPA: 0.0.1.0.0.255/2, 1.0.1.8.0.255/2 → 0.0.1.0.0.255/2, 1.0.2.8.0.255/2',
        'period LPA: 3600 s → 900 s',
        'scaler 1.0.1.8.0.255: 0 → 1',
      ],
    },
  });
  expect(rechecked).toEqual([device]);
  const again = linkWith(answered([CLOCK, E_MINUS], 900, scalingOf(0)));
  expect(await refreshLayout(again.link, device, devices, ORDER)).toMatchObject({ value: { changes: [] } });
  expect([again.asked, rechecked.length]).toEqual([[4], 1]);
});
