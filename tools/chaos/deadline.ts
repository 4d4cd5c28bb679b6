import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const NS_PER_MS = 1e6;
const LOOK_EVERY_MS = 250;

/** Milliseconds that the main thread of a process has waited for a processor; 0 where the system does not count them, or the process has ended. */
function processorWaitMs(pid: number): number {
  try {
    const [, waitedNs] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ');
    return Number(waitedNs) / NS_PER_MS;
  } catch {
    return 0;
  }
}

/**
 * A time limit for processes. Time in which they wait for a processor does not count: on a machine that is busy with other work, it says
 * nothing about the product.
 */
export class Deadline {
  readonly #began = performance.now();
  readonly #limitMs: number;
  readonly #waitedBefore: ReadonlyMap<number, number>;

  constructor(limitMs: number, pids: readonly number[]) {
    this.#limitMs = limitMs;
    this.#waitedBefore = new Map(pids.map((pid) => [pid, processorWaitMs(pid)]));
  }

  /** Milliseconds since the beginning, without those that the process in the worst place spent waiting: the waits of several overlap. */
  get spentMs(): number {
    const waits = [...this.#waitedBefore].map(([pid, before]) => processorWaitMs(pid) - before);
    return performance.now() - this.#began - Math.max(0, ...waits);
  }

  get isOver(): boolean {
    return this.spentMs >= this.#limitMs;
  }

  /** Resolves when the limit is over. */
  async untilOver(): Promise<void> {
    while (!this.isOver) await wait(LOOK_EVERY_MS);
  }
}
