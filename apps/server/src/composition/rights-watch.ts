import { commitChanges, sessionsEnded } from '#db/changes.ts';
import { writeAudit, type AuditEntry } from '#db/audit.ts';
import { findBroken, findBrokenSessions, noteSealNumbers, type Subject } from '#db/right-seals.ts';
import { findSealedSetting, SEALED_SETTINGS, type SealedSetting } from '#db/sealed-settings.ts';
import { revokeSession, revokeSessions } from '#features/people/port.ts';
import { msBetween, type MonotonicMs } from '#platform/clock.ts';
import type { Context } from '#db/context.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { EventWriter } from '#storage/events/event-writer.ts';
import { storeOwnEvent } from '#storage/events/own-event.ts';
import { findSubjectName } from './queries.ts';

const EVERY_MS = 1_000;
/** Interval of the check, which reads the rows of every user and role. */
const CHECK_EVERY_MS = 20_000;
/** Event code in the log of the head-end. */
const RIGHTS_CHANGED = 60_040;

/** Finds users, roles, sessions and sealed settings that were changed outside the product. Reports each change once. */
export class RightsCheck {
  readonly #ctx: Context;
  readonly #events: EventWriter;
  #reported = new Set<string>();

  constructor(ctx: Context) {
    this.#ctx = ctx;
    this.#events = new EventWriter(ctx);
  }

  async look(): Promise<void> {
    const broken = new Map(
      (await findBroken(this.#ctx.db)).map(({ subject, found }) => [`${subject.kind} ${subject.id} ${found ?? ''}`, subject]),
    );
    for (const [key, subject] of broken) if (!this.#reported.has(key)) await this.#report(subject);
    const settings = await this.#findBrokenSettings();
    for (const key of settings) if (!this.#reported.has(`setting ${key}`)) await this.#reportSetting(key);
    this.#reported = new Set([...broken.keys(), ...settings.map((key) => `setting ${key}`)]);
    for (const { id, userId } of await findBrokenSessions(this.#ctx.db, new Date(this.#ctx.clock.now())))
      await this.#endSession(id, userId);
  }

  async #report({ kind, id }: Subject): Promise<void> {
    const { clock, log } = this.#ctx;
    const now = clock.now();
    log.error('A user or a role was changed outside the product and gives no right any more', { kind, id });
    await commitChanges(
      this.#ctx,
      async (tx) => {
        const entry: AuditEntry = {
          userId: null,
          action: kind === 'user' ? 'user_changed_outside' : 'role_changed_outside',
          entity: kind,
          entityId: id,
        };
        await writeAudit(tx, entry, now);
        return kind === 'user' ? revokeSessions(tx, id, new Date(now)) : [];
      },
      (done) => [sessionsEnded(done, 'changed_outside')],
    );
    await this.#raise(`${kind} ${await this.#nameOf({ kind, id })}`, now);
  }

  async #findBrokenSettings(): Promise<SealedSetting[]> {
    const found = await Promise.all(SEALED_SETTINGS.map(async (key) => ({ key, ...(await findSealedSetting(this.#ctx.db, key)) })));
    return found.filter(({ isIntact }) => !isIntact).map(({ key }) => key);
  }

  async #reportSetting(key: SealedSetting): Promise<void> {
    const now = this.#ctx.clock.now();
    this.#ctx.log.error('A setting was changed outside the product and has no effect any more', { key });
    const entry = { userId: null, action: 'setting_changed_outside', entity: 'setting', entityId: key } as const;
    await this.#ctx.db.transaction().execute((tx) => writeAudit(tx, entry, now));
    await this.#raise(`setting ${key}`, now);
  }

  async #endSession(id: string, userId: string): Promise<void> {
    const now = this.#ctx.clock.now();
    await commitChanges(
      this.#ctx,
      async (tx) => {
        await revokeSession(tx, id, new Date(now));
        await writeAudit(tx, { userId: null, action: 'session_changed_outside', entity: 'user', entityId: userId }, now);
      },
      () => [sessionsEnded([id], 'changed_outside')],
    );
    await this.#raise(`session of user ${await this.#nameOf({ kind: 'user', id: userId })}`, now);
  }

  async #nameOf({ kind, id }: Subject): Promise<string> {
    return (await findSubjectName(this.#ctx.db, { kind, id })) ?? id;
  }

  async #raise(message: string, now: number): Promise<void> {
    await storeOwnEvent(this.#events, { code: RIGHTS_CHANGED, occurAt: now, message });
  }
}

/** Stores the numbers of the seals outside the database, and checks periodically for rights that the product did not grant. */
export function watchRights(ctx: Context): PeriodicJob {
  const check = new RightsCheck(ctx);
  let checkedAt: MonotonicMs | undefined;
  const look = async (): Promise<void> => {
    await noteSealNumbers(ctx.db);
    const now = ctx.clock.monotonic();
    if (checkedAt !== undefined && msBetween(checkedAt, now) < CHECK_EVERY_MS) return;
    await check.look();
    checkedAt = now;
  };
  return startPeriodicJob(EVERY_MS, look, (error) => ctx.log.warn('The seals of users and roles could not be checked', { error }));
}
