interface Waiting {
  begin(): void;
}

export interface WorkLimits {
  /** Maximum number of concurrent pieces of work. */
  atOnce: number;
  /** Maximum number of these for unknown callers. */
  unknownAtOnce: number;
  /** Maximum number of waiting pieces per lane. */
  waiting: number;
}

/** Work of signed-in callers overtakes that of unknown callers. */
export type Lane = 'unknown' | 'signed-in';

/** Runs expensive work with limited concurrency and a short queue; refuses work when the queue is full. */
export class WorkQueue {
  readonly #limits: WorkLimits;
  readonly #waiting: Record<Lane, Waiting[]> = { unknown: [], 'signed-in': [] };
  readonly #running: Record<Lane, number> = { unknown: 0, 'signed-in': 0 };

  constructor(limits: WorkLimits) {
    this.#limits = limits;
  }

  #hasRoom(lane: Lane): boolean {
    const { unknown, 'signed-in': known } = this.#running;
    return unknown + known < this.#limits.atOnce && (lane === 'signed-in' || unknown < this.#limits.unknownAtOnce);
  }

  /** Runs or queues work; undefined when the queue is full. */
  run<T>(lane: Lane, work: () => Promise<T>): Promise<T> | undefined {
    if (!this.#hasRoom(lane) && this.#waiting[lane].length >= this.#limits.waiting) return undefined;
    return this.#inTurn(lane, work);
  }

  async #inTurn<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    if (this.#hasRoom(lane)) this.#running[lane] += 1;
    else await new Promise<void>((begin) => this.#waiting[lane].push({ begin }));
    try {
      return await work();
    } finally {
      this.#running[lane] -= 1;
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (const lane of ['signed-in', 'unknown'] as const) {
      while (this.#hasRoom(lane)) {
        const next = this.#waiting[lane].shift();
        if (next === undefined) break;
        this.#running[lane] += 1;
        next.begin();
      }
    }
  }
}
