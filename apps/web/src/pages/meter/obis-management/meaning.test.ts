import { expect, it } from 'vitest';
import { meaningOf } from './meaning.ts';

const value = (text: number | string | null, raw = '') => ({ value: text, raw });

it.each([
  ['enum', { 0: 'Open', 1: 'Closed' }, value(1), 'Closed'],
  ['enum', { 0: 'Open' }, value(7), null],
  ['bit_map', { 0: 'Clock invalid', 3: 'Power down' }, value(9), 'Clock invalid, Power down'],
  ['bit_map', null, value(6), 'bit 1, bit 2'],
  ['bit_map', null, value(0), '0'],
  ['octet_ascii', null, value('41424331'), 'ABC1'],
  ['octet_ascii', null, value('0001'), null],
  ['octet_hex', null, value('x', '0902ABCD'), '0902ABCD'],
  ['plain', null, value(5), null],
  ['enum', { 1: 'x' }, value(null), null],
] as const)('a value under the decoder %s with the words %o: %o means %s', (decoder, enumMap, read, meaning) => {
  expect(meaningOf({ decoder, enumMap }, read)).toBe(meaning);
});
