import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { closingLine, playwrightTally, sum, vitestTally, wavering } from './tally.mjs';

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
    const playwright = playwrightTally(report({ stats: { expected: 5, unexpected: 0, flaky: 0, skipped: 0 } }), 0);
    expect(closingLine(sum([vitest, playwright]))).toBe('45 passed, 1 failed, 2 skipped');
  });

  test('says nothing of skipped tests when there are none', () => {
    expect(closingLine({ passed: 3, failed: 0, skipped: 0, again: 0 })).toBe('3 passed, 0 failed');
  });

  test('counts a file that cannot be loaded as a failure', () => {
    const tally = vitestTally(
      report({
        numPassedTests: 1,
        numFailedTests: 0,
        numPendingTests: 0,
        numTodoTests: 0,
        testResults: [{ status: 'failed', assertionResults: [] }],
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

  test('says how many passed only when they were run again', () => {
    const test = (...failureMessages: string[]) => ({ status: 'passed', failureMessages });
    const vitest = vitestTally(
      report({
        numPassedTests: 2,
        numFailedTests: 0,
        numPendingTests: 0,
        numTodoTests: 0,
        testResults: [{ status: 'passed', assertionResults: [test(), test('expected 1 to be 2')] }],
      }),
      0,
    );
    const playwright = playwrightTally(report({ stats: { expected: 1, unexpected: 0, flaky: 1, skipped: 0 } }), 0);
    const total = sum([vitest, playwright]);
    expect(closingLine(total)).toBe('4 passed, 0 failed');
    expect(wavering(total)).toMatch(/^2 of them failed first/);
    expect(wavering(sum([]))).toBe('');
  });
});
