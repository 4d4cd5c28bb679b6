import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { settingsText } from './settings.ts';

const config = readFileSync(path.resolve(import.meta.dirname, '../../apps/server/src/platform/config.ts'), 'utf8');
const tableRows = (text: string) => text.split('\n').filter((line) => line.startsWith('| `'));

test('the table of settings has a row for each variable that the server reads', () => {
  const described = new Set(
    tableRows(settingsText(config)).flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name)),
  );
  const named = new Set([...config.matchAll(/\b(?:HES_[A-Z_]+|DATABASE_URL)\b/g)].map(([name]) => name));
  expect(named.size).toBeGreaterThan(0);
  expect([...named].filter((name) => !described.has(name))).toEqual([]);
});

test('a description of several lines and one of two variables are rows', () => {
  const source = ['/** Of no setting. */', '/**', ' * HES_A: the first', ' * of two lines.', ' */', '/** HES_B and HES_C: a | b. */'].join(
    '\n',
  );
  expect(tableRows(settingsText(source))).toEqual(['| `HES_A` | the first of two lines. |', '| `HES_B`, `HES_C` | a \\| b. |']);
});
