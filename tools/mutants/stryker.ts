/**
 * `npm run mutants:stryker`: mutates one module with Stryker in a copy of the product, and reports the share of mutants
 * that its tests kill.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../lib/paths.mjs';
import { RESULTS } from './results-reporter.ts';
import { appendResult, readResults, RESULTS_FILE } from './results.ts';
import { SAMPLE_SEED, SAMPLE_SIZE, SAMPLING, TRY_SURVIVORS } from './sampling-checker.ts';
import { scoreOf, type Report, type Score } from './score.ts';
import { endOnSignals } from './scratch-tree.ts';
import { makeTestBed, type TestBed } from './test-bed.ts';
import { MODULE_SETTING, STRYKER_MODULES, type StrykerModule } from './stryker-modules.ts';

const HELP = `npm run mutants:stryker -- --module ${Object.keys(STRYKER_MODULES).join('|')} [--sample N] [--seed S] [--resume] [--json]

Changes operators, conditions, texts and blocks of a module in a copy of the working tree, and runs the tests that cover each change.
The score is the share of covered mutants that a test detects. A sample of N mutants is drawn from the covered ones; without
it every mutant is tried, which takes hours for modules of the server.

Each result is written to .cache/mutants/ at once. A mutant that times out is tried again in a second pass.

  --sample N    mutants to try
  --seed S      the same seed draws the same sample; default: 1
  --resume      keeps the results of an earlier run of module and seed, which must be of the same sources
  --survivors   with --resume: tries its survivors again, after tests were added
  --at-once N   parallel test runners; default: 1
  --json        one line: {"module":…,"covered":n,"tried":n,"killed":n,"score":0.9,"interval":[0.8,0.9],"survived":[…],
                "undecided":[…],"broken":[…]}

Exit code 0: the score is at least 0.85, 1: it is less, 2: the run failed.`;

const OPTIONS = {
  module: { type: 'string' },
  sample: { type: 'string' },
  seed: { type: 'string', default: '1' },
  resume: { type: 'boolean', default: false },
  survivors: { type: 'boolean', default: false },
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
  plugins: ['@stryker-mutator/vitest-runner', './tools/mutants/sampling-checker.ts', './tools/mutants/results-reporter.ts'],
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
  reporters: ['json', 'progress-append-only', RESULTS],
  jsonReporter: { fileName: report },
  allowConsoleColors: false,
  timeoutMS: PATIENCE_MS,
  dryRunTimeoutMinutes: LONGEST_DRY_RUN_MINUTES,
});

/** Runs Stryker in the tree with its output on the standard error. Returns its exit code. */
function runStryker(
  { folder, temporary, databaseUrl, databaseOwnerUrl }: TestBed,
  configuration: string,
  settings: Record<string, string>,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const program = path.join(folder, 'node_modules/@stryker-mutator/core/bin/stryker.js');
    // Stryker restarts its test process for many mutants; a database for each of these would take longer than their tests.
    const database = { HES_TEST_DATABASE_URL: databaseUrl, HES_TEST_DATABASE_OWNER_URL: databaseOwnerUrl };
    const env = { ...process.env, TMPDIR: temporary, ...database, ...settings };
    const child = spawn(process.execPath, [program, 'run', configuration], { cwd: folder, env, stdio: ['ignore', 2, 2] });
    process.once('exit', () => child.kill());
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** File of the results, with those of an earlier run if they are to be kept. */
function prepareResults(module: string, seed: string, isResumed: boolean): string {
  const folder = path.join(root, '.cache/mutants');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${module}-${seed}.jsonl`);
  const kept = isResumed ? readResults(file) : [];
  writeFileSync(file, '');
  for (const result of kept) appendResult(file, result);
  return file;
}

/** Two passes at most: the second one repeats mutants that timed out. Undefined if Stryker failed. */
async function measure(
  bed: TestBed,
  module: StrykerModule,
  atOnce: number,
  settings: Record<string, string> & { [RESULTS_FILE]: string },
): Promise<Score | undefined> {
  const report = path.join(bed.temporary, 'stryker-report.json');
  const configuration = path.join(bed.temporary, 'stryker.json');
  writeFileSync(configuration, JSON.stringify(configurationOf(module, atOnce, report)));
  const pass = async (passSettings: Record<string, string>): Promise<Score | undefined> => {
    if ((await runStryker(bed, configuration, passSettings)) !== 0) return undefined;
    const read = JSON.parse(readFileSync(report, 'utf8')) as Report; // as: Stryker writes its own format
    return scoreOf(read, readResults(settings[RESULTS_FILE]));
  };
  const first = await pass(settings);
  if (first === undefined || first.undecided.length === 0) return first;
  const { [TRY_SURVIVORS]: _, ...repeated } = settings;
  return pass(repeated);
}

function print(module: string, seed: string, score: Score, asJson: boolean): void {
  if (asJson) return console.log(JSON.stringify({ module, seed, ...score }));
  const { tried, covered, killed, score: share, interval, survived, undecided, broken } = score;
  const percent = (part: number): string => `${(100 * part).toFixed(1)} %`;
  for (const line of survived) console.log(`survived ${line}`);
  for (const line of undecided) console.log(`undecided ${line}`);
  for (const line of broken) console.log(`broken ${line}`);
  console.log(
    `${module}: ${killed} of ${tried} mutants killed, ${percent(share)} (95 %: ${interval.map(percent).join(' to ')}), ` +
      `out of ${covered} that are covered, seed ${seed}`,
  );
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
  const bed = await makeTestBed();
  try {
    const settings = {
      [MODULE_SETTING]: name,
      [SAMPLE_SEED]: seed,
      [RESULTS_FILE]: prepareResults(name, seed, values.resume),
      ...(values.sample === undefined ? {} : { [SAMPLE_SIZE]: values.sample }),
      ...(values.survivors ? { [TRY_SURVIVORS]: 'yes' } : {}),
    };
    const score = await measure(bed, wanted, atOnce, settings);
    if (score === undefined) return 2;
    print(name, seed, score, values.json);
    return score.score >= LEAST_SCORE ? 0 : 1;
  } finally {
    await bed.close();
  }
}

endOnSignals();
process.exitCode = await main();
