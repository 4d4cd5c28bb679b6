import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { appendResult, decided, nameOf, readResults, type Status } from './results.ts';
import { DECIDED_BEFORE, OUTSIDE_SAMPLE, sampleOf } from './sampling-checker.ts';
import { scoreOf, wilson } from './score.ts';

const mutant = (status: string, line: number, statusReason?: string) => ({
  status,
  mutatorName: 'EqualityOperator',
  replacement: 'a <= b',
  location: { start: { line, column: 3 }, end: { line, column: 8 } },
  ...(statusReason === undefined ? {} : { statusReason }),
});

const result = (line: number, status: Status) => ({ mutant: nameOf('a.ts', mutant(status, line)), status });

test('the score covers tried mutants only; those outside of the sample are only counted', () => {
  const mutants = [
    mutant('Killed', 1),
    mutant('Timeout', 2),
    mutant('Survived', 3),
    mutant('CompileError', 4, DECIDED_BEFORE),
    mutant('CompileError', 5, OUTSIDE_SAMPLE),
    mutant('CompileError', 6, 'No test covers it.'),
    mutant('Ignored', 7),
    mutant('RuntimeError', 8),
    mutant('Timeout', 9),
  ];
  const results = [
    result(1, 'Killed'),
    result(2, 'Timeout'),
    result(3, 'Survived'),
    result(4, 'Killed'),
    result(8, 'RuntimeError'),
    result(9, 'Timeout'),
    result(9, 'Timeout'),
    result(99, 'Survived'),
  ];
  expect(scoreOf({ files: { 'a.ts': { mutants } } }, results)).toMatchObject({
    covered: 7,
    tried: 4,
    killed: 3,
    score: 0.75,
    survived: ['a.ts:3:3-3:8 EqualityOperator "a <= b"'],
    undecided: ['a.ts:2:3-2:8 EqualityOperator "a <= b"'],
    broken: ['a.ts:8:3-8:8 EqualityOperator "a <= b"'],
  });
});

test('a timeout decides nothing at the first try, and the last of several results counts', () => {
  const statuses = decided([
    result(1, 'Timeout'),
    result(2, 'Timeout'),
    result(2, 'Timeout'),
    result(3, 'Timeout'),
    result(3, 'Survived'),
    result(4, 'Survived'),
    result(4, 'Killed'),
  ]);
  const statusOf = (line: number) => statuses.get(result(line, 'Killed').mutant);
  expect([1, 2, 3, 4].map(statusOf)).toEqual([undefined, 'Timeout', 'Survived', 'Killed']);
});

test('results are read back, also those of a run that was ended while it wrote one', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hes-results-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'results.jsonl');
  expect(readResults(file)).toEqual([]);
  appendResult(file, result(1, 'Killed'));
  appendResult(file, result(2, 'Survived'));
  writeFileSync(file, '{"mutant":"a.ts:3', { flag: 'a' });
  expect(readResults(file)).toEqual([result(1, 'Killed'), result(2, 'Survived')]);
});

test('the interval is that of Wilson', () => {
  const [low, high] = wilson(128, 150);
  expect(low).toBeCloseTo(0.788, 3);
  expect(high).toBeCloseTo(0.901, 3);
  expect(wilson(0, 0)).toEqual([0, 1]);
});

test('a seed reproduces its sample, and another seed draws another one', () => {
  const mutants = Array.from({ length: 100 }, (_, line) => ({
    id: String(line),
    fileName: '/tree/a.ts',
    location: { start: { line, column: 0 }, end: { line, column: 9 } },
    mutatorName: 'ArithmeticOperator',
    replacement: 'a - b',
  }));
  const idsOf = (seed: string) => sampleOf(mutants, 10, seed).map(({ id }) => id);
  expect(idsOf('1')).toHaveLength(10);
  expect(idsOf('1')).toEqual(idsOf('1'));
  expect(idsOf('1')).not.toEqual(idsOf('2'));
});
