import { readFileSync } from 'node:fs';

/**
 * `faults`: failed tests with their reasons; `flaky`: tests that passed only at the second attempt, which count nowhere
 * else.
 * @typedef {{ passed: number, failed: number, skipped: number, faults: string[], flaky: string[] }} Tally
 */

/** @param {string} fault */
const broken = (fault) => ({ passed: 0, failed: 1, skipped: 0, faults: [fault], flaky: [] });

/**
 * Counts of a vitest run. Each failure outside of a test counts as one, and so does a run that failed for no reason that is known.
 * @param {string} report The JSON report of vitest.
 * @param {string} outside What `outside-reporter.mjs` wrote.
 * @param {number} code
 * @returns {Tally}
 */
export function vitestTally(report, outside, code) {
  const json = read(report);
  /** @type {string[] | undefined} */
  const faults = read(outside);
  if (!json || !faults) return broken('vitest ended without a report');
  /** @type {VitestResult[]} */
  const results = json.testResults.flatMap((/** @type {{ assertionResults: VitestResult[] }} */ file) => file.assertionResults);
  // The failure message of a passed test is from its first attempt.
  const flaky = results.filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0).map(named);
  return honest(
    {
      passed: json.numPassedTests - flaky.length,
      failed: json.numFailedTests + faults.length,
      skipped: json.numPendingTests + json.numTodoTests,
      faults: [...faults, ...results.filter(({ status }) => status === 'failed').map(named)],
      flaky,
    },
    code,
  );
}

/** @typedef {{ status: string, fullName: string, failureMessages: string[] }} VitestResult */

/** @param {VitestResult} result */
const named = ({ fullName, failureMessages: [why = ''] }) => withReason(fullName, why);

/**
 * Counts of a Playwright run.
 * @param {string} report
 * @param {number} code
 * @returns {Tally}
 */
export function playwrightTally(report, code) {
  const json = read(report);
  if (!json) return broken('Playwright ended without a report');
  const { expected, unexpected, skipped } = json.stats;
  /** @type {Spec[]} */
  const specs = json.suites.flatMap(specsOf);
  /** @param {string} status */
  const those = (status) =>
    specs.filter((spec) => spec.tests.some((test) => test.status === status)).map(({ file, line, title }) => `${file}:${line} ${title}`);
  return honest({ passed: expected, failed: unexpected, skipped, faults: those('unexpected'), flaky: those('flaky') }, code);
}

/** @typedef {{ title: string, file: string, line: number, tests: { status: string }[] }} Spec */

/**
 * @param {{ specs?: Spec[], suites?: object[] }} suite
 * @returns {Spec[]}
 */
const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)];

/**
 * @param {string} name
 * @param {string} why
 */
const withReason = (name, why) => `${name}\n    ${why.split('\n', 1)[0]}`;

/** @param {string} report */
function read(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * @param {Tally} tally
 * @param {number} code
 */
const honest = (tally, code) =>
  code !== 0 && tally.failed === 0
    ? { ...tally, failed: 1, faults: [...tally.faults, `no test failed, but the run ended with code ${code}: see its output above`] }
    : tally;

/**
 * @param {Tally[]} tallies
 * @returns {Tally}
 */
export const sum = (tallies) =>
  tallies.reduce(
    (total, tally) => ({
      passed: total.passed + tally.passed,
      failed: total.failed + tally.failed,
      skipped: total.skipped + tally.skipped,
      faults: [...total.faults, ...tally.faults],
      flaky: [...total.flaky, ...tally.flaky],
    }),
    { passed: 0, failed: 0, skipped: 0, faults: [], flaky: [] },
  );

/**
 * Printed before the last line, since ten minutes of output may separate a failure from the end of the run.
 * @param {Pick<Tally, 'faults' | 'flaky'>} tally
 */
export const faultsOf = ({ faults, flaky }) => list('Failed', faults) + list('Flaky (failed, then passed at the second attempt)', flaky);

/**
 * @param {string} title
 * @param {string[]} names
 */
const list = (title, names) => (names.length === 0 ? '' : `${title}:\n${names.map((name) => `  ${name}\n`).join('')}\n`);

/** The last line of `npm test`.
 * @param {Pick<Tally, 'passed' | 'failed' | 'skipped' | 'flaky'>} tally
 */
export const closingLine = ({ passed, failed, skipped, flaky }) =>
  [
    `${passed} passed, ${failed} failed`,
    ...(flaky.length > 0 ? [`${flaky.length} flaky`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ].join(', ');
