import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { inRoot } from '../lib/paths.mjs';
import { fromPlaywright, fromVitest } from '../spec/covered.mjs';
import { closingLine, faultsOf, playwrightTally, sum, vitestTally } from './tally.mjs';

const folder = mkdtempSync(path.join(tmpdir(), 'hes-tally-'));
afterAll(() => rmSync(folder, { recursive: true }));

function report(content: unknown): string {
  const file = path.join(folder, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const PASSED = { numPassedTests: 1, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [] };

describe('the closing line of npm test', () => {
  test('adds the counts of both runners', () => {
    const vitest = vitestTally(
      report({ numPassedTests: 40, numFailedTests: 1, numPendingTests: 2, numTodoTests: 0, testResults: [] }),
      report([]),
      1,
    );
    const playwright = playwrightTally(report({ stats: { expected: 5, unexpected: 0, flaky: 0, skipped: 0 }, suites: [] }), 0);
    expect(closingLine(sum([vitest, playwright]))).toBe('45 passed, 1 failed, 2 skipped');
  });

  test('omits skipped tests when there are none', () => {
    expect(closingLine({ passed: 3, failed: 0, skipped: 0, flaky: [] })).toBe('3 passed, 0 failed');
  });

  test('never reports a failed run as a success', () => {
    const missing = path.join(folder, 'missing.json');
    expect(vitestTally(report(PASSED), report([]), 1).failed).toBe(1);
    expect(vitestTally(missing, report([]), 0).failed).toBe(1);
    expect(vitestTally(report(PASSED), missing, 0).failed).toBe(1);
    expect(playwrightTally(missing, 0).failed).toBe(1);
  });

  test('names failed tests at the end of the output', () => {
    const vitest = vitestTally(
      report({
        numPassedTests: 0,
        numFailedTests: 1,
        numPendingTests: 0,
        numTodoTests: 0,
        testResults: [
          {
            status: 'failed',
            assertionResults: [{ status: 'failed', fullName: 'a sum is right', failureMessages: ['expected 1 to be 2\n  at …'] }],
          },
        ],
      }),
      report(['sum.test.ts\n    no such module']),
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

  test('reports a failed run without a failed test', () => {
    expect(faultsOf(vitestTally(report(PASSED), report([]), 1))).toContain('ended with code 1');
  });

  // Real runs, because the format of a second attempt belongs to the runner and may change with its version.
  test('counts a vitest test that passed at its second attempt as flaky, not as passed, as does the coverage of statements', () => {
    const { output, code } = flakyRun(
      'flaky.test.js',
      `import { expect, test } from 'vitest';
let tries = 0;
test('fails at first', () => expect(++tries).toBe(2));
test('is right', () => expect(1).toBe(1));`,
      vitestArgs,
    );
    const total = sum([vitestTally(output, `${output}.outside`, code)]);
    expect(closingLine(total)).toBe('1 passed, 0 failed, 1 flaky');
    expect(faultsOf(total)).toMatch(/^Flaky [^\n]*\n {2}fails at first\n {4}\S[^\n]*1[^\n]*2/);
    expect(fromVitest(JSON.parse(readFileSync(output, 'utf8')))).toEqual([
      { title: 'fails at first', passed: false, flaky: true },
      { title: 'is right', passed: true, flaky: false },
    ]);
  });

  test('names what failed outside of a test: loading, set-up and an error that nobody caught', () => {
    const { output, code } = flakyRun(
      'outside.test.js',
      `import { beforeAll, describe, expect, test } from 'vitest';
describe('a group', () => {
  beforeAll(() => { throw new Error('no database'); });
  test('never runs', () => expect(1).toBe(1));
});
test('ends too early', async () => {
  setTimeout(() => { throw new Error('too late'); }, 1);
  await new Promise((resolve) => setTimeout(resolve, 50));
});`,
      vitestArgs,
    );
    const total = sum([vitestTally(output, `${output}.outside`, code)]);
    expect(closingLine(total)).toBe('1 passed, 2 failed, 1 skipped');
    expect(faultsOf(total)).toMatch(
      /outside\.test\.js: a group\n {4}no database\n {2}uncaught while .*outside\.test\.js ran\n {4}too late\n/,
    );

    const unloaded = flakyRun('unloaded.test.js', "import './missing.js';", vitestArgs);
    expect(faultsOf(vitestTally(unloaded.output, `${unloaded.output}.outside`, unloaded.code))).toMatch(
      /unloaded\.test\.js\n {4}.*missing\.js/,
    );
  });

  test('counts a Playwright test that passed at its second attempt likewise', () => {
    // The second attempt runs in a separate process, so the count is kept in a file.
    const { output, code } = flakyRun(
      'flaky.spec.js',
      `const { existsSync, writeFileSync } = require('node:fs');
const { expect, test } = require('@playwright/test');
test('fails at first', () => {
  const isSecond = existsSync('tried');
  writeFileSync('tried', '');
  expect(isSecond).toBe(true);
});
test('is right', () => expect(1).toBe(1));`,
      () => [inRoot('node_modules/@playwright/test/cli.js'), 'test', '--retries=1', '--reporter=json'],
    );
    const total = sum([playwrightTally(output, code)]);
    expect(closingLine(total)).toBe('1 passed, 0 failed, 1 flaky');
    expect(faultsOf(total)).toMatch(/^Flaky [^\n]*\n {2}flaky\.spec\.js:3 fails at first\n\n$/);
    expect(fromPlaywright(JSON.parse(readFileSync(output, 'utf8'))).map(({ passed, flaky }) => [passed, flaky])).toEqual([
      [false, true],
      [true, false],
    ]);
    expect(faultsOf(sum([]))).toBe('');
  });
});

const vitestArgs = (output: string): string[] => [
  inRoot('node_modules/vitest/vitest.mjs'),
  'run',
  '--retry=1',
  '--reporter=json',
  `--outputFile.json=${output}`,
  `--reporter=${inRoot('tools/test/outside-reporter.mjs')}`,
];

/** Runs one test file in a separate folder with the packages of the project. */
function flakyRun(name: string, source: string, argsOf: (output: string) => string[]) {
  const own = mkdtempSync(path.join(folder, 'run-'));
  symlinkSync(inRoot('node_modules'), path.join(own, 'node_modules'), 'junction');
  writeFileSync(path.join(own, name), source);
  const output = path.join(own, 'report.json');
  const outside = Object.fromEntries(Object.entries(process.env).filter(([key]) => !/^(VITEST|TEST|NODE_ENV|FORCE_COLOR)/.test(key)));
  const { status } = spawnSync(process.execPath, argsOf(output), {
    cwd: own,
    env: { ...outside, PLAYWRIGHT_JSON_OUTPUT_NAME: output, OUTSIDE_TESTS_FILE: `${output}.outside` },
    timeout: 60_000,
  });
  return { output, code: status ?? 1 };
}
