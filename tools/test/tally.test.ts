import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { closingLine, faultsOf, playwrightTally, sum, vitestTally } from './tally.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'hes-tally-'));
afterAll(() => rmSync(folder, { recursive: true }));

function report(content: unknown): string {
  const file = path.join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

describe('the closing line of npm test', () => {
  test('adds what both runners counted', () => {
    const vitest = vitestTally(report({ numPassedTests: 40, numFailedTests: 1, numPendingTests: 2, numTodoTests: 0, testResults: [] }), 1);
    const playwright = playwrightTally(report({ stats: { expected: 5, unexpected: 0, flaky: 0, skipped: 0 }, suites: [] }), 0);
    expect(closingLine(sum([vitest, playwright]))).toBe('45 passed, 1 failed, 2 skipped');
  });

  test('says nothing of skipped tests when there are none', () => {
    expect(closingLine({ passed: 3, failed: 0, skipped: 0 })).toBe('3 passed, 0 failed');
  });

  test('counts a file that cannot be loaded as a failure', () => {
    const tally = vitestTally(
      report({
        numPassedTests: 1,
        numFailedTests: 0,
        numPendingTests: 0,
        numTodoTests: 0,
        testResults: [{ status: 'failed', name: 'sum.test.ts', message: '', assertionResults: [] }],
      }),
      1,
    );
    expect(tally.failed).toBe(1);
  });

  test('never calls a run that ended badly a success', () => {
    expect(
      vitestTally(report({ numPassedTests: 1, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] }), 1).failed,
    ).toBe(1);
    expect(vitestTally(path.join(folder, 'missing.json'), 0).failed).toBe(1);
    expect(playwrightTally(path.join(folder, 'missing.json'), 0).failed).toBe(1);
  });

  test('names who failed, where the output ends', () => {
    const vitest = vitestTally(
      report({
        numPassedTests: 0,
        numFailedTests: 1,
        numPendingTests: 0,
        numTodoTests: 0,
        testResults: [
          { status: 'failed', name: 'sum.test.ts', message: 'no such module\n  at …', assertionResults: [] },
          {
            status: 'failed',
            assertionResults: [{ status: 'failed', fullName: 'a sum is right', failureMessages: ['expected 1 to be 2\n  at …'] }],
          },
        ],
      }),
      1,
    );
    const specs = [{ title: 'a page opens', file: 'page.spec.ts', line: 7, tests: [{ status: 'unexpected' }] }];
    const playwright = playwrightTally(report({ stats: { expected: 0, unexpected: 1, flaky: 0, skipped: 0 }, suites: [{ specs }] }), 1);
    const total = sum([vitest, playwright]);
    expect(closingLine(total)).toBe('0 passed, 3 failed');
    expect(faultsOf(total)).toBe(
      'Failed:\n  sum.test.ts\n    no such module\n  a sum is right\n    expected 1 to be 2\n  page.spec.ts:7 a page opens\n\n',
    );
  });

  test('says so when no test failed and the run ended badly', () => {
    const passed = { numPassedTests: 1, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };
    expect(faultsOf(vitestTally(report(passed), 1))).toContain('ended with code 1');
  });

  test('names who passed only when run again', () => {
    const test = (...failureMessages: string[]) => ({ status: 'passed', fullName: 'a sum is right', failureMessages });
    const vitest = vitestTally(
      report({
        numPassedTests: 2,
        numFailedTests: 0,
        numPendingTests: 0,
        numTodoTests: 0,
        testResults: [{ status: 'passed', assertionResults: [test(), test('expected 1 to be 2\n  at sum.test.ts:3')] }],
      }),
      0,
    );
    const suites = [{ suites: [{ specs: [{ title: 'a page opens', file: 'page.spec.ts', line: 7, tests: [{ status: 'flaky' }] }] }] }];
    const playwright = playwrightTally(report({ stats: { expected: 1, unexpected: 0, flaky: 1, skipped: 0 }, suites }), 0);
    const total = sum([vitest, playwright]);
    expect(closingLine(total)).toBe('4 passed, 0 failed');
    expect(faultsOf(total)).toBe(
      'Failed first and passed when run again, please mend:\n  a sum is right\n    expected 1 to be 2\n  page.spec.ts:7 a page opens\n\n',
    );
    expect(faultsOf(sum([]))).toBe('');
  });
});
