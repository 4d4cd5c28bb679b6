/**
 * `npm run mutants:stryker`: mutates one module with Stryker in a copy of the product, and reports the share of mutants
 * that its tests kill.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { SAMPLE_SEED, SAMPLE_SIZE, SAMPLING } from './sampling-checker.ts';
import { scoreOf, type Report } from './score.ts';
import { endOnSignals, makeScratchTree, type ScratchTree } from './scratch-tree.ts';
import { MODULE_SETTING, STRYKER_MODULES, type StrykerModule } from './stryker-modules.ts';

const HELP = `npm run mutants:stryker -- --module ${Object.keys(STRYKER_MODULES).join('|')} [--sample N] [--seed S] [--at-once N] [--json]

Changes operators, conditions, texts and blocks of a module in a copy of the working tree, and runs the tests that cover each change.
The score is the share of covered mutants that a test detects. A sample of N mutants is drawn from the covered ones; without
it every mutant is tried, which takes hours for modules of the server.

  --sample N    mutants to try
  --seed S      the same seed draws the same sample; default: 1
  --at-once N   parallel test runners; default: 1
  --json        one line: {"module":…,"covered":n,"tried":n,"killed":n,"score":0.9,"interval":[0.8,0.9],"survived":[…]}

Exit code 0: the score is at least 0.85, 1: it is less, 2: the run failed.`;

const OPTIONS = {
  module: { type: 'string' },
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  'at-once': { type: 'string', default: '1' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** Minimum share of detected mutants among the covered ones. */
const LEAST_SCORE = 0.85;
/** Excess over the usual duration after which covering tests count as timed out. */
const PATIENCE_MS = 30_000;
const LONGEST_DRY_RUN_MINUTES = 60;

/** @see https://stryker-mutator.io/docs/stryker-js/configuration */
const configurationOf = ({ mutate }: StrykerModule, atOnce: number, report: string) => ({
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner', './tools/mutants/sampling-checker.ts'],
  vitest: { configFile: 'tools/mutants/stryker-vitest.config.ts', related: false, pool: 'forks' },
  mutate,
  checkers: [SAMPLING],
  coverageAnalysis: 'perTest',
  // Code that runs at module load: each such mutant would need every test of the module.
  ignoreStatic: true,
  concurrency: atOnce,
  // Stryker may change the copy; it cannot copy a project for the native compiler of TypeScript 7 itself.
  inPlace: true,
  disableTypeChecks: false,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: report },
  allowConsoleColors: false,
  timeoutMS: PATIENCE_MS,
  dryRunTimeoutMinutes: LONGEST_DRY_RUN_MINUTES,
});

/** Runs Stryker in the tree with its output on the standard error. Returns its exit code. */
function runStryker({ folder, temporary }: ScratchTree, configuration: string, settings: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const program = path.join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
    const env = { ...process.env, TMPDIR: temporary, ...settings };
    const child = spawn(process.execPath, [program, 'run', configuration], { cwd: folder, env, stdio: ['ignore', 2, 2] });
    process.once('exit', () => child.kill());
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: OPTIONS });
  const { module: name = '', seed } = values;
  const wanted = STRYKER_MODULES[name];
  const atOnce = Number(values['at-once']);
  if (values.help || wanted === undefined || !(atOnce >= 1)) {
    console.log(HELP);
    return values.help ? 0 : 2;
  }
  const tree = makeScratchTree();
  try {
    const report = path.join(tree.temporary, 'stryker-report.json');
    const configuration = path.join(tree.temporary, 'stryker.json');
    writeFileSync(configuration, JSON.stringify(configurationOf(wanted, atOnce, report)));
    const sample: Record<string, string> = values.sample === undefined ? {} : { [SAMPLE_SIZE]: values.sample };
    const code = await runStryker(tree, configuration, { [MODULE_SETTING]: name, [SAMPLE_SEED]: seed, ...sample });
    if (code !== 0) return 2;
    const score = scoreOf(JSON.parse(readFileSync(report, 'utf8')) as Report); // as: Stryker writes its own format
    const { tried, covered, killed, score: share, interval, survived } = score;
    const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
    if (values.json) console.log(JSON.stringify({ module: name, seed, ...score }));
    else {
      for (const line of survived) console.log(`survived ${line}`);
      console.log(
        `${name}: ${killed} of ${tried} mutants killed, ${percent(share)} (95 %: ${interval.map(percent).join(' to ')}), ` +
          `out of ${covered} that are covered, seed ${seed}`,
      );
    }
    return share >= LEAST_SCORE ? 0 : 1;
  } finally {
    tree.remove();
  }
}

endOnSignals();
process.exitCode = await main();
