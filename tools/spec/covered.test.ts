import { globSync, readFileSync } from 'node:fs';
import { parseSync, Visitor } from 'oxc-parser';
import { expect, test } from 'vitest';
import { inRoot, root } from '../lib/paths.mjs';
import { fromPlaywright, fromVitest, judge, MOST_NUMBERS, numbersIn } from './covered.mjs';
import { readStatements } from './statements.mjs';

/** Assembled from parts: a literal number in this file would count as proved. */
const numbered = (of: number): string => `S-${String(of).padStart(3, '0')}`;
const known = [1, 2, 3].map(numbered);

test('statements are numbered without gaps and duplicates, each in an area', () => {
  const statements = readStatements();
  expect(statements.map(({ number }) => number)).toEqual(statements.map((_, index) => numbered(index + 1)));
  expect(statements.filter(({ area }) => area === '')).toEqual([]);
});

test('a statement is covered when a test that names it passed, and none failed or was flaky', () => {
  const tests = [
    { title: `${known[0]} ${known[1]} ${known[2]}: all`, passed: true, flaky: false },
    { title: `${known[1]}: again`, passed: false, flaky: false },
    { title: `${known[2]}: later`, passed: false, flaky: true },
  ];
  expect(judge(tests, known)).toEqual({
    covered: [known[0]],
    failures: [`${known[1]}: again`],
    flaky: [`${known[2]}: later`],
    crowded: [],
    unknown: [],
  });
});

test('an unknown statement number is reported', () => {
  expect(judge([{ title: `${numbered(999)}: what`, passed: true, flaky: false }], known).unknown).toHaveLength(1);
});

const ranks = (count: number) => Array.from({ length: count }, (_, index) => numbered(index + 1));

test('a title with more statements than one test can prove is reported, even if it is assembled at run time', () => {
  const titles = [ranks(5), ranks(6), [...ranks(5), ...ranks(5)]].map((numbers) => `${numbers.join(' ')}: much`);
  const tests = titles.map((title) => ({ title, passed: true, flaky: false }));
  expect(judge(tests, ranks(6)).crowded).toEqual([titles[1]]);
});

test(`no title in the source names more than ${MOST_NUMBERS} statements`, () => {
  const files = globSync(['{apps,packages}/**/*.test.{ts,tsx}', 'tools/*/*.test.ts', 'e2e/**/*.spec.ts'], {
    cwd: root,
    exclude: (name) => name === 'node_modules' || name === 'dist',
  });
  expect(files.length).toBeGreaterThan(300);
  const crowded = files.flatMap((file) => crowdedTexts(file, readFileSync(inRoot(file), 'utf8')));
  expect(crowded).toEqual([]);
});

test('the search in the source finds titles in quotes and in templates', () => {
  const title = ranks(6).join(' ');
  const source = `test('${title}: x', f); test.each(rows)(\`${title}: $\{name}\`, f); test('${ranks(5).join(' ')}: y', f);`;
  expect(crowdedTexts('a.test.ts', source.replaceAll('\\', ''))).toHaveLength(2);
});

/** Texts of a source file with too many numbers, with their locations. */
function crowdedTexts(file: string, source: string): string[] {
  const found: string[] = [];
  if (numbersIn(source).length <= MOST_NUMBERS) return found;
  const judgeText = (text: string) => numbersIn(text).length > MOST_NUMBERS && found.push(`${file}: ${text}`);
  new Visitor({
    Literal: ({ value }) => typeof value === 'string' && judgeText(value),
    TemplateLiteral: ({ quasis }) => judgeText(quasis.map(({ value }) => value.raw).join(' ')),
  }).visit(parseSync(file, source).program);
  return found;
}

test('only tests that ran and passed at the first attempt count, in vitest and in Playwright', () => {
  const vitest = {
    testResults: [
      {
        assertionResults: [
          { fullName: 'a', status: 'passed' },
          { fullName: 'b', status: 'skipped' },
          { fullName: 'c', status: 'passed', failureMessages: ['Not at the first try'] },
        ],
      },
    ],
  };
  expect(fromVitest(vitest)).toEqual([
    { title: 'a', passed: true, flaky: false },
    { title: 'c', passed: false, flaky: true },
  ]);
  const inner = {
    title: 'tabs',
    specs: [
      { title: 'close', tests: [{ status: 'flaky' }] },
      { title: 'open', tests: [{ status: 'skipped' }] },
    ],
  };
  expect(fromPlaywright({ suites: [{ title: 'shell.spec.ts', suites: [inner] }] })).toEqual([
    { title: 'shell.spec.ts tabs close', passed: false, flaky: true },
  ]);
});
