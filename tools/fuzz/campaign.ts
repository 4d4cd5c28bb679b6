import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LARGEST_INPUT, mutate } from './mutate.ts';
import { Random } from './random.ts';
import type { Target } from './target.ts';
import { isExpected } from './targets.ts';

/** Milliseconds of processor time that the largest input may take; smaller ones get the same, because a clock tick is not theirs. */
export const MAX_INPUT_MS = 5;
/** Slow inputs are tried again: the first time may belong to the compiler or to the collector. */
const RETRIES = 20;
const BATCH = 2000;
/** Inputs of the largest size whose memory is measured afterwards. */
const LARGE_KEPT = 50;
/** Seeds that are kept because they ended in a way no other did. */
const MAX_LEARNED = 4000;

export interface Finding {
  input: Uint8Array;
  why: string;
}

export interface Campaign {
  executions: number;
  seconds: number;
  /** Inputs that were read without complaint. */
  accepted: number;
  /** Ways to end: results and typed errors by code and field. */
  endings: number;
  slowestMs: number;
  /** Octets that are held after an input of the largest size was read, per octet of it. */
  memoryFactor: number;
  findings: Finding[];
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // as: the flag above puts it there

/** Until what the program held on to for this turn only is let go. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

async function heldAfter(target: Target, input: Uint8Array): Promise<number> {
  await nextTurn();
  collect();
  const before = process.memoryUsage();
  let held: unknown;
  try {
    held = target.run(input);
  } catch (error) {
    held = error;
  }
  await nextTurn();
  collect();
  const after = process.memoryUsage();
  const octets = after.heapUsed + after.external - before.heapUsed - before.external;
  return held === target ? 0 : octets; // asked for here, so that it is held until here
}

/** What is left on the heap per octet of input while the result is held. */
export async function memoryFactorOf(target: Target, input: Uint8Array): Promise<number> {
  await heldAfter(target, input); // what is compiled for the first time is not this input's
  return Math.max(0, await heldAfter(target, input)) / Math.max(1, input.length);
}

/** How a run ended, in a word: the same word, most likely the same path. */
function endingOf(target: Target, input: Uint8Array): { ending: string; failure?: string } {
  try {
    target.run(input);
    return { ending: 'read' };
  } catch (error) {
    const { message } = error as Error; // as: nothing else is thrown anywhere
    return isExpected(error) ? { ending: message.replaceAll(/\d+/g, '#') } : { ending: 'broke', failure: message };
  }
}

/** The same failure once more, with its stack. */
function explained(target: Target, input: Uint8Array): string {
  Error.stackTraceLimit = 20;
  try {
    target.run(input);
    return 'broke once, not twice';
  } catch (error) {
    const { stack, message, cause } = error as Error; // as: see above
    return `${stack ?? message}${cause instanceof Error ? `\n${cause.stack ?? cause.message}` : ''}`;
  } finally {
    Error.stackTraceLimit = 0;
  }
}

/**
 * Processor time: what others do with the machine meanwhile is not the decoder's. Of the whole process, because that of
 * a thread is only brought up to date every few milliseconds.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of processor time that an input takes, the best of several tries. */
export function cpuMsOf(target: Target, input: Uint8Array): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RETRIES; i++) {
    const begin = cpuMs();
    endingOf(target, input);
    best = Math.min(best, cpuMs() - begin);
  }
  return best;
}

/** Runs damaged copies of the corpus until the time or the number is up, and says what broke. */
export async function fuzz(
  target: Target,
  corpus: Uint8Array[],
  limits: { seconds: number; executions: number; seed: number },
): Promise<Campaign> {
  const random = new Random(limits.seed);
  const seen = new Set<string>();
  const learned = [...corpus];
  const large: Uint8Array[] = [];
  const result: Campaign = { executions: 0, seconds: 0, accepted: 0, endings: 0, slowestMs: 0, memoryFactor: 0, findings: [] };
  const begin = performance.now();
  // Most inputs end in an error, and half of the time would go into stacks that nobody reads.
  Error.stackTraceLimit = 0;
  while (result.executions < limits.executions && result.seconds < limits.seconds && result.findings.length < 10) {
    const batch = Math.min(BATCH, limits.executions - result.executions);
    for (let i = 0; i < batch; i++) {
      const input = mutate(learned, random);
      const began = performance.now();
      const { ending, failure } = endingOf(target, input);
      const took = performance.now() - began;
      if (ending === 'read') result.accepted++;
      if (failure !== undefined) result.findings.push({ input, why: explained(target, input) });
      if (took > MAX_INPUT_MS || took > result.slowestMs) checkTime(target, input, result);
      if (!seen.has(ending) && learned.length < corpus.length + MAX_LEARNED) {
        seen.add(ending);
        learned.push(input);
      }
      if (input.length === LARGEST_INPUT && large.length < LARGE_KEPT) large.push(input);
    }
    result.executions += batch;
    result.seconds = (performance.now() - begin) / 1000;
  }
  result.endings = seen.size;
  Error.stackTraceLimit = 10;
  for (const input of [...large, ...(target.bombs?.() ?? [])])
    result.memoryFactor = Math.max(result.memoryFactor, await memoryFactorOf(target, input));
  return result;
}

function checkTime(target: Target, input: Uint8Array, result: Campaign): void {
  const again = cpuMsOf(target, input);
  result.slowestMs = Math.max(result.slowestMs, again);
  if (again > MAX_INPUT_MS) result.findings.push({ input, why: `${again.toFixed(1)} ms` });
}
