import { Random } from '../fuzz/random.ts';

/** One of the simulated processes. Killing it drops its scheduled events. */
export class Process {
  readonly name: string;
  isAlive = true;
  /** Offset of its wall clock from true time. */
  wallAheadMs = 0;
  /** Due time of the last timer of each duration: as in Node, timers of equal duration fire in the order of their creation. */
  readonly lastDue = new Map<number, number>();

  constructor(name: string) {
    this.name = name;
  }
}

interface Event {
  /** Milliseconds since the start of the machine. */
  at: number;
  order: number;
  process: Process;
  run: () => void;
  isCancelled: boolean;
}

/** A Node timer in virtual time. */
export class VirtualTimer {
  event: Event;
  readonly #again: (() => Event) | undefined;

  constructor(event: Event, again?: () => Event) {
    this.event = event;
    this.#again = again;
  }

  /** Restarts the timer, even if it has fired. */
  refresh(): this {
    this.event.isCancelled = true;
    if (this.#again !== undefined) this.event = this.#again();
    return this;
  }

  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return !this.event.isCancelled;
  }
  [Symbol.toPrimitive](): number {
    return this.event.order;
  }
}

/** The real function, before built-ins are replaced. */
const nextTurn = globalThis.setImmediate;
/** Timers fire late, never early. */
const TIMER_JITTER_MS = 2;
const JITTER_STEPS = 1024;
/** Limit that detects events which reschedule themselves endlessly. */
const MAX_EVENTS = 400_000;

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Virtual time with its events: one event runs at a time, until it can only wait. */
export class Machine {
  /** Random numbers for the scheduling of this seed only: the plan must not depend on the behaviour of the product. */
  readonly random: Random;
  /** Advanced when the whole world is suspended. */
  beganAt: number;
  now = 0;
  events = 0;
  /** Uncaught exceptions of events, and unhandled rejections. */
  readonly uncaught: unknown[] = [];
  readonly #heap: Event[] = [];
  #order = 0;
  /** The process whose code is running. */
  current: Process = new Process('outside');

  constructor(seed: number, beganAt: number) {
    this.random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x51ed270b);
    this.beganAt = beganAt;
  }

  /** True time, epoch milliseconds. */
  get trueMs(): number {
    return Math.round(this.beganAt + this.now);
  }

  /** A number in [0, 1). */
  draw(): number {
    return this.random.uint32() / 0x1_0000_0000;
  }

  between(from: number, to: number): number {
    return from + (to - from) * this.draw();
  }

  schedule(process: Process, delayMs: number, run: () => void): Event {
    const event = { at: this.now + Math.max(0, delayMs), order: this.#order++, process, run, isCancelled: false };
    this.#push(event);
    return event;
  }

  /** A timer of the running code. */
  setTimer(delayMs: number, run: () => void): VirtualTimer {
    const process = this.current;
    const wanted = Number.isFinite(delayMs) && delayMs >= 1 ? delayMs : 1;
    const begin = (): Event => {
      const jitter = (this.random.below(JITTER_STEPS) / JITTER_STEPS) * TIMER_JITTER_MS;
      const due = Math.max(this.now + wanted + jitter, process.lastDue.get(wanted) ?? 0);
      process.lastDue.set(wanted, due);
      return this.schedule(process, due - this.now, run);
    };
    return new VirtualTimer(begin(), begin);
  }

  setImmediate(run: () => void): VirtualTimer {
    return new VirtualTimer(this.schedule(this.current, 0, run));
  }

  every(intervalMs: number, run: () => void): VirtualTimer {
    const timer = this.setTimer(intervalMs, () => {
      timer.event = this.setTimer(intervalMs, again).event;
      run();
    });
    const again = timer.event.run;
    return timer;
  }

  /** Runs the next event with its immediate consequences; false if there is none. */
  async step(): Promise<boolean> {
    let event = this.#pop();
    while (event !== undefined && (event.isCancelled || !event.process.isAlive)) event = this.#pop();
    if (event === undefined) return false;
    if (++this.events > MAX_EVENTS) throw new Error(`More than ${MAX_EVENTS} events: the seed does not terminate`);
    this.now = event.at;
    this.current = event.process;
    event.isCancelled = true;
    try {
      event.run();
    } catch (error) {
      this.uncaught.push(error);
    }
    await new Promise((resolve) => nextTurn(resolve));
    return true;
  }

  /** Runs events until a condition holds, or virtual time is up. */
  async runUntil(isDone: () => boolean, deadlineMs: number): Promise<boolean> {
    while (!isDone()) {
      if (this.now >= deadlineMs) return false;
      if (!(await this.step())) return isDone();
    }
    return true;
  }

  /** Runs asynchronous work as a process while time passes. */
  async perform<T>(process: Process, work: () => Promise<T>, deadlineMs: number): Promise<T> {
    let outcome: { value: T } | { error: unknown } | undefined;
    this.schedule(process, 0, () => {
      work().then(
        (value) => (outcome = { value }),
        (error: unknown) => (outcome = { error }),
      );
    });
    if (!(await this.runUntil(() => outcome !== undefined, deadlineMs))) throw new Error(`${process.name} does not terminate`);
    if (outcome !== undefined && 'value' in outcome) return outcome.value;
    throw outcome?.error;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(event);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above];
      if (parent === undefined || !isBefore(event, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      const [left, right] = [heap[below], heap[below + 1]];
      if (left !== undefined && right !== undefined && isBefore(right, left)) below++;
      const child = heap[below];
      if (child === undefined || !isBefore(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
    return first;
  }
}
