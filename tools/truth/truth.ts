/**
 * `npm run truth`: starts the product with a small fleet, opens every list and every kind of run in a browser, exports
 * each and compares file and screen value by value. `--json` prints one line. The exit code is nonzero if anything differs
 * or was not compared.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureBrowser } from '../lib/browser.mjs';
import { ensureConsole } from '../lib/console-build.mjs';
import { ensureInstalled } from '../lib/install.mjs';
import { inRoot } from '../lib/paths.mjs';
import { run } from '../lib/run.mjs';
import { runTool, sayOn, Trouble } from '../lib/say.mjs';
import type { Difference } from './compare.ts';

interface Report {
  results: { name: string; where: string; rows: number; differences: Difference[] }[];
  missing: string[];
  withoutTable: string[];
  notMade: string[];
}

const SPEC = 'e2e/truth/every-export.spec.ts';
const MOST_SHOWN = 5;

function table({ results, missing, withoutTable, notMade }: Report): string {
  const lines = results.flatMap(({ name, where, rows, differences }) => [
    `${differences.length === 0 ? 'same  ' : 'DIFFER'} ${name.padEnd(24)} ${String(rows).padStart(5)} rows  ${where}`,
    ...differences
      .slice(0, MOST_SHOWN)
      .map((each) => `         ${each.kind}: ${each.where}: screen ${JSON.stringify(each.screen)}, file ${JSON.stringify(each.file)}`),
  ]);
  return [
    ...lines,
    ...missing.map((name) => `MISSING ${name}: it was not compared`),
    ...notMade.map((what) => `not made: ${what}`),
    ...withoutTable.map((where) => `no table ${where}`),
  ].join('\n');
}

await runTool(async () => {
  const isJson = process.argv.includes('--json');
  if (isJson) sayOn(process.stderr);
  const pinned = await ensureInstalled();
  const scratch = mkdtempSync(path.join(tmpdir(), 'hes-truth-'));
  const file = path.join(scratch, 'report.json');
  try {
    const env = { ...pinned.env, HES_CHROMIUM: await ensureBrowser(pinned), HES_TRUTH_REPORT: file };
    await ensureConsole({ ...pinned, env });
    const { code, output } = await run(pinned.node, [inRoot('node_modules/@playwright/test/cli.js'), 'test', SPEC, '--reporter=line'], {
      env,
      show: false,
    });
    if (!existsSync(file)) throw new Trouble(`the comparison did not finish:\n${output}`);
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report; // as: the spec writes it
    const differences = report.results.reduce((sum, each) => sum + each.differences.length, 0) + report.missing.length;
    const summary = { lists: report.results.length + report.missing.length, exportsCompared: report.results.length, differences };
    // With `--json` the standard output holds one line; the differences go to the standard error.
    (isJson ? process.stderr : process.stdout).write(`${table(report)}\n`);
    process.stdout.write(`${JSON.stringify(summary)}\n`);
    return differences === 0 && code === 0 ? 0 : 1;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
});
