import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { writeAudit } from '#db/audit.ts';
import type { Counter } from '#db/sign-in-failures.ts';
import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { MAX_FAILURES } from '#platform/lock-out.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';

/** Event code in the log of the head-end. */
const SIGN_IN_ATTACKED = 60_020;
const EVERY_MS = 3_600_000;
const MAX_NAMES = 1000;

/** Raises an event when wrong passwords from unknown browsers lock a name, once per hour and name. */
export class AttackAlarm {
  readonly #ctx: Context;
  readonly #events: EventWriter;
  readonly #raisedAt = new BoundedCache<string, MonotonicMs>(MAX_NAMES);

  constructor(ctx: Context, events: EventWriter) {
    this.#ctx = ctx;
    this.#events = events;
  }

  /** A locked known browser indicates typing errors of its owner, not an attack. */
  async raise({ id, username }: { id: string; username: string }, { browser }: Counter, ip: string): Promise<void> {
    const { db, clock } = this.#ctx;
    const moment = clock.monotonic();
    const last = this.#raisedAt.get(id);
    if (browser !== undefined || (last !== undefined && msBetween(last, moment) < EVERY_MS)) return;
    this.#raisedAt.set(id, moment);
    const now = clock.now();
    const detail = { username, failures: MAX_FAILURES };
    await db
      .transaction()
      .execute((tx) => writeAudit(tx, { userId: null, action: 'sign_in_attacked', entity: 'user', entityId: id, detail, ip }, now));
    await storeOwnEvent(this.#events, { code: SIGN_IN_ATTACKED, occurAt: now, message: `${username}, ${ip}` });
  }
}
