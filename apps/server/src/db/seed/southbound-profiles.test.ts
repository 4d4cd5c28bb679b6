import { expect, test } from 'vitest';
import { READING_ITEMS } from './reading-items.ts';
import { resolveObjects, SOUTHBOUND_PROFILES } from './southbound-profiles.ts';

test('a profile has its inherited objects, except those it removes', () => {
  const three = resolveObjects('hes-meter-3p4w', SOUTHBOUND_PROFILES);
  const one = resolveObjects('hes-meter-1p2w', SOUTHBOUND_PROFILES);
  expect(three.get('U3')).toEqual({ classId: 3, obis: '1.0.72.7.0.255', attribute: 2 });
  expect([one.has('U1'), one.has('U2'), one.has('I0')]).toEqual([true, false, false]);
});

test('a cycle and an unknown parent are refused', () => {
  const body = (parent: string) => ({ extends: parent, objects: {}, quirks: {} });
  expect(() =>
    resolveObjects('a', [
      { key: 'a', body: body('b') },
      { key: 'b', body: body('a') },
    ]),
  ).toThrow('a → b → a');
  expect(() => resolveObjects('a', [{ key: 'a', body: body('nowhere') }])).toThrow('a → nowhere');
});

test('keys and objects of the catalogue are unique', () => {
  expect(new Set(READING_ITEMS.map((item) => item.key)).size).toBe(READING_ITEMS.length);
  expect(new Set(READING_ITEMS.map((item) => `${item.classId}/${item.obis}/${item.attribute}`)).size).toBe(READING_ITEMS.length);
});
