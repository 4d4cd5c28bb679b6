import { NUMBER } from './statements.mjs';

/** A test with numbers in its title, as a run reported it.
 * @typedef {{ title: string, passed: boolean }} Numbered
 */

/** One suite of a report by Playwright: a file, or a `describe` in it.
 * @typedef {{ title?: string, suites?: Suite[], specs?: { title: string, tests: { status: string }[] }[] }} Suite
 */

/** A test passed when it did so at its first try: a passed test that has a failure message was run again.
 * @param {{ testResults?: { assertionResults: { fullName: string, status: string, failureMessages?: string[] }[] }[] }} report of vitest
 * @returns {Numbered[]}
 */
export const fromVitest = (report) =>
  (report.testResults ?? [])
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status !== 'pending' && test.status !== 'skipped')
    .map((test) => ({ title: test.fullName, passed: test.status === 'passed' && (test.failureMessages ?? []).length === 0 }));

/** A test passed when it did so at its first try.
 * @param {{ suites?: Suite[] }} report of Playwright
 * @returns {Numbered[]}
 */
export const fromPlaywright = (report) => (report.suites ?? []).flatMap((suite) => inSuite(suite, ''));

/** @param {Suite} suite
 * @param {string} before titles of the suites around it
 * @returns {Numbered[]}
 */
function inSuite(suite, before) {
  const own = `${before} ${suite.title ?? ''}`.trim();
  return [
    ...(suite.specs ?? [])
      .filter((spec) => spec.tests.some((test) => test.status !== 'skipped'))
      .map((spec) => ({ title: `${own} ${spec.title}`, passed: spec.tests.every((test) => test.status === 'expected') })),
    ...(suite.suites ?? []).flatMap((inner) => inSuite(inner, own)),
  ];
}

/**
 * What is covered: a statement is when a test that names it passed and none that names it failed.
 * @param {Numbered[]} tests
 * @param {readonly string[]} known numbers of statements
 */
export function judge(tests, known) {
  const numbered = tests.flatMap((test) => (test.title.match(NUMBER) ?? []).map((number) => ({ ...test, number })));
  const failed = new Set(numbered.filter((test) => !test.passed).map((test) => test.number));
  const passed = new Set(numbered.filter((test) => test.passed).map((test) => test.number));
  return {
    covered: known.filter((number) => passed.has(number) && !failed.has(number)),
    failures: numbered.filter((test) => !test.passed).map((test) => test.title),
    unknown: numbered.filter((test) => !known.includes(test.number)).map((test) => `${test.number} in "${test.title}"`),
  };
}
