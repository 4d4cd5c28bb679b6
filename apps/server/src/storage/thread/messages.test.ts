import { expect, test } from 'vitest';
import type { ProfileReading } from '../day-rows.ts';
import { packReading, unpackReading } from './messages.ts';

const reading: ProfileReading = {
  meterId: '7',
  dcuId: '1',
  profile: 'lpa',
  periodSeconds: 900,
  stamps: Float64Array.of(1, 2, Number.NaN),
  status: Float64Array.of(0, 8, 0),
  channels: [undefined, Float64Array.of(10, Number.NaN, 30), undefined, Float64Array.of(4, 5, 6)],
  readAt: 99,
  source: 'meter',
  traceId: 'b7b8',
};

test.each([
  ['with status words', reading],
  ['without status words', { ...reading, status: undefined }],
  ['without captures', { ...reading, stamps: new Float64Array(0), status: undefined, channels: [undefined] }],
])('a reading %s is the same after it changed hands', (_, one) => {
  expect(unpackReading(structuredClone(packReading(one)))).toEqual(one);
});
