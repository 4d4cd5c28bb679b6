import { randomBytes } from 'node:crypto';
import { msAfter, msBetween, type Clock, type MonotonicMs } from './clock.ts';

const MINUTE_MS = 60_000;
const MAX_OPEN = 10_000;

/** Single-use tokens with a value and a lifetime in minutes. In memory: after a restart, pending sign-ins must be repeated. */
export class Nonces<T = true> {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #open = new Map<string, { value: T; ends: MonotonicMs }>();

  constructor(clock: Clock, minutes: number) {
    this.#clock = clock;
    this.#lifeMs = minutes * MINUTE_MS;
  }

  issue(value: T): { nonce: string; expiresAt: number } {
    const now = this.#clock.monotonic();
    for (const [nonce, { ends }] of this.#open) {
      if (msBetween(now, ends) > 0 && this.#open.size < MAX_OPEN) break;
      this.#open.delete(nonce);
    }
    const nonce = randomBytes(18).toString('base64url');
    this.#open.set(nonce, { value, ends: msAfter(now, this.#lifeMs) });
    return { nonce, expiresAt: this.#clock.now() + this.#lifeMs };
  }

  /** Consumes a nonce and returns its value; undefined when it is unknown, spent or expired. */
  spend(nonce: string): T | undefined {
    const kept = this.#open.get(nonce);
    this.#open.delete(nonce);
    return kept !== undefined && msBetween(this.#clock.monotonic(), kept.ends) > 0 ? kept.value : undefined;
  }
}
