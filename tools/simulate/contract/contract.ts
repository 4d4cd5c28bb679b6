import { say } from '../../lib/say.mjs';
import { COMPARED } from '../database/statements.ts';
import { runSeeds } from '../run-seeds.ts';
import type { Recording } from '../thread.ts';
import { replay } from './replay.ts';
import { startScratchDatabases, type ScratchDatabases } from './scratch-databases.ts';

export interface ContractOptions {
  first: number;
  seeds: number;
  json: boolean;
  /** Mutants of the model, each of which must cause a difference; absent: the unchanged model. */
  mutants: readonly string[] | undefined;
}

/** Recordings held at a time: running a seed is faster than replaying it. */
const SEEDS_AT_ONCE = 24;
const REPLAYS_AT_ONCE = 2;

interface Compared {
  seeds: number;
  /** Seeds whose recordings end at a crash that lost commits. */
  cut: number;
  statements: number;
  /** Patterns of statements that no seed reached. */
  unreached: string[];
  differences: { seed: number; differences: string[] }[];
}

async function record(first: number, count: number, mutant: string | undefined): Promise<Recording[]> {
  const recordings: Recording[] = [];
  await runSeeds(
    { first, count, mutant, trace: false, isRecording: true },
    { onResult: () => true, onRecording: (recording) => void recordings.push(recording) },
  );
  return recordings.toSorted((a, b) => a.seed - b.seed);
}

/** Replays seeds until enough of them differ. */
async function compareSeeds(
  databases: ScratchDatabases,
  { first, seeds, mutant, enough }: { first: number; seeds: number; mutant: string | undefined; enough: number },
): Promise<Compared> {
  const compared: Compared = { seeds: 0, cut: 0, statements: 0, unreached: [], differences: [] };
  const reached = new Set<string>();
  for (let from = first; from < first + seeds && compared.differences.length < enough; from += SEEDS_AT_ONCE) {
    const recordings = await record(from, Math.min(SEEDS_AT_ONCE, first + seeds - from), mutant);
    const work = async (): Promise<void> => {
      for (let one = recordings.shift(); one !== undefined && compared.differences.length < enough; one = recordings.shift()) {
        const database = await databases.clone();
        const { statements, patterns, differences, isCut } = await replay(one.recording, database).finally(() => database.drop());
        compared.seeds++;
        compared.statements += statements;
        if (isCut) compared.cut++;
        for (const pattern of patterns) reached.add(pattern);
        if (differences.length > 0) compared.differences.push({ seed: one.seed, differences });
      }
    };
    await Promise.all(Array.from({ length: REPLAYS_AT_ONCE }, work));
  }
  return { ...compared, unreached: COMPARED.filter((pattern) => !reached.has(pattern)) };
}

const ENOUGH = 5;

async function compareModel(databases: ScratchDatabases, { first, seeds, json }: ContractOptions): Promise<number> {
  const compared = await compareSeeds(databases, { first, seeds, mutant: undefined, enough: ENOUGH });
  for (const { seed, differences } of compared.differences) say(`seed ${seed}: ${differences.join('\n')}`);
  if (json) process.stdout.write(`${JSON.stringify({ ...compared, differences: compared.differences.map(({ seed }) => seed) })}\n`);
  else {
    say(`${compared.seeds} seeds, ${compared.statements} statements, ${compared.cut} seeds up to a crash that lost commits`);
    say(`not reached: ${compared.unreached.join('  ') || 'none'}`);
    say(
      compared.differences.length === 0
        ? 'no difference'
        : `seeds with differences: ${compared.differences.map(({ seed }) => seed).join(', ')}`,
    );
  }
  return compared.differences.length === 0 && compared.seeds > 0 ? 0 : 1;
}

async function findModelMutants(databases: ScratchDatabases, mutants: readonly string[], options: ContractOptions): Promise<number> {
  const survived: string[] = [];
  for (const name of mutants) {
    const { seeds, differences } = await compareSeeds(databases, { ...options, mutant: name, enough: 1 });
    const [found] = differences;
    if (found === undefined) survived.push(name);
    say(found === undefined ? `${name}: no difference in ${seeds} seeds` : `${name}: found by seed ${found.seed}`);
  }
  if (options.json)
    process.stdout.write(`${JSON.stringify({ mutants: mutants.length, killed: mutants.length - survived.length, survived })}\n`);
  return survived.length === 0 ? 0 : 1;
}

/** Executes the statements of seeds in PostgreSQL and compares it with the model. Returns the exit code. */
export async function compareWithPostgres(options: ContractOptions): Promise<number> {
  const databases = await startScratchDatabases();
  try {
    const { mutants } = options;
    return await (mutants === undefined ? compareModel(databases, options) : findModelMutants(databases, mutants, options));
  } finally {
    await databases.stop();
  }
}
