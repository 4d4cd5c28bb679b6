/**
 * `npm test`: from a fresh clone to one line with the number of passed tests. Paths given as arguments narrow it: those
 * under e2e/ go to the browser tests, all others to vitest. The stories of single pages (e2e/stories) take too long for
 * every commit: they run on request, `npm test -- e2e/stories`, and for `npm run spec:coverage`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBrowser } from '../lib/browser.mjs';
import { ensureConsole } from '../lib/console-build.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { inRoot } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { runTool, say } from '../lib/say.mjs';
import { closingLine, faultsOf, playwrightTally, sum, vitestTally } from './tally.mjs';

/** Browser tests other than the stories, as Playwright matches paths. */
const CORE = String.raw`e2e[/\\][^/\\]+\.spec\.ts$`;

await runTool(async () => {
  const asked = process.argv.slice(2);
  const browserPaths = asked.filter((argument) => argument.startsWith('e2e'));
  const otherPaths = asked.filter((argument) => !argument.startsWith('e2e'));
  const runsAll = asked.length === 0;

  const pinned = await ensureInstalled();
  const scratch = mkdtempSync(path.join(tmpdir(), 'hes-test-'));
  const tallies = [];
  try {
    if (runsAll || browserPaths.length > 0) {
      pinned.env.HES_CHROMIUM = await ensureBrowser(pinned);
      await ensureConsole(pinned);
    }
    if (runsAll || otherPaths.length > 0) tallies.push(await vitest(pinned, otherPaths, scratch));
    if (runsAll || browserPaths.length > 0) tallies.push(await playwright(pinned, browserPaths, path.join(scratch, 'playwright.json')));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const total = sum(tallies);
  process.stdout.write(`\n${faultsOf(total)}${closingLine(total)}\n`);
  return total.failed === 0 && total.passed + total.flaky.length > 0 ? 0 : 1;
});

/**
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @param {string[]} paths
 * @param {string} scratch Folder of the reports.
 */
async function vitest({ node, env }, paths, scratch) {
  say('unit, database and field tests (vitest)');
  const report = path.join(scratch, 'vitest.json');
  const outside = path.join(scratch, 'outside-tests.json');
  const args = [
    inRoot('node_modules/vitest/vitest.mjs'),
    'run',
    ...paths,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
    `--reporter=${inRoot('tools/test/outside-reporter.mjs')}`,
  ];
  const { code } = await run(node, args, { env: { ...env, OUTSIDE_TESTS_FILE: outside }, show: true });
  return vitestTally(report, outside, code);
}

/**
 * @param {{ node: string, env: NodeJS.ProcessEnv }} pinned
 * @param {string[]} paths
 * @param {string} report
 */
async function playwright({ node, env }, paths, report) {
  say(`browser tests (Playwright with ${env.HES_CHROMIUM})`);
  const args = [inRoot('node_modules/@playwright/test/cli.js'), 'test', ...(paths.length > 0 ? paths : [CORE]), '--reporter=list,json'];
  const { code } = await run(node, args, { env: { ...env, PLAYWRIGHT_JSON_OUTPUT_NAME: report }, show: true });
  return playwrightTally(report, code);
}
