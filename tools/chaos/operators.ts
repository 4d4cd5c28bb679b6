import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'pg';
import { handleKeys } from '../../apps/server/src/db/handle-keys.ts';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { createAccessTokens } from '../../apps/server/src/platform/access-token.ts';
import { hashPassword } from '../../apps/server/src/platform/passwords.ts';
import { chainKeyOf, createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { insertOperator, type InsertedOperator } from './insert-operator.ts';

/** Access tokens expire after 15 minutes. */
const TOKEN_MS = 10 * 60_000;
/** Number of supplies that one user may switch per hour without approval. */
export const ALONE = 10;
export const UNAUTHORIZED = 401;
const TOO_MANY = 429;
const BUSY_TRIES = 10;
const BUSY_WAIT_MS = 1_000;
const CALL_WITHIN_MS = 20_000;

export interface OperatorTools {
  pool(): Pool;
  masterKey(): Buffer;
  /** Time of the head-ends. */
  now(): number;
  /** Port of the console that answers the next call. */
  httpPort(): number;
}

interface Operator extends InsertedOperator {
  orders: number;
  token: string;
  issuedAt: number;
}

export type Answer = { status: number; body: unknown } | undefined;

/** Administrators who call the API one after the other, each within the limits of switching. */
export class Operators {
  readonly #tools: OperatorTools;
  #operator: Operator | undefined;
  #lastPerson: Promise<unknown> = Promise.resolve();

  constructor(tools: OperatorTools) {
    this.#tools = tools;
  }

  /** The operator of the next call. Calls wait for each other, so that they do not make one operator each. */
  #person(orders: number): Promise<Operator> {
    const person = this.#lastPerson.then(() => this.#nextPerson(orders));
    this.#lastPerson = person.catch(() => undefined);
    return person;
  }

  /** A user with remaining quota for supplies without approval. Authenticated without the cost of a sign-in. */
  async #nextPerson(orders: number): Promise<Operator> {
    const { pool, now: clock, masterKey } = this.#tools;
    let person = this.#operator;
    if (person === undefined || person.orders + orders > ALONE) {
      const db = openDb(pool(), handleKeys(chainKeyOf(createSecrets(masterKey()))));
      const made = await insertOperator(db, `u${randomUUID().slice(0, 12)}`, await hashPassword(randomUUID()));
      person = { ...made, orders: 0, token: '', issuedAt: 0 };
      this.#operator = person;
    }
    const now = clock();
    if (Math.abs(now - person.issuedAt) > TOKEN_MS) {
      const tokens = createAccessTokens(createSecrets(masterKey()), { now: () => now });
      Object.assign(person, { token: await tokens.issue(person.sessionId), issuedAt: now });
    }
    person.orders += orders;
    return person;
  }

  /** Calls the API as a user. Undefined without a response: the outcome of the call is then unknown. */
  async call(method: 'GET' | 'POST' | 'PUT', path: string, body?: object, switches = 0): Promise<Answer> {
    const ask = async (orders: number) =>
      fetch(`http://127.0.0.1:${this.#tools.httpPort()}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${(await this.#person(orders)).token}`,
          ...(body ? { 'content-type': 'application/json' } : {}),
        },
        ...(body ? { body: JSON.stringify(body) } : {}),
        signal: AbortSignal.timeout(CALL_WITHIN_MS),
      });
    try {
      let answer = await ask(switches);
      // Neither call was executed: the clock of the server was set between token and call, or the rate limit was reached.
      for (let tries = 0; (answer.status === UNAUTHORIZED || answer.status === TOO_MANY) && tries < BUSY_TRIES; tries++) {
        await wait(BUSY_WAIT_MS);
        if (answer.status === UNAUTHORIZED && this.#operator !== undefined) this.#operator.issuedAt = Number.NEGATIVE_INFINITY;
        answer = await ask(0);
      }
      // A truncated body is no response either.
      return { status: answer.status, body: answer.status === 204 ? undefined : await answer.json() };
    } catch {
      return undefined;
    }
  }
}
