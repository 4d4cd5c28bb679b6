import { sql } from 'kysely';
import type { LiveMessage } from '@hes/contract/core/live.ts';
import { EVERYONE, topicOfSession, topicOfUser, type Durable, type DurableMessage } from '#platform/bus.ts';
import type { Context, Tx } from './context.ts';

/** Channel of the bell that says that changes were committed. */
export const CHANGE_CHANNEL = 'hes_change';
/** Topic of manual changes to devices; the field engine and open consoles subscribe to it. */
export const DEVICES = 'device';

type WithoutTime<M> = M extends unknown ? Omit<M, 'ts'> : never;
/** Something that every node must learn of, even one that was cut off at the time. */
export interface Change {
  topic: string;
  message: WithoutTime<DurableMessage>;
}
type NoticeOf = Extract<LiveMessage, { type: 'notice' }>['data']['about'];
type CaptureLevel = Extract<LiveMessage, { type: 'dculog.capture' }>['data']['level'];

/** Devices whose cached data is invalid; none without ids. */
export const devicesChanged = (kind: 'dcu' | 'meter', ids: readonly string[]): Change[] =>
  ids.length === 0 ? [] : [{ topic: DEVICES, message: { type: 'device.changed', id: '0', data: { kind, ids: [...ids] } } }];

/** Sign-in sessions that have ended: their live sockets are closed. */
export const sessionsEnded = (sessionIds: readonly string[], reason: string): Change[] =>
  sessionIds.map((id) => ({ topic: topicOfSession(id), message: { type: 'session.revoked', id: '0', data: { reason } } }));

/** Rights, pages or settings that consoles and caches must load again; without users for all of them. */
export function noticeOf(about: NoticeOf, userIds?: readonly string[]): Change[] {
  const message = { type: 'notice', id: '0', data: { about } } as const;
  return (userIds?.map(topicOfUser) ?? [EVERYONE]).map((topic) => ({ topic, message }));
}

/** DCUs whose frames are captured from now on, or no longer. */
export const capturesSwitched = (dcuIds: readonly string[], level: CaptureLevel): Change[] =>
  dcuIds.map((id) => ({ topic: `dculog:${id}`, message: { type: 'dculog.capture', id, data: { level } } }));

/** A device has connected to this node: one that still has a connection to it closes that. */
export const endpointMoved = (id: string, sessionId: string): Change[] => [
  { topic: `endpoint:${id}`, message: { type: 'endpoint.moved', id, data: { sessionId } } },
];

/** Writes changes into the log, and rings the bell at the commit if there are other nodes. */
async function insertChanges(tx: Tx, origin: string, changes: readonly Durable[]): Promise<void> {
  await sql`
    with made as (
      insert into change (origin, topic, message)
      select ${origin}, c.topic, c.message from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb) as c (topic text, message jsonb)
    )
    select pg_notify(${CHANGE_CHANNEL}, '') where (select count(*) from node where ended_at is null) > 1`.execute(tx);
}

/**
 * Executes a transaction and announces what it changed: to other nodes by rows of the same transaction, here after its commit. `changesOf`
 * receives the result of the transaction; `beforeAnnouncement` updates after the commit what listeners will ask for.
 */
export async function commitChanges<T>(
  ctx: Pick<Context, 'db' | 'bus' | 'clock'>,
  work: (tx: Tx) => Promise<T>,
  changesOf: (done: T) => readonly (readonly Change[])[],
  beforeAnnouncement: () => Promise<void> = () => Promise.resolve(),
): Promise<T> {
  let changes: Durable[] = [];
  const done = await ctx.db.transaction().execute(async (tx) => {
    const result = await work(tx);
    const ts = new Date(ctx.clock.now()).toISOString();
    // as: the type of a message does not depend on its time
    changes = changesOf(result)
      .flat()
      .map(({ topic, message }) => ({ topic, message: { ...message, ts } as DurableMessage }));
    if (changes.length > 0) await insertChanges(tx, ctx.bus.origin, changes);
    return result;
  });
  await beforeAnnouncement();
  for (const change of changes) ctx.bus.apply(change);
  return done;
}
