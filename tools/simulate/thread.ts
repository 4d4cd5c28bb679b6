/** A thread that runs seeds in simulated worlds one after the other and posts their results. */
import { parentPort, workerData } from 'node:worker_threads';
import { hookModules } from './loader.ts';
import { MODEL_MUTANTS, MUTANTS } from './mutants.ts';
import type { SeedResult } from './run-seed.ts';

export interface Work {
  first: number;
  count: number;
  /** This thread runs every `step`-th seed. */
  step: number;
  mutant: string | undefined;
  trace: boolean;
  isRecording: boolean;
}

export interface Recording {
  seed: number;
  recording: string[];
}

export type Told = { result: SeedResult } | { lines: string[] } | { failure: string } | Recording;

const LINES_AT_ONCE = 500;

if (parentPort === null) throw new Error('This file runs only as a thread of `npm run simulate`');
const port = parentPort;
const { first, count, step, mutant, trace, isRecording } = workerData as Work; // as: simulate.ts starts us
const tell = (told: Told): void => port.postMessage(told);

hookModules([...MUTANTS, ...MODEL_MUTANTS].find(({ name }) => name === mutant));
const { replaceBuiltins } = await import('./builtins.ts');
replaceBuiltins();
const { catchUncaught, runSeed } = await import('./run-seed.ts');
catchUncaught();

for (let seed = first; seed < first + count; seed += step) {
  const lines: string[] = [];
  const print = (line: string): void => {
    if (lines.push(line) >= LINES_AT_ONCE) tell({ lines: lines.splice(0) });
  };
  const recording: string[] = [];
  const record = (line: string): void => void recording.push(line);
  // The world of a seed records uncaught errors as findings: errors that prevent a verdict are posted here.
  const result = await runSeed(seed, { ...(trace ? { print } : {}), ...(isRecording ? { record } : {}) }).catch((error: unknown) => {
    tell({ failure: `seed ${seed}: ${error instanceof Error ? error.stack : String(error)}` });
    return undefined;
  });
  if (lines.length > 0) tell({ lines });
  if (isRecording) tell({ recording, seed });
  if (result === undefined) break;
  tell({ result });
}
