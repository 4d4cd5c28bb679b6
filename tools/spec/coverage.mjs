/**
 * `npm run spec:coverage`: runs every file with a statement number in a test title, in vitest and in the browser, and
 * reports the proved statements. Only tests that ran and passed count. With `--json` the last line is
 * `{"covered":["S-001",…]}`.
 * The whole run takes as long as all stories. `--part tests`, `--part browser` and `--part stories` run a part of it and
 * keep its report in `.cache/spec`; `--part none` evaluates the kept reports and prints their age.
 */
import { globSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { ensureBrowser } from '../lib/browser.mjs';
import { ensureConsole } from '../lib/console-build.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { cacheFolder, inRoot, root } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { runTool, say } from '../lib/say.mjs';
import { fromPlaywright, fromVitest, judge, MOST_NUMBERS } from './covered.mjs';
import { readStatements } from './statements.mjs';

const ANY_NUMBER = String.raw`S-\d{3}`;

/**
 * Files with a number, as a whole, because tests may depend on previous ones.
 * @param {string[]} patterns
 */
const numberedFiles = (patterns) =>
  globSync(patterns, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }).filter((file) =>
    new RegExp(ANY_NUMBER).test(readFileSync(inRoot(file), 'utf8')),
  );

/** Each part with its runner and the path of its report. */
const PARTS = {
  tests: { runs: vitest, patterns: ['packages/**/*.test.{ts,tsx}', 'apps/**/*.test.{ts,tsx}', 'tools/*/*.test.ts'], of: fromVitest },
  browser: { runs: playwright, patterns: ['e2e/*.spec.ts'], of: fromPlaywright },
  stories: { runs: playwright, patterns: ['e2e/stories/*.spec.ts'], of: fromPlaywright },
};
const KEPT = path.join(cacheFolder, 'spec');
/** @param {string} part */
const reportOf = (part) => path.join(KEPT, `${part}.json`);

await runTool(async () => {
  const asked = process.argv[process.argv.indexOf('--part') + 1] ?? '';
  const isWhole = !process.argv.includes('--part');
  if (!isWhole && asked !== 'none' && !(asked in PARTS)) throw new Error(`--part must be one of none, ${Object.keys(PARTS).join(', ')}`);
  const pinned = await ensureInstalled();
  mkdirSync(KEPT, { recursive: true });
  const tests = [];
  for (const [part, { runs, patterns, of }] of Object.entries(PARTS)) {
    if (isWhole || asked === part) {
      rmSync(reportOf(part), { force: true });
      await runs(pinned, numberedFiles(patterns), reportOf(part));
    } else say(`${part}: ${ageOf(reportOf(part))}`);
    tests.push(...of(read(reportOf(part))));
  }
  const statements = readStatements();
  const { covered, failures, flaky, crowded, unknown } = judge(
    tests,
    statements.map((statement) => statement.number),
  );
  tell(statements, covered);
  for (const title of failures) say(`failed: ${title}`);
  for (const title of flaky) say(`flaky, which is no proof: ${title}`);
  for (const title of crowded) say(`more than ${MOST_NUMBERS} statements: ${title}`);
  for (const title of unknown) say(`unknown statement: ${title}`);
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ covered })}\n`);
  return unknown.length + crowded.length > 0 ? 1 : 0;
});

/** @param {string} file */
function ageOf(file) {
  try {
    return `as it was run at ${statSync(file).mtime.toISOString()}`;
  } catch {
    return 'not run';
  }
}

/**
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @param {string[]} files
 * @param {string} report
 */
async function vitest({ node, env }, files, report) {
  if (files.length === 0) return;
  say(`tests with numbers in ${files.length} files (vitest)`);
  const args = ['run', ...files, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  await run(node, [inRoot('node_modules/vitest/vitest.mjs'), ...args], { env, show: true });
}

/**
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @param {string[]} files
 * @param {string} report
 */
async function playwright(pinned, files, report) {
  if (files.length === 0) return;
  const env = { ...pinned.env, HES_CHROMIUM: await ensureBrowser(pinned), PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  await ensureConsole({ ...pinned, env });
  say(`tests with numbers in ${files.length} files (browser)`);
  const args = ['test', ...files, '--reporter=list,json'];
  await run(pinned.node, [inRoot('node_modules/@playwright/test/cli.js'), ...args], { env, show: true });
}

/**
 * The report of a run; a run without a report proved nothing.
 * @param {string} report
 */
function read(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {};
  }
}

/**
 * Prints a line for each area, with its unproved statements.
 * @param {import('./statements.mjs').Statement[]} statements
 * @param {string[]} covered
 */
function tell(statements, covered) {
  const areas = [...new Set(statements.map((statement) => statement.area))];
  const width = Math.max(...areas.map((area) => area.length));
  process.stdout.write('\n');
  for (const area of areas) {
    const inside = statements.filter((statement) => statement.area === area);
    const open = inside.filter((statement) => !covered.includes(statement.number));
    const count = `${String(inside.length - open.length).padStart(3)} of ${String(inside.length).padStart(3)}`;
    process.stdout.write(`${area.padEnd(width)}  ${count}\n`);
    for (const { number, text } of open) process.stdout.write(`${' '.repeat(width)}    ${number} ${text}\n`);
  }
  process.stdout.write(`\n${covered.length} of ${statements.length} statements are proved by tests that ran and passed.\n`);
}
