interface Waiting {
  begin(): void;
}

export interface WorkLimits {
  /** Pieces of work that run at the same moment. */
  atOnce: number;
  /** Of them, at most this many for unknown callers. */
  unknownAtOnce: number;
  /** Pieces of work that wait, for unknown callers and for signed-in ones each. */
  waiting: number;
}

/** Who waits: work of signed-in callers overtakes that of callers who are not signed in. */
export type Lane = 'unknown' | 'signed-in';

/** Costly work, a few pieces at a time, with a short queue: what does not fit is refused at once. */
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

  /** Undefined: the queue is full, and nothing was begun. */
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
