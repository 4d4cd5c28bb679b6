/**
 * `npm run spec:coverage`: runs every file in which the title of a test carries the number of a statement, in vitest and
 * in the browser, and says which statements are proved. Only tests that ran and passed count. With `--json` the last line is
 * `{"covered":["S-001",…]}`.
 */
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBrowser } from '../lib/browser.mjs';
import { ensureConsole } from '../lib/console-build.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { inRoot, root } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { runTool, say } from '../lib/say.mjs';
import { fromPlaywright, fromVitest, judge } from './covered.mjs';
import { readStatements } from './statements.mjs';

const ANY_NUMBER = String.raw`S-\d{3}`;

await runTool(async () => {
  const pinned = await ensureInstalled();
  const scratch = mkdtempSync(path.join(tmpdir(), 'hes-spec-'));
  try {
    const tests = [
      ...fromVitest(await vitest(pinned, path.join(scratch, 'vitest.json'))),
      ...fromPlaywright(await playwright(pinned, path.join(scratch, 'playwright.json'))),
    ];
    const statements = readStatements();
    const { covered, failures, unknown } = judge(
      tests,
      statements.map((statement) => statement.number),
    );
    tell(statements, covered);
    for (const title of failures) say(`failed: ${title}`);
    for (const title of unknown) say(`no such statement: ${title}`);
    if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify({ covered })}\n`);
    return unknown.length > 0 ? 1 : 0;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});

/** Files that hold a number, whole: a test may build on the one before it.
 * @param {string[]} patterns
 */
const numberedFiles = (patterns) =>
  globSync(patterns, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }).filter((file) =>
    new RegExp(ANY_NUMBER).test(readFileSync(inRoot(file), 'utf8')),
  );

/**
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @param {string} report
 */
async function vitest({ node, env }, report) {
  const files = numberedFiles(['packages/**/*.test.{ts,tsx}', 'apps/**/*.test.{ts,tsx}', 'tools/*/*.test.ts']);
  if (files.length === 0) return {};
  say(`tests with numbers in ${files.length} files (vitest)`);
  const args = ['run', ...files, '--reporter=dot', '--reporter=json', `--outputFile.json=${report}`];
  await run(node, [inRoot('node_modules/vitest/vitest.mjs'), ...args], { env, show: true });
  return read(report);
}

/**
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @param {string} report
 */
async function playwright(pinned, report) {
  const files = numberedFiles(['e2e/**/*.spec.ts']);
  if (files.length === 0) return {};
  const env = { ...pinned.env, HES_CHROMIUM: await ensureBrowser(pinned), PLAYWRIGHT_JSON_OUTPUT_NAME: report };
  await ensureConsole({ ...pinned, env });
  say(`tests with numbers in ${files.length} files (browser)`);
  const args = ['test', ...files, '--reporter=list,json'];
  await run(pinned.node, [inRoot('node_modules/@playwright/test/cli.js'), ...args], { env, show: true });
  return read(report);
}

/** What a run left; a run that ended before it could report proved nothing.
 * @param {string} report
 */
function read(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {};
  }
}

/** A line for each area, with the statements that nothing proves yet.
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
