import { expect, test } from 'vitest';
import { OUTSIDE_SAMPLE, sampleOf } from './sampling-checker.ts';
import { scoreOf, wilson } from './score.ts';

const mutant = (status: string, line: number, statusReason?: string) => ({
  status,
  mutatorName: 'EqualityOperator',
  replacement: 'a <= b',
  location: { start: { line, column: 3 } },
  ...(statusReason === undefined ? {} : { statusReason }),
});

test('the score covers tried mutants only; those outside of the sample are only counted', () => {
  const mutants = [
    mutant('Killed', 1),
    mutant('Timeout', 2),
    mutant('Survived', 3),
    mutant('Killed', 4),
    mutant('CompileError', 5, OUTSIDE_SAMPLE),
    mutant('CompileError', 6, 'No test covers it.'),
    mutant('Ignored', 7),
  ];
  const score = scoreOf({ files: { 'a.ts': { mutants } } });
  expect(score).toMatchObject({ covered: 5, tried: 4, killed: 3, score: 0.75, survived: ['a.ts:3:3 EqualityOperator "a <= b"'] });
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
