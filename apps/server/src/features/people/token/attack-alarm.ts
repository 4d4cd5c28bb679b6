import { writeAudit } from '#db/audit.ts';
import type { Counter } from '#db/failures.ts';
import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { MAX_FAILURES } from '#platform/lock-out.ts';
import type { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';

/** In the log of the head-end itself. */
const SIGN_IN_ATTACKED = 60_020;
const EVERY_MS = 3_600_000;
const MAX_NAMES = 1000;

/** Tells operators that wrong passwords from unknown browsers have locked a name: once an hour and name. */
export class AttackAlarm {
  readonly #ctx: Context;
  readonly #events: EventWriter;
  readonly #raisedAt = new Map<string, MonotonicMs>();

  constructor(ctx: Context, events: EventWriter) {
    this.#ctx = ctx;
    this.#events = events;
  }

  /** A known browser that is locked is its owner's typing, and no attack. */
  async raise({ id, username }: { id: string; username: string }, { browser }: Counter, ip: string): Promise<void> {
    const { db, clock } = this.#ctx;
    const moment = clock.monotonic();
    const last = this.#raisedAt.get(id);
    if (browser !== undefined || (last !== undefined && msBetween(last, moment) < EVERY_MS)) return;
    this.#raisedAt.delete(id);
    this.#raisedAt.set(id, moment);
    if (this.#raisedAt.size > MAX_NAMES) this.#raisedAt.delete(this.#raisedAt.keys().next().value ?? '');
    const now = clock.now();
    const detail = { username, failures: MAX_FAILURES };
    await db
      .transaction()
      .execute((tx) => writeAudit(tx, { userId: null, action: 'sign_in_attacked', entity: 'user', entityId: id, detail, ip }, now));
    await storeOwnEvent(this.#events, { code: SIGN_IN_ATTACKED, occurAt: now, message: `${username}, ${ip}` });
  }
}
