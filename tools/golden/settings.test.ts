import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { EVERY_SETTING } from '../../apps/server/src/platform/declared-settings.ts';
import { settingsText } from './settings.ts';

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../..', file), 'utf8');

test('the table of settings has a row for each declared one, with its default, unit and need', () => {
  const rows = settingsText([
    ['HES_A', { text: 'time a | b.', initial: '5', unit: 's' }],
    ['HES_B', { text: 'a file.', otherwise: 'no file', needs: 'HES_A' }],
    ['HES_C', { text: 'a name.' }],
  ])
    .split('\n')
    .filter((line) => line.startsWith('| `'));
  expect(rows).toEqual([
    '| `HES_A` | `5` s | Time a \\| b. |',
    '| `HES_B` | no file | A file. Needs HES_A. |',
    '| `HES_C` | none | A name. |',
  ]);
});

test('every declared setting is read by the server', () => {
  const readers = ['config', 'settings-sources', 'secrets-command'].map((name) => read(`apps/server/src/platform/${name}.ts`)).join('\n');
  expect(EVERY_SETTING.map(([name]) => name).filter((name) => !new RegExp(`'${name}'`).test(readers) && !name.endsWith('_CA'))).toEqual([]);
});

test('every need of a setting is a setting, and every name that a sentence mentions exists', () => {
  const names = new Set<string>(EVERY_SETTING.map(([name]) => name));
  const mentioned = EVERY_SETTING.flatMap(([, { text, otherwise = '', needs = '' }]) => [
    ...`${text} ${otherwise} ${needs}`.matchAll(/\b(?:HES_[A-Z_]+|DATABASE_URL)\b/g),
  ]);
  expect(mentioned.map(([name]) => name).filter((name) => !names.has(name))).toEqual([]);
});
