import { expect, test } from 'vitest';
import { fromPlaywright, fromVitest, judge } from './covered.mjs';
import { readStatements } from './statements.mjs';

/** Made in pieces: a number written out in this file would count as proved. */
const numbered = (of: number): string => `S-${String(of).padStart(3, '0')}`;
const known = [1, 2, 3].map(numbered);

test('statements are numbered without gap or repetition, each under an area', () => {
  const statements = readStatements();
  expect(statements.map(({ number }) => number)).toEqual(statements.map((_, index) => numbered(index + 1)));
  expect(statements.filter(({ area }) => area === '')).toEqual([]);
});

test('a statement is covered when a test that names it passed and none failed', () => {
  const tests = [
    { title: `${known[0]} ${known[1]}: both`, passed: true },
    { title: `${known[1]}: again`, passed: false },
  ];
  expect(judge(tests, known)).toEqual({ covered: [known[0]], failures: [`${known[1]}: again`], unknown: [] });
});

test('a number that no statement has is told', () => {
  expect(judge([{ title: `${numbered(999)}: what`, passed: true }], known).unknown).toHaveLength(1);
});

test('only tests that ran and passed at the first try count, in vitest and in Playwright', () => {
  const vitest = {
    testResults: [
      {
        assertionResults: [
          { fullName: 'a', status: 'passed' },
          { fullName: 'b', status: 'skipped' },
          { fullName: 'c', status: 'passed', failureMessages: ['Not at the first try'] },
        ],
      },
    ],
  };
  expect(fromVitest(vitest)).toEqual([
    { title: 'a', passed: true },
    { title: 'c', passed: false },
  ]);
  const inner = {
    title: 'tabs',
    specs: [
      { title: 'close', tests: [{ status: 'flaky' }] },
      { title: 'open', tests: [{ status: 'skipped' }] },
    ],
  };
  expect(fromPlaywright({ suites: [{ title: 'shell.spec.ts', suites: [inner] }] })).toEqual([
    { title: 'shell.spec.ts tabs close', passed: false },
  ]);
});
