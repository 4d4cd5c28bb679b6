import { failed, ok } from '@hes/contract/core/outcome.ts';
import { changeLine } from '@hes/contract/states/field-event.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Devices, MeterDevice } from '../devices.ts';
import type { DeviceLink, ReadOutcome } from '../link.ts';
import { MeterMetadata } from '../meter-metadata.ts';
import {
  formerScalingOf,
  hasScaler,
  missingScalers,
  refreshScalers,
  rememberFormerScaling,
  scaleValue,
  scalingOf,
  updateScaler,
} from './scalers.ts';

const NOW = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;
const [WH, VAH] = [30, 31];
const ENERGY = { classId: 3, instance: obis('1.0.1.8.0.255') };
const DEMAND = { classId: 5, instance: obis('1.0.1.4.0.255') };
const TEXT = { classId: 1, instance: obis('0.0.96.1.0.255') };
const KEY = 'scaler:3/1.0.1.8.0.255';

let device: MeterDevice;
const devices = {
  setMetadata(of: MeterDevice, key: string, value: unknown) {
    of.metadata = new MeterMetadata(of.metadata.serializeWith(key, value));
  },
  setWatermark: (of: MeterDevice, key: string, at: number) => void (of.watermarks[key] = at),
} as unknown as Devices; // as: no other members are used
const deviceWith = (cached: object = {}) =>
  ({ metadata: new MeterMetadata(JSON.stringify(cached)), watermarks: {}, scalersCheckedAt: new Map() }) as unknown as MeterDevice; // as: nothing else is read
beforeEach(() => void (device = deviceWith()));

/** The response to a read of scaler and unit: a structure of an integer and an enumeration. */
const read = (scaler: number, unit: number): ReadOutcome => ok(Buffer.from([0x02, 0x02, 0x0f, scaler & 0xff, 0x16, unit]));
const update = (response: ReadOutcome | undefined, now = NOW) => updateScaler(device, devices, { object: ENERGY, read: response, now });
const former = () => formerScalingOf(device, ENERGY);

test('registers of all kinds have a scaler, and other objects have none', () => {
  expect([1, 3, 4, 5, 7].map((classId) => hasScaler({ classId }))).toEqual([false, true, true, true, false]);
});

test('a cached scaler is known, and one that the meter lacks is not', () => {
  expect(scalingOf(device.metadata, ENERGY)).toBeUndefined();
  expect(scalingOf(deviceWith({ [KEY]: { scaler: null } }).metadata, ENERGY)).toBeUndefined();
  expect(scalingOf(deviceWith({ [KEY]: { scaler: 0, unit: WH } }).metadata, ENERGY)).toEqual({ scaler: 0, unit: WH });
});

test('scalers that are not cached are missing, also those of maximum demand', () => {
  const { metadata } = deviceWith({ [KEY]: { scaler: null } });
  const missing = missingScalers(metadata, [ENERGY, DEMAND, TEXT]);
  expect([...missing]).toEqual([['scaler:5/1.0.1.4.0.255', { ...DEMAND, attributeId: 4 }]]);
});

test('the first scaler of an object is cached without a change', () => {
  expect(update(read(-1, WH))).toEqual([]);
  expect([scalingOf(device.metadata, ENERGY), former()]).toEqual([{ scaler: -1, unit: WH }, undefined]);
  expect(device.scalersCheckedAt.get(KEY)).toBe(NOW);
});

test('a scaler that is read again is no change', () => {
  update(read(1, WH));
  expect(update(read(1, WH), NOW + 1)).toEqual([]);
  expect([former(), device.scalersCheckedAt.get(KEY)]).toEqual([undefined, NOW + 1]);
});

test.each([
  ['scaler', 0, WH, [changeLine('scaler', ENERGY.instance, '1', '0')]],
  ['unit', 1, VAH, [changeLine('unit', ENERGY.instance, 'Wh', 'VAh')]],
  ['scaler and unit', 0, VAH, [changeLine('scaler', ENERGY.instance, '1', '0'), changeLine('unit', ENERGY.instance, 'Wh', 'VAh')]],
])('a changed %s is reported, and the former scaling is kept with the time', (_what, scaler, unit, lines) => {
  update(read(1, WH));
  expect(update(read(scaler, unit), NOW + 7)).toEqual(lines);
  expect(scalingOf(device.metadata, ENERGY)).toMatchObject({ scaler, unit });
  expect(former()).toEqual({ noticedAt: NOW + 7, scaling: { scaler: 1, unit: WH } });
  update(read(scaler, unit), NOW + 9);
  expect(former(), 'the next read keeps it').toEqual({ noticedAt: NOW + 7, scaling: { scaler: 1, unit: WH } });
});

