import { expect, test } from 'vitest';
import { ADVISORY_LOCKS } from './advisory-locks.ts';
import { listMigrations } from './migration.ts';

const numbers = Object.values(ADVISORY_LOCKS).map(({ number }) => number);

test('no two advisory locks share a number', () => {
  expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
});

test('migrations take registered locks only', () => {
  const taken = listMigrations().flatMap(({ sql }) => [...sql.matchAll(/advisory_\w+\((\w+)/g)].map(([, number]) => Number(number)));
  expect(taken).toContain(ADVISORY_LOCKS.archive.number);
  expect(taken.filter((number) => !numbers.some((known) => known === number))).toEqual([]);
});
