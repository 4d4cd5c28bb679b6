import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitLoss } from './split-loss.ts';

const KNOWN = { supplyKwh: 1000, lossKwh: 150, unmeteredDevices: 0, meanKwh: 10, suspectedKwh: 0, usualPercent: 3, normalPercent: 7 };

test('a loss without evidence is technical as far as it is normal; the rest is unexplained', () => {
  expect(splitLoss(KNOWN)).toEqual({ suspectedKwh: 0, unmeteredKwh: 0, technicalKwh: 70, unexplainedKwh: 80 });
});

test('evidence precedes what is normal, but not what is always lost', () => {
  expect(splitLoss({ ...KNOWN, suspectedKwh: 60, unmeteredDevices: 3 })).toEqual({
    suspectedKwh: 60,
    unmeteredKwh: 30,
    technicalKwh: 60,
    unexplainedKwh: 0,
  });
});

test('a loss that lines and windings always have is no theft', () => {
  expect(splitLoss({ ...KNOWN, lossKwh: 31, suspectedKwh: 60 })).toEqual({
    suspectedKwh: 1,
    unmeteredKwh: 0,
    technicalKwh: 30,
    unexplainedKwh: 0,
  });
});

test('devices without a known mean consumption are evidence without energy', () => {
  expect(splitLoss({ ...KNOWN, unmeteredDevices: 3, meanKwh: null }).unmeteredKwh).toBe(0);
});

test('a negative loss has no parts', () => {
  expect(splitLoss({ ...KNOWN, lossKwh: -20, suspectedKwh: 5 })).toEqual({
    suspectedKwh: 0,
    unmeteredKwh: 0,
    technicalKwh: 0,
    unexplainedKwh: 0,
  });
});

test('the parts add up to the loss, and none is negative', () => {
  const kwh = fc.double({ min: -1e4, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(
      kwh,
      kwh,
      fc.nat(50),
      fc.option(fc.double({ min: -10, max: 1e4, noNaN: true })),
      kwh,
      (supplyKwh, lossKwh, unmeteredDevices, meanKwh, suspectedKwh) => {
        const parts = Object.values(
          splitLoss({ supplyKwh, lossKwh, unmeteredDevices, meanKwh, suspectedKwh, usualPercent: 3, normalPercent: 7 }),
        );
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        expect(parts.reduce((sum, part) => sum + part, 0)).toBeCloseTo(Math.max(0, lossKwh), 3);
      },
    ),
  );
});
