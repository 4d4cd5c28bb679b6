import { readFileSync } from 'node:fs';

/** @typedef {{ passed: number, failed: number, skipped: number }} Tally */

/**
 * What vitest counted. A file that could not even be loaded counts as one failure, and so does a run that ended badly
 * for a reason no test names.
 * @param {string} report
 * @param {number} code
 * @returns {Tally}
 */
export function vitestTally(report, code) {
  const json = read(report);
  if (!json) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = json.testResults.filter(
    (/** @type {{ status: string, assertionResults: unknown[] }} */ file) => file.status === 'failed' && file.assertionResults.length === 0,
  ).length;
  return honest(
    { passed: json.numPassedTests, failed: json.numFailedTests + brokenFiles, skipped: json.numPendingTests + json.numTodoTests },
    code,
  );
}

/**
 * What Playwright counted. A test that passed only at a second try is a failure.
 * @param {string} report
 * @param {number} code
 * @returns {Tally}
 */
export function playwrightTally(report, code) {
  const json = read(report);
  if (!json) return { passed: 0, failed: 1, skipped: 0 };
  const { expected, unexpected, flaky, skipped } = json.stats;
  return honest({ passed: expected, failed: unexpected + flaky, skipped }, code);
}

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
    }),
    { passed: 0, failed: 0, skipped: 0 },
  );

/** The last line of `npm test`.
 * @param {Tally} tally
 */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
