import { readFileSync } from 'node:fs';

/** `again`: passed, but only at the second try.
 * @typedef {{ passed: number, failed: number, skipped: number, again: number }} Tally */

/**
 * What vitest counted. A file that could not even be loaded counts as one failure, and so does a run that ended badly
 * for a reason no test names.
 * @param {string} report
 * @param {number} code
 * @returns {Tally}
 */
export function vitestTally(report, code) {
  const json = read(report);
  if (!json) return { passed: 0, failed: 1, skipped: 0, again: 0 };
  /** @type {{ status: string, assertionResults: { status: string, failureMessages: string[] }[] }[]} */
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
      again: again.length,
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
  if (!json) return { passed: 0, failed: 1, skipped: 0, again: 0 };
  const { expected, unexpected, flaky, skipped } = json.stats;
  return honest({ passed: expected + flaky, failed: unexpected, skipped, again: flaky }, code);
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
      again: total.again + tally.again,
    }),
    { passed: 0, failed: 0, skipped: 0, again: 0 },
  );

/** Said before the last line, so that a test that wavers is mended and not lived with.
 * @param {Tally} tally
 */
export const wavering = ({ again }) =>
  again === 0 ? '' : `${again} of them failed first and passed when run again: the output above names them, please mend them.\n`;

/** The last line of `npm test`.
 * @param {Tally} tally
 */
export const closingLine = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
