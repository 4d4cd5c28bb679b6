import { expect, test } from 'vitest';
import { snIn } from './barcode.ts';

test('a barcode is a serial number, in groups or not, and nothing else', () => {
  expect(snIn('2700 0010 0001')).toBe('270000100001');
  expect(snIn('acm-27000010')).toBe('ACM27000010');
  expect(snIn('12 34')).toBeUndefined();
});
