import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { WallClock } from '#platform/clock.ts';
import type { Secrets } from '#platform/secrets.ts';
import type { Db } from './context.ts';

const MINUTE_MS = 60_000;
const TIME_OCTETS = 8;
const RANDOM_OCTETS = 12;
const MAC_OCTETS = 16;
const VALUE_AT = TIME_OCTETS + RANDOM_OCTETS;
/** A used token stays known this long after its end, because the clock of a machine may be set back. */
const KEPT_MS = 3_600_000;
/** Expired rows that each use deletes; more than one, so that they do not accumulate. */
const FORGOTTEN_PER_USE = 10;

export interface NonceTools {
  db: Db;
  clock: WallClock;
  secrets: Secrets;
}

/**
 * Single-use tokens with a value and a lifetime in minutes, for one purpose. Every head-end with the same master key accepts them, and one of
 * them once. Issuing stores nothing, so a flood of requests cannot evict tokens of other callers. The value is signed, and not encrypted.
 */
export class Nonces {
  readonly #tools: NonceTools;
  readonly #purpose: string;
  readonly #lifeMs: number;

  constructor(tools: NonceTools, { purpose, minutes }: { purpose: string; minutes: number }) {
    this.#tools = tools;
    this.#purpose = `nonces/${purpose}`;
    this.#lifeMs = minutes * MINUTE_MS;
  }

  issue(value = ''): { nonce: string; expiresAt: number } {
    const { clock, secrets } = this.#tools;
    const expiresAt = clock.now() + this.#lifeMs;
    const signed = Buffer.concat([Buffer.alloc(TIME_OCTETS), randomBytes(RANDOM_OCTETS), Buffer.from(value)]);
    signed.writeDoubleBE(expiresAt);
    return { nonce: Buffer.concat([signed, macOf(secrets.derive(this.#purpose), signed)]).toString('base64url'), expiresAt };
  }

  /** Consumes a token and returns its value; undefined when it is invalid, spent or expired. */
  async spend(nonce: string): Promise<string | undefined> {
    const octets = Buffer.from(nonce, 'base64url');
    if (octets.length < VALUE_AT + MAC_OCTETS) return undefined;
    const signed = octets.subarray(0, octets.length - MAC_OCTETS);
    const mac = octets.subarray(signed.length);
    const { clock, secrets, db } = this.#tools;
    if (!secrets.verifiers(this.#purpose).some((key) => timingSafeEqual(macOf(key, signed), mac))) return undefined;
    const expiresAt = signed.readDoubleBE();
    const now = clock.now();
    if (now >= expiresAt) return undefined;
    // Named by its octets, because several base64 texts decode to the same token.
    const isFirst = await insertSpent(db, createHash('sha256').update(signed).digest(), { endsAt: new Date(expiresAt + KEPT_MS), now });
    return isFirst ? signed.subarray(VALUE_AT).toString() : undefined;
  }
}

const macOf = (key: Buffer, signed: Uint8Array): Buffer => createHmac('sha256', key).update(signed).digest().subarray(0, MAC_OCTETS);

/** Notes that a token of another system is used. False: it was used before. `endsAt`: epoch milliseconds after which it is refused anyway. */
export const spendForeign = ({ db, clock }: Pick<NonceTools, 'db' | 'clock'>, token: string, endsAt: number): Promise<boolean> =>
  insertSpent(db, createHash('sha256').update(token).digest(), { endsAt: new Date(endsAt + KEPT_MS), now: clock.now() });

/** Returns false if another call has spent the token before. Deletes some expired rows. */
async function insertSpent(db: Db, name: Buffer, { endsAt, now }: { endsAt: Date; now: number }): Promise<boolean> {
  const { rows } = await sql`
    with expired as (
      delete from spent_nonce where name in (
        select name from spent_nonce where ends_at < ${new Date(now)} order by ends_at limit ${FORGOTTEN_PER_USE} for update skip locked)
    )
    insert into spent_nonce (name, ends_at) values (${name}, ${endsAt}) on conflict (name) do nothing returning name`.execute(db);
  return rows.length === 1;
}
