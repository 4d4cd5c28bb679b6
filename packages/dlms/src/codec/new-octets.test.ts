import { expect, test } from 'vitest';
import { newOctets } from './new-octets.ts';

test('octets are zeroed, of the requested size, and not shared', () => {
  const sizes = Array.from({ length: 400 }, (_, index) => (index * 37) % 6000);
  const all = sizes.map((size) => newOctets(size));
  expect(all.every((octets) => octets.every((octet) => octet === 0))).toBe(true);
  all.forEach((octets, index) => octets.fill(index));
  expect(all.map((octets) => octets.length)).toEqual(sizes);
  expect(all.every((octets, index) => octets.every((octet) => octet === index % 256))).toBe(true);
});