test.each(['OBJECT_UNDEFINED', 'ACCESS_DENIED'] as const)(
  'a scaler that is refused by %s counts as none, and one that comes back is compared with the last one',
  (reason) => {
    update(read(1, WH));
    const gone = [changeLine('scaler', ENERGY.instance, '1', '—'), changeLine('unit', ENERGY.instance, 'Wh', '—')];
    expect(update(failed(reason), NOW + 1)).toEqual(gone);
    expect([scalingOf(device.metadata, ENERGY), former()]).toEqual([undefined, undefined]);
    expect(device.metadata.get(KEY)).toEqual({ scaler: null, former: { scaler: 1, unit: WH } });
    update(failed(reason), NOW + 2);
    update(read(0, WH), NOW + 3);
    expect(former()).toEqual({ noticedAt: NOW + 3, scaling: { scaler: 1, unit: WH } });
  },
);

test('a scaler that was never there is none, without a change', () => {
  expect(update(failed('OBJECT_UNDEFINED'))).toEqual([]);
  expect(device.metadata.get(KEY)).toEqual({ scaler: null });
});

test('a response that fails for another reason, and none, change nothing', () => {
  update(read(1, WH));
  for (const response of [failed('METER_TIMEOUT'), undefined]) expect(update(response, NOW + 1)).toEqual([]);
  expect([scalingOf(device.metadata, ENERGY)?.scaler, device.scalersCheckedAt.get(KEY)]).toEqual([1, NOW]);
});

test('scalers are read in one request when they were not compared for a day', async () => {
  const getList = vi.fn((refs: readonly unknown[]) => Promise.resolve(ok(refs.map(() => read(2, WH)))));
  const link = { getList } as unknown as DeviceLink; // as: nothing else is called
  const refresh = (now: number) => refreshScalers(link, device, devices, { objects: [ENERGY, TEXT, DEMAND], now });
  expect(await refresh(NOW)).toEqual(ok([]));
  expect(getList.mock.calls).toEqual([
    [
      [
        { ...ENERGY, attributeId: 3 },
        { ...DEMAND, attributeId: 4 },
      ],
    ],
  ]);
  expect([ENERGY, DEMAND].map((object) => scalingOf(device.metadata, object)?.scaler)).toEqual([2, 2]);
  expect(await refresh(NOW + DAY_MS - 1)).toEqual(ok([]));
  expect(getList).toHaveBeenCalledTimes(1);
  getList.mockImplementation((refs) => Promise.resolve(ok(refs.map(() => read(3, WH)))));
  expect(await refresh(NOW + DAY_MS)).toEqual(ok([ENERGY, DEMAND].map(({ instance }) => changeLine('scaler', instance, '2', '3'))));
  getList.mockImplementation(() => Promise.resolve(failed('METER_TIMEOUT')) as never); // as: the failure of a request
  expect(await refresh(NOW + 3 * DAY_MS)).toEqual(failed('METER_TIMEOUT'));
});

test('a former scaling that rows reveal is cached only beside a present one', () => {
  rememberFormerScaling(device, devices, { object: ENERGY, power: 3, now: NOW });
  expect([device.metadata.has(KEY), former()]).toEqual([false, undefined]);
  update(read(-1, WH));
  rememberFormerScaling(device, devices, { object: ENERGY, power: 3, now: NOW + 5 });
  expect(scalingOf(device.metadata, ENERGY)).toMatchObject({ scaler: -1, unit: WH });
  expect(former()).toEqual({ noticedAt: NOW + 5, scaling: { scaler: 2, unit: WH } });
});

test('values are scaled in decimal', () => {
  expect([scaleValue(2301, -1), scaleValue(7n, 0), scaleValue(7n, 3), scaleValue(-5, -2)]).toEqual([230.1, 7, 7_000, -0.05]);
});
