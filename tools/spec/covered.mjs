import { NUMBER } from './statements.mjs';

/** Maximum number of statements per title: a test of more could only touch them. */
export const MOST_NUMBERS = 5;

/**
 * A test as reported by a run: `passed` at its first attempt, or `flaky`, which is no proof.
 * @typedef {{ title: string, passed: boolean, flaky: boolean }} Reported
 */

/** One suite of a report by Playwright: a file, or a `describe` in it.
 * @typedef {{ title?: string, suites?: Suite[], specs?: { title: string, tests: { status: string }[] }[] }} Suite
 */

/**
 * A passed test with a failure message passed at its second attempt.
 * @param {{ testResults?: { assertionResults: { fullName: string, status: string, failureMessages?: string[] }[] }[] }}
 * report of vitest
 * @returns {Reported[]}
 */
export const fromVitest = (report) =>
  (report.testResults ?? [])
    .flatMap((file) => file.assertionResults)
    .filter((test) => test.status !== 'pending' && test.status !== 'skipped')
    .map(({ fullName, status, failureMessages = [] }) => ({
      title: fullName,
      passed: status === 'passed' && failureMessages.length === 0,
      flaky: status === 'passed' && failureMessages.length > 0,
    }));

/**
 * @param {{ suites?: Suite[] }} report of Playwright
 * @returns {Reported[]}
 */
export const fromPlaywright = (report) => (report.suites ?? []).flatMap((suite) => inSuite(suite, ''));

/** @param {Suite} suite
 * @param {string} before titles of the suites around it
 * @returns {Reported[]}
 */
function inSuite(suite, before) {
  const own = `${before} ${suite.title ?? ''}`.trim();
  return [
    ...(suite.specs ?? [])
      .filter((spec) => spec.tests.some((test) => test.status !== 'skipped'))
      .map((spec) => ({
        title: `${own} ${spec.title}`,
        passed: spec.tests.every((test) => test.status === 'expected'),
        flaky: spec.tests.some((test) => test.status === 'flaky') && spec.tests.every((test) => test.status !== 'unexpected'),
      })),
    ...(suite.suites ?? []).flatMap((inner) => inSuite(inner, own)),
  ];
}

/**
 * A statement is covered if a test that names it passed at its first attempt, and none that names it failed or was flaky.
 * @param {Reported[]} tests
 * @param {readonly string[]} known numbers of statements
 */
export function judge(tests, known) {
  const named = tests.map((test) => ({ ...test, numbers: numbersIn(test.title) }));
  const numbered = named.flatMap((test) => test.numbers.map((number) => ({ ...test, number })));
  const failed = new Set(numbered.filter((test) => !test.passed).map((test) => test.number));
  const passed = new Set(numbered.filter((test) => test.passed).map((test) => test.number));
  /** @param {(test: typeof named[number]) => boolean} is */
  const titles = (is) => named.filter((test) => test.numbers.length > 0 && is(test)).map((test) => test.title);
  return {
    covered: known.filter((number) => passed.has(number) && !failed.has(number)),
    failures: titles((test) => !test.passed && !test.flaky),
    flaky: titles((test) => test.flaky),
    crowded: titles((test) => test.numbers.length > MOST_NUMBERS),
    unknown: numbered.filter((test) => !known.includes(test.number)).map((test) => `${test.number} in "${test.title}"`),
  };
}

/**
 * The statement numbers in a title, without duplicates.
 * @param {string} title
 * @returns {string[]}
 */
export const numbersIn = (title) => [...new Set(title.match(NUMBER) ?? [])];
