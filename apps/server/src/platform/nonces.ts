import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

const MINUTE_MS = 60_000;
const MAX_OPEN = 10_000;

/** Words that can be spent once, within some minutes, for what they stand for. Kept in memory: a restart costs a person one sign-in. */
export class Nonces<T = true> {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #open = new Map<string, { value: T; expiresAt: number }>();

  constructor(clock: Clock, minutes: number) {
    this.#clock = clock;
    this.#lifeMs = minutes * MINUTE_MS;
  }

  issue(value: T): { nonce: string; expiresAt: number } {
    const now = this.#clock.now();
    for (const [nonce, { expiresAt }] of this.#open) {
      if (expiresAt > now && this.#open.size < MAX_OPEN) break;
      this.#open.delete(nonce);
    }
    const nonce = randomBytes(18).toString('base64url');
    const expiresAt = now + this.#lifeMs;
    this.#open.set(nonce, { value, expiresAt });
    return { nonce, expiresAt };
  }

  /** What it stands for, once for each nonce, while it lives. */
  spend(nonce: string): T | undefined {
    const kept = this.#open.get(nonce);
    this.#open.delete(nonce);
    return kept !== undefined && kept.expiresAt > this.#clock.now() ? kept.value : undefined;
  }
}
