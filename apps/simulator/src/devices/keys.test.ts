import { expect, test } from 'vitest';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { drawTestFleet } from '#world/draw-fleet.ts';
import { keysOf, titleOfDcu, titleOfMeter, wrongKeysOf } from './keys.ts';

const plan = drawTestFleet(1);

test('no two devices share a key or a title', () => {
  const devices = [...plan.meters, ...plan.dcus];
  const keys = devices.flatMap(({ sn }) => Object.values(keysOf(1, sn)).map(toHex));
  expect(new Set(keys).size).toBe(2 * devices.length);
  const titles = [...plan.meters.map(titleOfMeter), ...plan.dcus.map(titleOfDcu)].map(toHex);
  expect(new Set(titles).size).toBe(devices.length);
  expect(titles.every((title) => /^484553[0-9A-F]{10}$/.test(title))).toBe(true);
});

test('keys are deterministic, and differ by seed and from the wrong ones', () => {
  expect(keysOf(1, '260100010001')).toEqual(keysOf(1, '260100010001'));
  expect(keysOf(2, '260100010001')).not.toEqual(keysOf(1, '260100010001'));
  expect(wrongKeysOf(1, '260100010001')).not.toEqual(keysOf(1, '260100010001'));
});
