import { expect, test } from 'vitest';
import { READING_ITEMS } from './reading-items.ts';
import { DCU_PART_NAMES } from '@hes/contract/asset/dcu-part.ts';
import { partsOfBody, resolveBody, SOUTHBOUND_PROFILES } from './southbound-profiles.ts';

test('a profile has its inherited objects, except those it removes', () => {
  const three = resolveBody('hes-meter-3p4w', SOUTHBOUND_PROFILES).objects;
  const one = resolveBody('hes-meter-1p2w', SOUTHBOUND_PROFILES).objects;
  expect(three.get('U3')).toEqual({ classId: 3, obis: '1.0.72.7.0.255', attribute: 2 });
  expect([one.has('U1'), one.has('U2'), one.has('I0')]).toEqual([true, false, false]);
});

test('a cycle and an unknown parent are refused', () => {
  const body = (parent: string) => ({ extends: parent, objects: {}, quirks: {} });
  expect(() =>
    resolveBody('a', [
      { key: 'a', body: body('b') },
      { key: 'b', body: body('a') },
    ]),
  ).toThrow('a → b → a');
  expect(() => resolveBody('a', [{ key: 'a', body: body('nowhere') }])).toThrow('a → nowhere');
});

test('keys and objects of the catalogue are unique', () => {
  expect(new Set(READING_ITEMS.map((item) => item.key)).size).toBe(READING_ITEMS.length);
  expect(new Set(READING_ITEMS.map((item) => `${item.classId}/${item.obis}/${item.attribute}`)).size).toBe(READING_ITEMS.length);
});

test('the reference DCU has every part, a plain gateway none', () => {
  expect(partsOfBody(resolveBody('hes-dcu-1', SOUTHBOUND_PROFILES))).toEqual(DCU_PART_NAMES);
  expect(partsOfBody(resolveBody('hes-gateway', SOUTHBOUND_PROFILES))).toEqual([]);
});

test('a profile has a part only with its objects, its array and its script', () => {
  const parts = (body: object) =>
    partsOfBody(resolveBody('a', [...SOUTHBOUND_PROFILES, { key: 'a', body: { extends: 'hes-dcu-1', objects: {}, quirks: {}, ...body } }]));
  const lacking = (body: object) => DCU_PART_NAMES.filter((name) => !parts(body).includes(name));
  expect(lacking({})).toEqual([]);
  expect(lacking({ objects: { TASKS: null } })).toEqual(['tasks']);
  expect(lacking({ objects: { EVLOG0: null }, parameters: 'none' })).toEqual(['parameters', 'event_log']);
  const { shapes } = resolveBody('hes-dcu-1', SOUTHBOUND_PROFILES);
  const { topology: _, ...arrays } = shapes?.arrays ?? {};
  const { factoryReset: __, ...scripts } = shapes?.scripts ?? {};
  expect(lacking({ shapes: { arrays, scripts } })).toEqual(['topology', 'network', 'factory_reset']);
});
