import { expect, test } from 'vitest';
import { packFrames, unpackFrames, type KeptFrame } from './frames.ts';

const bytes = (...values: number[]) => Buffer.from(values);
const FRAMES: KeptFrame[] = [
  { at: 1_700_000_000_123, direction: 'down', octets: bytes(0, 1, 2), plain: bytes(0xc0) },
  { at: 1_700_000_000_456.5, direction: 'up', octets: bytes(9), plain: undefined },
  { at: 0, direction: 'up', octets: bytes(), plain: bytes() },
];

test('frames come back as they were kept, with and without a plain text', () => {
  expect(unpackFrames(packFrames(FRAMES))).toEqual(FRAMES);
  expect(unpackFrames(packFrames([]))).toEqual([]);
});

test('a stored value that was cut, or is of another version, is refused', () => {
  const packed = packFrames(FRAMES);
  for (let end = 2; end < packed.length; end++) {
    const cut = packed.subarray(0, end);
    try {
      expect(unpackFrames(cut).length).toBeLessThan(FRAMES.length);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
  }
  expect(() => unpackFrames(bytes(2))).toThrow(RangeError);
});
