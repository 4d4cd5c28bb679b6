import { expect, test } from 'vitest';
import type { ProfileReading } from '../day-rows.ts';
import { packFrames, type KeptFrame } from '../frames.ts';
import { TransferBatch, unpackReading, unpackTrace } from './messages.ts';

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
])('a reading %s is unchanged after its transfer', (_, one) => {
  const batch = new TransferBatch();
  batch.packReading(reading);
  const packed = batch.packReading(one);
  const { numbers } = structuredClone(batch.toMessage(0));
  expect(unpackReading(packed, numbers)).toEqual(one);
});

test('a batch larger than the initial buffers is transferred completely', () => {
  const batch = new TransferBatch();
  const many = Array.from({ length: 600 }, (_, i) => ({ ...reading, stamps: Float64Array.of(i, i, i) }));
  const packed = many.map((one) => batch.packReading(one));
  const row = { id: 'a', dcuId: '1', meterId: null, sessionId: null, begunAt: 0, durationMs: 1, bytes: 1 };
  const exchanges = Array.from({ length: 3 }, (_, i): KeptFrame[] => [
    { at: i, direction: 'up', octets: new Uint8Array(40_000).fill(i), plain: undefined },
  ]);
  for (const frames of exchanges) batch.addTrace({ ...row, frames, opener: undefined });
  const { numbers, octets, traces } = structuredClone(batch.toMessage(0));
  expect(packed.map((one) => unpackReading(one, numbers))).toEqual(many);
  expect(traces.map((trace) => Buffer.from(unpackTrace(trace, octets).frames))).toEqual(exchanges.map((frames) => packFrames(frames)));
});
