/** `npm run simulate`: runs the product's queue and field engine in many seeded worlds and judges each. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { say } from '../lib/say.mjs';
import { MODEL_MUTANTS, MUTANTS } from './mutants.ts';
import type { SeedResult } from './run-seed.ts';
import { runSeeds } from './run-seeds.ts';

const HELP = `npm run simulate -- [--seeds N] [--first-seed N] [--json] [--keep-going]
npm run simulate -- --seed N [--trace] [--record FILE] [--json]
npm run simulate -- --contract [--seeds N] [--first-seed N] [--mutants] [--json]
npm run simulate -- --mutants [--seeds N] [--only name,name] [--json]

Runs queue, field engine, writer of readings and the simulated fleet in one process; a seed determines clock, network, database and faults.
The same seed reproduces every step. The exit code is 0 without findings; --seed N --trace reproduces a seed with findings. With
--mutants, mistakes are planted in the product, and each must be found.

With --contract, the statements of each seed are executed again in PostgreSQL, and its results and tables are compared with those of the
model in memory; with --mutants, mistakes are planted in the model, and each must cause a difference. --record writes the statements of
a seed with the model's results, one JSON line each.

Mutants: ${MUTANTS.map(({ name }) => name).join(', ')}
Mutants of the model: ${MODEL_MUTANTS.map(({ name }) => name).join(', ')}`;

const SEEDS = 1_000;
const MUTANT_SEEDS = 500;
const CONTRACT_SEEDS = 60;
const SHOWN = 5;
const MINUTE_MS = 60_000;
/** Number of findings after which a run ends. */
const ENOUGH = 5;

interface Totals {
  seeds: number;
  failed: number[];
  events: number;
  statements: number;
  virtualMs: number;
  judged: SeedResult['judged'];
  struck: Map<string, number>;
}

const wholeNumber = (text: string | undefined, otherwise: number): number => {
  const value = text === undefined ? otherwise : Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Expected a whole number, got: ${text}`);
  return value;
};

function add(totals: Totals, { seed, findings, events, statements, virtualMs, judged, struck }: SeedResult): void {
  totals.seeds++;
  if (findings.length > 0) totals.failed.push(seed);
  totals.events += events;
  totals.statements += statements;
  totals.virtualMs += virtualMs;
  for (const name of Object.keys(judged) as (keyof typeof judged)[]) totals.judged[name] += judged[name]; // as: its own keys
  // Effects are counted by kind, without the serial number.
  for (const kind of new Set(struck.map((one) => one.replace(/ (DCU)?\d+$/, ''))))
    totals.struck.set(kind, (totals.struck.get(kind) ?? 0) + 1);
}

function showFindings({ seed, findings }: SeedResult): void {
  say(`seed ${seed}: ${findings.length} findings; to reproduce: npm run simulate -- --seed ${seed} --trace`);
  for (const { guarantee, what } of findings.slice(0, SHOWN)) say(`  ${guarantee}: ${what}`);
}

interface Options {
  first: number;
  seeds: number;
  trace: boolean;
  json: boolean;
  keepGoing: boolean;
  /** File for the recording of the single seed. */
  record: string | undefined;
}

async function simulate({ first, seeds, trace, json, keepGoing, record }: Options): Promise<number> {
  const began = performance.now();
  const judged = { values: 0, captures: 0, acknowledgements: 0, counters: 0, commands: 0 };
  const totals: Totals = { seeds: 0, failed: [], events: 0, statements: 0, virtualMs: 0, judged, struck: new Map() };
  let hash = '';
  await runSeeds(
    { first, count: seeds, mutant: undefined, trace, isRecording: record !== undefined },
    {
      onResult(result) {
        add(totals, result);
        hash = result.hash;
        if (result.findings.length > 0) showFindings(result);
        return keepGoing || totals.failed.length < ENOUGH;
      },
      onRecording({ recording }) {
        if (record !== undefined) writeFileSync(record, `${recording.join('\n')}\n`);
      },
    },
  );
  const ms = performance.now() - began;
  const perMinute = Math.round((totals.seeds * MINUTE_MS) / ms);
  const struck = Object.fromEntries([...totals.struck].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const { events, statements, virtualMs, failed } = totals;
  if (json) {
    const line = { seeds: totals.seeds, failed, perMinute, events, statements, virtualMs, ...judged, struck };
    process.stdout.write(`${JSON.stringify(seeds === 1 ? { ...line, hash } : line)}\n`);
  } else {
    say(
      `${totals.seeds} seeds, ${perMinute} a minute: ${events} events, ${statements} statements, ${Math.round(virtualMs / 3_600_000)} hours of simulated time`,
    );
    say(
      `judged ${judged.captures} captures with ${judged.values} values, ${judged.acknowledgements} acknowledgements, ${judged.counters} counters, ${judged.commands} commands`,
    );
    say(
      `struck: ${Object.entries(struck)
        .map(([kind, times]) => `${kind} ${times}`)
        .join(', ')}`,
    );
    if (seeds === 1) say(`trace ${hash}`);
    if (failed.length > 0) say(`seeds with findings: ${failed.join(', ')}`);
    else say(totals.seeds === seeds ? 'no findings' : `only ${totals.seeds} of ${seeds} seeds came to a verdict`);
  }
  return failed.length === 0 && totals.seeds === seeds ? 0 : 1;
}

/** Plants each mutant and searches for a seed that finds it. */
async function findMutants(names: readonly string[], { first, seeds, json }: Options): Promise<number> {
  const survived: string[] = [];
  for (const name of names) {
    let found: SeedResult | undefined;
    let run = 0;
    await runSeeds(
      { first, count: seeds, mutant: name, trace: false, isRecording: false },
      {
        onResult(result) {
          run++;
          if (result.findings.length > 0) found ??= result;
          return found === undefined;
        },
      },
    );
    const [finding] = found?.findings ?? [];
    if (found === undefined || finding === undefined) survived.push(name);
    say(
      found === undefined || finding === undefined
        ? `${name}: not found by ${run} seeds`
        : `${name}: found by seed ${found.seed} (${finding.guarantee}: ${finding.what.split('\n')[0]})`,
    );
  }
  if (json) process.stdout.write(`${JSON.stringify({ mutants: names.length, killed: names.length - survived.length, survived })}\n`);
  return survived.length === 0 ? 0 : 1;
}

const { values } = parseArgs({
  options: {
    seeds: { type: 'string' },
    'first-seed': { type: 'string' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    contract: { type: 'boolean', default: false },
    record: { type: 'string' },
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) say(HELP);
else {
  const otherwise = values.contract ? CONTRACT_SEEDS : values.mutants ? MUTANT_SEEDS : SEEDS;
  const options: Options = {
    first: wholeNumber(values.seed ?? values['first-seed'], 1),
    seeds: values.seed === undefined ? wholeNumber(values.seeds, otherwise) : 1,
    trace: values.trace && values.seed !== undefined,
    json: values.json,
    keepGoing: values['keep-going'],
    record: values.seed === undefined ? undefined : values.record,
  };
  const all = values.contract ? MODEL_MUTANTS : MUTANTS;
  const names = values.only?.split(',') ?? all.map(({ name }) => name);
  const unknown = names.filter((name) => !all.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new RangeError(`Unknown mutant ${unknown.join(', ')}`);
  if (values.contract) {
    // Imported on demand, because it loads the product with PostgreSQL.
    const { compareWithPostgres } = await import('./contract/contract.ts');
    process.exitCode = await compareWithPostgres({ ...options, mutants: values.mutants ? names : undefined });
  } else process.exitCode = values.mutants ? await findMutants(names, options) : await simulate(options);
}
