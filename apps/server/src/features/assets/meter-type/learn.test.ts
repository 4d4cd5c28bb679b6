import { expect, test } from 'vitest';
import { compareWithTemplate, templateOf } from './learn.ts';

const place = (classId: number, obis: string, attribute = 2) => ({ classId, obis, attribute });
const known = (key: string, classId: number, obis: string) => ({ key, nameEn: key, nameZh: key, ...place(classId, obis) });
const found = (classId: number, obis: string, readable = [1, 2]) => ({ classId, version: 0, obis, readable });

const TEMPLATE = new Map([
  ['E_PLUS', place(3, '1.0.1.8.0.255')],
  ['U2', place(3, '1.0.52.7.0.255')],
  ['RELAY', place(70, '0.0.96.3.10.255', 3)],
]);
const DICTIONARY = [known('E_PLUS', 3, '1.0.1.8.0.255'), known('U2', 3, '1.0.52.7.0.255'), known('FREQ', 3, '1.0.14.7.0.255')];

test('compares a template with a meter: objects present, missing, additional and unknown', () => {
  const lines = compareWithTemplate(TEMPLATE, DICTIONARY, [
    found(3, '1.0.1.8.0.255'),
    found(3, '1.0.14.7.0.255'),
    found(70, '0.0.96.3.10.255', [1, 2]),
    found(1, '0.0.96.200.0.255'),
  ]);
  expect(lines.map(({ key, difference }) => [key, difference])).toEqual([
    ['E_PLUS', 'same'],
    ['U2', 'removed'],
    ['RELAY', 'removed'],
    ['FREQ', 'added'],
    [null, 'unknown'],
  ]);
  expect(Object.keys(templateOf(lines))).toEqual(['E_PLUS', 'FREQ']);
});

test('an object whose value cannot be read does not count as had', () => {
  expect(compareWithTemplate(TEMPLATE, [], [found(3, '1.0.1.8.0.255', [1])])[0]?.difference).toBe('removed');
});
