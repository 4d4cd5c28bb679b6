import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { TestBed } from './test-bed.ts';

/** Time limit that no narrow test exceeds, even on a busy machine. */
const LONGEST_RUN_MS = 300_000;

export interface Selection {
  tests: readonly string[];
  only?: string | undefined;
}

export interface TestRun {
  passed: number;
  /** Titles of tests in which an assertion failed. */
  asserted: string[];
  /** Other failures: errors that are no assertions, files that failed to load, a run that timed out. */
  broken: string[];
}

interface JsonReport {
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

const firstLineOf = (text: string): string => text.split('\n', 1)[0] ?? '';

/** vitest's expectations of promises, snapshots and polls, and expired `waitFor` calls, throw other errors than AssertionError. */
const ASSERTION = /\bAssertionError\b|^Error: (?:Snapshot |promise (?:resolved|rejected) |expected )|\bexpect\(received\)\./;
const isAssertion = (failures: readonly string[]): boolean => failures.some((text) => ASSERTION.test(stripVTControlCharacters(text)));

/** Runs each test once in the tree: a retry would hide a mutant that fails only sometimes. */
export async function runTests(
  { folder, temporary, databaseUrl, databaseOwnerUrl }: TestBed,
  { tests, only }: Selection,
): Promise<TestRun> {
  const scratch = mkdtempSync(path.join(temporary, 'run-'));
  const report = path.join(scratch, 'report.json');
  const filter = only === undefined ? [] : ['--testNamePattern', only];
  const args = ['run', ...tests, ...filter, '--retry=0', '--bail=1', '--reporter=json', `--outputFile=${report}`];
  const env = { ...process.env, TMPDIR: temporary, HES_TEST_DATABASE_URL: databaseUrl, HES_TEST_DATABASE_OWNER_URL: databaseOwnerUrl };
  const isEnded = await runVitest(folder, env, args);
  const run = existsSync(report) ? resultOf(JSON.parse(readFileSync(report, 'utf8'))) : { passed: 0, asserted: [], broken: [] };
  if (!isEnded) run.broken.push(`no end within ${LONGEST_RUN_MS / 1000} s`);
  else if (run.passed + run.asserted.length + run.broken.length === 0) run.broken.push('no test was run');
  rmSync(scratch, { recursive: true, force: true });
  return run;
}

/** False if it had to be killed. */
function runVitest(folder: string, env: NodeJS.ProcessEnv, args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const program = path.join(folder, 'node_modules/vitest/vitest.mjs');
    const child = spawn(process.execPath, [program, ...args], { cwd: folder, env, stdio: 'ignore' });
    const end = () => child.kill();
    process.once('exit', end);
    let isEnded = true;
    const timer = setTimeout(() => {
      isEnded = false;
      child.kill('SIGKILL');
    }, LONGEST_RUN_MS);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      process.off('exit', end);
      resolve(isEnded);
    });
  });
}

function resultOf({ testResults }: JsonReport): TestRun {
  const run: TestRun = { passed: 0, asserted: [], broken: [] };
  for (const { name, status, message, assertionResults } of testResults) {
    for (const { fullName, status: outcome, failureMessages } of assertionResults) {
      if (outcome === 'passed') run.passed++;
      else if (outcome === 'failed' && isAssertion(failureMessages)) run.asserted.push(fullName);
      else if (outcome === 'failed') run.broken.push(`${fullName}: ${firstLineOf(failureMessages[0] ?? '')}`);
    }
    if (status === 'failed' && assertionResults.length === 0) run.broken.push(`${path.basename(name)}: ${firstLineOf(message)}`);
  }
  return run;
}
