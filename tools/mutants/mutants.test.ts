import { existsSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';
import { describe, expect, test } from 'vitest';
import { inRoot } from '../lib/paths.mjs';
import { MUTANTS } from './list/every-mutant.ts';
import { countOf, MODULES, mutate, PROMISES } from './mutant.ts';

const sourceOf = (file: string) => readFileSync(inRoot(file), 'utf8');

test('the list holds at least sixty mutants with unique names', () => {
  expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
  expect(new Set(MUTANTS.map(({ id }) => id)).size).toBe(MUTANTS.length);
});

test.each(PROMISES)('at least two break %s', (promise) => {
  expect(MUTANTS.filter(({ breaks }) => breaks.includes(promise)).length).toBeGreaterThanOrEqual(2);
});

test.each(Object.entries(MODULES))('at least two are in %s', (_name, place) => {
  expect(MUTANTS.filter(({ file }) => file.startsWith(place)).length).toBeGreaterThanOrEqual(2);
});

describe.each(MUTANTS)('$id', (mutant) => {
  test('finds its location exactly once and remains valid syntax', () => {
    const source = sourceOf(mutant.file);
    expect(countOf(source, mutant.find)).toBe(1);
    const mutated = mutate(source, mutant);
    expect(mutated).not.toBe(source);
    expect(parseSync(mutant.file, mutated).errors).toEqual([]);
  });

  test('names existing tests', () => {
    expect(mutant.tests.filter((file) => !existsSync(inRoot(file)))).toEqual([]);
    // The runner rejects an empty selection, too, but only when it runs.
    const only = new RegExp(mutant.only ?? '');
    expect(mutant.tests.filter((file) => only.test(sourceOf(file)))).not.toEqual([]);
  });
});
