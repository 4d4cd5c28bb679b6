import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { monotonicAt, msAfter, msBetween, type Clock, type MonotonicMs } from './clock.ts';

const MINUTE_MS = 60_000;
const RANDOM_OCTETS = 12;
const TIME_OCTETS = 8;
const MAC_OCTETS = 16;
const SIGNED_OCTETS = TIME_OCTETS + RANDOM_OCTETS;
const MAX_SPENT = 50_000;

/**
 * Single-use nonces with a lifetime in minutes. Issuing stores nothing, so a flood of requests cannot evict nonces of other callers; the
 * newest `MAX_SPENT` spent ones are stored until they expire. A restart invalidates all.
 */
export class SignedNonces {
  readonly #clock: Clock;
  readonly #lifeMs: number;
  readonly #key = randomBytes(32);
  readonly #origin: MonotonicMs;
  readonly #spent = new Map<string, MonotonicMs>();

  constructor(clock: Clock, minutes: number) {
    this.#clock = clock;
    this.#lifeMs = minutes * MINUTE_MS;
    this.#origin = clock.monotonic();
  }

  #macOf(signed: Uint8Array): Buffer {
    return createHmac('sha256', this.#key).update(signed).digest().subarray(0, MAC_OCTETS);
  }

  issue(): { nonce: string; expiresAt: number } {
    const signed = randomBytes(SIGNED_OCTETS);
    signed.writeDoubleBE(msBetween(this.#origin, this.#clock.monotonic()));
    return { nonce: Buffer.concat([signed, this.#macOf(signed)]).toString('base64url'), expiresAt: this.#clock.now() + this.#lifeMs };
  }

  /** Consumes a nonce; false when it is invalid, spent or expired. */
  spend(nonce: string): boolean {
    const octets = Buffer.from(nonce, 'base64url');
    if (octets.length !== SIGNED_OCTETS + MAC_OCTETS) return false;
    const signed = octets.subarray(0, SIGNED_OCTETS);
    if (!timingSafeEqual(this.#macOf(signed), octets.subarray(SIGNED_OCTETS))) return false;
    const now = this.#clock.monotonic();
    const ends = msAfter(monotonicAt(msBetween(monotonicAt(0), this.#origin) + signed.readDoubleBE()), this.#lifeMs);
    // Keyed by octets, because several base64 texts decode to the same nonce.
    const name = signed.toString('hex');
    if (msBetween(now, ends) <= 0 || this.#spent.has(name)) return false;
    this.#spent.set(name, ends);
    this.#forget(now);
    return true;
  }

  #forget(now: MonotonicMs): void {
    for (const [name, ends] of this.#spent) {
      if (msBetween(now, ends) > 0 && this.#spent.size <= MAX_SPENT) break;
      this.#spent.delete(name);
    }
  }
}
