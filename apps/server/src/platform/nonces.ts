import { randomBytes } from 'node:crypto';
import type { Clock } from './clock.ts';

const LIFE_MS = 120_000;
const MAX_OPEN = 10_000;

/** Words that can be spent once, within two minutes. Kept in memory: a restart costs a person one drag of a slider. */
export class Nonces {
  readonly #clock: Clock;
  readonly #open = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  issue(): { nonce: string; expiresAt: number } {
    const now = this.#clock.now();
    for (const [nonce, expiresAt] of this.#open) {
      if (expiresAt > now && this.#open.size < MAX_OPEN) break;
      this.#open.delete(nonce);
    }
    const nonce = randomBytes(18).toString('base64url');
    const expiresAt = now + LIFE_MS;
    this.#open.set(nonce, expiresAt);
    return { nonce, expiresAt };
  }

  /** True once for each nonce, while it lives. */
  spend(nonce: string): boolean {
    const expiresAt = this.#open.get(nonce);
    this.#open.delete(nonce);
    return expiresAt !== undefined && expiresAt > this.#clock.now();
  }
}
