import { writeFileSync } from 'node:fs';

/**
 * A reporter of vitest that writes what failed outside of any test to the file OUTSIDE_TESTS_FILE, as a JSON array of sentences: files that
 * could not be loaded, set-up and clean-up of files and groups, and errors that nobody caught. The JSON report of vitest leaves them out,
 * although they end a run with a failure.
 */
export default class OutsideReporter {
  /**
   * @param {ReadonlyArray<import('vitest/node').TestModule>} modules
   * @param {ReadonlyArray<{ message: string, VITEST_TEST_PATH?: unknown }>} unhandled
   */
  onTestRunEnd(modules, unhandled) {
    const target = process.env['OUTSIDE_TESTS_FILE'];
    if (!target) return;
    const faults = [
      ...modules.flatMap((module) => [
        ...module.errors().map((error) => sentence(module.relativeModuleId, error)),
        ...[...module.children.allSuites()].flatMap((suite) =>
          suite.errors().map((error) => sentence(`${module.relativeModuleId}: ${suite.fullName}`, error)),
        ),
      ]),
      ...unhandled.map((error) => sentence(`uncaught while ${error.VITEST_TEST_PATH ?? 'no file'} ran`, error)),
    ];
    writeFileSync(target, JSON.stringify(faults));
  }
}

/**
 * @param {string} where
 * @param {{ message: string }} error
 */
const sentence = (where, { message }) => `${where}\n    ${message.split('\n', 1)[0]}`;
