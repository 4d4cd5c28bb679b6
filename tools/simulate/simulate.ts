/** `npm run simulate`: many seeded worlds with the product's own queue and field engine in them, and what a judge says of each. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { say } from '../lib/say.mjs';
import { MUTANTS } from './mutants.ts';
import type { SeedResult } from './run-seed.ts';
import type { Told, Work } from './thread.ts';

const HELP = `npm run simulate -- [--seeds N] [--first-seed N] [--json] [--keep-going]
npm run simulate -- --seed N [--trace] [--json]
npm run simulate -- --mutants [--seeds N] [--only name,name] [--json]

Runs queue, field engine, writer of readings and the simulated fleet in one process, under a clock, a network, a database and faults that
a seed decides about. The same seed does the same again, step by step. The exit code is 0 when nothing is found; a seed that
finds something is run again with --seed N --trace. With --mutants, mistakes are planted in the product, and each has to be found.

Mutants: ${MUTANTS.map(({ name }) => name).join(', ')}`;

const SEEDS = 1_000;
const MUTANT_SEEDS = 500;
const SHOWN = 5;
const MINUTE_MS = 60_000;
/** Findings after which a run ends: the first is enough to begin with. */
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
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`Not a whole number: ${text}`);
  return value;
};

/** Runs seeds on all cores; `onResult` answers whether more are wanted. */
async function runSeeds(work: Omit<Work, 'step'>, onResult: (result: SeedResult) => boolean): Promise<void> {
  const threads = work.trace ? 1 : Math.min(availableParallelism(), work.count);
  const running = Array.from({ length: threads }, (_, index) => {
    const workerData: Work = { ...work, first: work.first + index, count: work.count - index, step: threads };
    return new Worker(new URL('thread.ts', import.meta.url), { workerData });
  });
  const stop = (): void => running.forEach((worker) => void worker.terminate());
  await Promise.all(
    running.map(
      (worker) =>
        new Promise<void>((resolve, reject) => {
          worker.on('message', (told: Told) => {
            if ('lines' in told) process.stdout.write(`${told.lines.join('\n')}\n`);
            else if (!onResult(told.result)) stop();
          });
          worker.once('error', (error) => {
            stop();
            reject(error);
          });
          worker.once('exit', () => resolve());
        }),
    ),
  );
}

function add(totals: Totals, { seed, findings, events, statements, virtualMs, judged, struck }: SeedResult): void {
  totals.seeds++;
  if (findings.length > 0) totals.failed.push(seed);
  totals.events += events;
  totals.statements += statements;
  totals.virtualMs += virtualMs;
  for (const name of Object.keys(judged) as (keyof typeof judged)[]) totals.judged[name] += judged[name]; // as: its own keys
  // Without the serial number, a strike is one of its kind.
  for (const kind of new Set(struck.map((one) => one.replace(/ (DCU)?\d+$/, ''))))
    totals.struck.set(kind, (totals.struck.get(kind) ?? 0) + 1);
}

function showFindings({ seed, findings }: SeedResult): void {
  say(`seed ${seed}: ${findings.length} findings; again: npm run simulate -- --seed ${seed} --trace`);
  for (const { guarantee, what } of findings.slice(0, SHOWN)) say(`  ${guarantee}: ${what}`);
}

interface Options {
  first: number;
  seeds: number;
  trace: boolean;
  json: boolean;
  keepGoing: boolean;
}

async function simulate({ first, seeds, trace, json, keepGoing }: Options): Promise<number> {
  const began = performance.now();
  const judged = { values: 0, captures: 0, acknowledgements: 0, counters: 0, commands: 0 };
  const totals: Totals = { seeds: 0, failed: [], events: 0, statements: 0, virtualMs: 0, judged, struck: new Map() };
  let hash = '';
  await runSeeds({ first, count: seeds, mutant: undefined, trace }, (result) => {
    add(totals, result);
    hash = result.hash;
    if (result.findings.length > 0) showFindings(result);
    return keepGoing || totals.failed.length < ENOUGH;
  });
  const ms = performance.now() - began;
  const perMinute = Math.round((totals.seeds * MINUTE_MS) / ms);
  const struck = Object.fromEntries([...totals.struck].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const { events, statements, virtualMs, failed } = totals;
  if (json) {
    const line = { seeds: totals.seeds, failed, perMinute, events, statements, virtualMs, ...judged, struck };
    process.stdout.write(`${JSON.stringify(seeds === 1 ? { ...line, hash } : line)}\n`);
  } else {
    say(
      `${totals.seeds} seeds, ${perMinute} a minute: ${events} events, ${statements} statements, ${Math.round(virtualMs / 3_600_000)} hours of their time`,
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
    say(failed.length === 0 ? 'nothing found' : `seeds with findings: ${failed.join(', ')}`);
  }
  return failed.length === 0 && totals.seeds > 0 ? 0 : 1;
}

/** Plants each mutant and looks for a seed that finds it. */
async function findMutants(names: readonly string[], { first, seeds, json }: Options): Promise<number> {
  const survived: string[] = [];
  for (const name of names) {
    let found: SeedResult | undefined;
    let run = 0;
    await runSeeds({ first, count: seeds, mutant: name, trace: false }, (result) => {
      run++;
      if (result.findings.length > 0) found ??= result;
      return found === undefined;
    });
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
    only: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) say(HELP);
else {
  const options: Options = {
    first: wholeNumber(values.seed ?? values['first-seed'], 1),
    seeds: values.seed === undefined ? wholeNumber(values.seeds, values.mutants ? MUTANT_SEEDS : SEEDS) : 1,
    trace: values.trace && values.seed !== undefined,
    json: values.json,
    keepGoing: values['keep-going'],
  };
  const names = values.only?.split(',') ?? MUTANTS.map(({ name }) => name);
  const unknown = names.filter((name) => !MUTANTS.some((mutant) => mutant.name === name));
  if (unknown.length > 0) throw new RangeError(`There is no mutant ${unknown.join(', ')}`);
  process.exitCode = values.mutants ? await findMutants(names, options) : await simulate(options);
}
