import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LARGEST_INPUT, mutate } from './mutate.ts';
import { Random } from './random.ts';
import type { Target } from './target.ts';
import { isExpected } from './targets.ts';

/** Milliseconds of processor time for the largest input; smaller ones get the same because of the clock resolution. */
export const MAX_INPUT_MS = 5;
/** Slow inputs are tried again: the first run may include compilation or garbage collection. */
const RETRIES = 20;
const BATCH = 2000;
/** Inputs of the largest size whose memory is measured afterwards. */
const LARGE_KEPT = 50;
/** Seeds that are kept because of their unique ending. */
const MAX_LEARNED = 4000;

export interface Finding {
  input: Uint8Array;
  why: string;
}

export interface Campaign {
  executions: number;
  seconds: number;
  /** Inputs that were decoded without an error. */
  accepted: number;
  /** Distinct endings: results and typed errors by code and field. */
  endings: number;
  slowestMs: number;
  /** Octets retained after decoding an input of the largest size, per octet of it. */
  memoryFactor: number;
  findings: Finding[];
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void; // as: the flag above defines it

/** Waits until objects retained for this turn only are released. */
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
  return held === target ? 0 : octets; // the reference here retains the result until this line
}

/** Octets on the heap per octet of input while the result is retained. */
export async function memoryFactorOf(target: Target, input: Uint8Array): Promise<number> {
  await heldAfter(target, input); // a warm-up: excludes compilation
  return Math.max(0, await heldAfter(target, input)) / Math.max(1, input.length);
}

/** Classification of a run's ending; equal endings most likely took the same path. */
function endingOf(target: Target, input: Uint8Array): { ending: string; failure?: string } {
  try {
    target.run(input);
    return { ending: 'read' };
  } catch (error) {
    const { message } = error as Error; // as: nothing else is thrown anywhere
    return isExpected(error) ? { ending: message.replaceAll(/\d+/g, '#') } : { ending: 'broke', failure: message };
  }
}

/** Repeats a failure to record its stack. */
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
 * Processor time, independent of other processes. Of the whole process, because that of a thread is updated only every few
 * milliseconds.
 */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of processor time of an input, the best of several tries. */
export function cpuMsOf(target: Target, input: Uint8Array): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RETRIES; i++) {
    const begin = cpuMs();
    endingOf(target, input);
    best = Math.min(best, cpuMs() - begin);
  }
  return best;
}

/** Runs mutated copies of the corpus until the time or number is reached, and returns failures. */
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
  // Most inputs end in an error, and half of the time would go into unused stacks.
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
