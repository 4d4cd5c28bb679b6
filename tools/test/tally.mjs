import { readFileSync } from 'node:fs';

/**
 * `again`: who passed only at the second try.
 * @typedef {{ passed: number, failed: number, skipped: number, again: string[] }} Tally
 */

/**
 * What vitest counted. A file that could not even be loaded counts as one failure, and so does a run that ended badly
 * for a reason no test names.
 * @param {string} report
 * @param {number} code
 * @returns {Tally}
 */
export function vitestTally(report, code) {
  const json = read(report);
  if (!json) return { passed: 0, failed: 1, skipped: 0, again: [] };
  /** @type {{ status: string, assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[]} */
  const files = json.testResults;
  const brokenFiles = files.filter((file) => file.status === 'failed' && file.assertionResults.length === 0).length;
  // What a passed test failed with was its first try.
  const again = files
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status === 'passed' && test.failureMessages.length > 0);
  return honest(
    {
      passed: json.numPassedTests,
      failed: json.numFailedTests + brokenFiles,
      skipped: json.numPendingTests + json.numTodoTests,
      again: again.map(({ fullName, failureMessages: [why = ''] }) => `${fullName}\n    ${firstLine(why)}`),
    },
    code,
  );
}

/**
 * What Playwright counted.
 * @param {string} report
 * @param {number} code
 * @returns {Tally}
 */
export function playwrightTally(report, code) {
  const json = read(report);
  if (!json) return { passed: 0, failed: 1, skipped: 0, again: [] };
  const { expected, unexpected, flaky, skipped } = json.stats;
  /** @type {Spec[]} */
  const specs = json.suites.flatMap(specsOf);
  const again = specs.filter((spec) => spec.tests.some(({ status }) => status === 'flaky'));
  return honest(
    { passed: expected + flaky, failed: unexpected, skipped, again: again.map(({ file, line, title }) => `${file}:${line} ${title}`) },
    code,
  );
}

/** @typedef {{ title: string, file: string, line: number, tests: { status: string }[] }} Spec */

/**
 * @param {{ specs?: Spec[], suites?: object[] }} suite
 * @returns {Spec[]}
 */
const specsOf = ({ specs = [], suites = [] }) => [...specs, ...suites.flatMap(specsOf)];

/** @param {string} text */
const firstLine = (text) => text.split('\n', 1)[0] ?? '';

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
const honest = (tally, code) => (code !== 0 && tally.failed === 0 ? { ...tally, failed: 1 } : tally);

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
      again: [...total.again, ...tally.again],
    }),
    { passed: 0, failed: 0, skipped: 0, again: [] },
  );

/** Said before the last line, so that a test that wavers is mended and not lived with.
 * @param {Tally} tally
 */
export const wavering = ({ again }) =>
  again.length === 0 ? '' : `Failed first and passed when run again, please mend:\n${again.map((one) => `  ${one}\n`).join('')}\n`;

/** The last line of `npm test`.
 * @param {Tally} tally
 */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
