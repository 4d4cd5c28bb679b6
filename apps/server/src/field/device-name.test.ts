import { expect, test } from 'vitest';
import { isNameOf } from './device-name.ts';
import type { Quirks } from './quirks.ts';

test.each([
  ['HES270000100001', '270000100001', true],
  ['ISK1030775213859', '75213859', true],
  ['abc00000000012', '12', true],
  ['ABC112', '12', false],
  ['HES270000100002', '270000100001', false],
  ['270000100001', 'HES270000100001', false],
  ['', '12', false],
])('the name %s belongs to the meter %s: %s', (name, sn, isIts) => {
  expect(isNameOf(name, sn)).toBe(isIts);
});

const SHORT: Quirks = new Set(['ldn_short']);
test.each([
  ['HES100001', '270000100001', true],
  ['HES00001', '270000100001', false],
  ['HES100002', '270000100001', false],
  ['HES270000100001', '270000100001', true],
  ['HES', '270000100001', false],
])('the short name %s belongs to the meter %s: %s', (name, sn, isIts) => {
  expect(isNameOf(name, sn, SHORT)).toBe(isIts);
});

test('a short name counts for types with this quirk only', () => {
  expect(isNameOf('HES100001', '270000100001')).toBe(false);
});
