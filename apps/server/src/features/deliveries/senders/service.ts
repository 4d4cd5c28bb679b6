import { randomUUID } from 'node:crypto';
import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import type { SenderKindName } from '@hes/contract/delivery/kinds/every-kind.ts';
import type { SenderRow } from '@hes/contract/delivery/sender.ts';
import { changedFields, newSecretsIn, startOfValue, writeAudit } from '#db/audit.ts';
import type { Context, Db, Tx, User, Who } from '#db/context.ts';
import { isoOrNull, pageOf } from '#db/paging.ts';
import type { ReadingViews } from '#db/reading-views.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import { readCursor, writeCursor } from '../feed/cursor.ts';
import { cursorFromNow, cursorSince, measureLag } from '../feed/outbox-queries.ts';
import { follow, unfollow } from '../feed/reader-queries.ts';
import { testEvent } from './cloud-events.ts';
import { implementationOf, openConnection } from './connections.ts';
import { DeliveryFailed, type DeliveryReach } from './kinds/kind.ts';
import {
  countLevels,
  deleteSender,
  findCountedSender,
  findDeadLetters,
  findSender,
  findSenders,
  insertSender,
  readerOf,
  setPaused,
  setPositions,
  unfollowOthers,
  updateSender,
  type CountedSender,
  type SenderFields,
  type StoredSender,
} from './queries.ts';
import { requireContents, requireWholeNetwork } from './rights.ts';
import { changeSecrets, checkSender, sealSecrets } from './settings.ts';

const NAME = { en: 'Name', zh: '名称' };

async function lagOf(db: Db, { contents, positions }: StoredSender): Promise<Pick<SenderRow, 'waiting' | 'lagSeconds'>> {
  const lags = await Promise.all(
    contents.flatMap((kind) => {
      const position = positions[kind];
      return position === undefined ? [] : [measureLag(db, kind, readCursor(position))];
    }),
  );
  const waiting = lags.reduce((sum, lag) => sum + lag.waiting, 0);
  return { waiting, lagSeconds: Math.max(0, ...lags.map(({ lagSeconds }) => lagSeconds)) };
}

async function rowOf(db: Db, sender: CountedSender): Promise<SenderRow> {
  const { id, name, kind, settings, contents, levelIds, deadLetters, failures, isPaused, version } = sender;
  const isFailing = failures > 0;
  return {
    id,
    name,
    kind: kind as SenderKindName, // as: the service inserts no others
    target: implementationOf(sender).declared.target(settings),
    settings,
    contents,
    levelIds,
    deadLetters,
    version,
    state: isPaused ? 'paused' : isFailing ? 'failing' : 'running',
    ...(await lagOf(db, sender)),
    sent: Number(sender.sent),
    lastSuccessAt: isoOrNull(sender.lastSuccessAt),
    lastFailureAt: isoOrNull(sender.lastFailureAt),
    failure: sender.failureCode,
    failureDetail: sender.failureDetail,
    nextTryAt: isFailing && !isPaused ? sender.nextTryAt.toISOString() : null,
    createdAt: sender.createdAt.toISOString(),
  };
}

export async function listSenders(ctx: Context, user: User, query: { search?: string | undefined; page: number; size: number }) {
  requireWholeNetwork(user);
  const found = pageOf(await findSenders(ctx.db, query.search), query);
  return { ...found, items: await Promise.all(found.items.map((sender) => rowOf(ctx.db, sender))) };
}

export async function getSender(ctx: Context, user: User, id: string): Promise<SenderRow> {
  const found = await findCountedSender(ctx.db, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(user);
  return rowOf(ctx.db, found);
}

/** Messages that were put aside, with their contents: readings among them are recorded as those of a list. */
export async function listDeadLetters(ctx: Context, who: Who, views: ReadingViews, id: string) {
  const { name, contents } = await getSender(ctx, who.user, id);
  const letters = await findDeadLetters(ctx.db, id);
  // A kind may have been removed from the sender since.
  requireContents(who.user, [...contents, ...letters.map(({ kind }) => kind)]);
  if (letters.some(({ kind }) => kind === 'readings')) await views.record(ctx, who, { filter: { sender: name } });
  return letters;
}

/** Follows kinds for a sender, and returns positions that begin now. Retention ends readers of kinds that no sender sends. */
async function positionsFor(ctx: Context, ref: string, contents: readonly FeedKind[]) {
  const positions: StoredSender['positions'] = {};
  for (const kind of contents) {
    await follow(ctx.db, kind, readerOf(ref));
    positions[kind] = writeCursor(await cursorFromNow(ctx.db, kind));
  }
  return positions;
}

async function requireLevels(db: Db, ids: readonly string[]): Promise<void> {
  if ((await countLevels(db, ids)) !== new Set(ids).size) throw new ApiError('UNKNOWN_REFERENCE', {}, 'levelIds');
}

const auditOf = (kind: string, { name, settings, contents, levelIds }: SenderFields) => ({
  name,
  senderKind: kind,
  settings: Object.entries(settings).map(([field, value]) => `${field}=${startOfValue(value)}`),
  contents: contents.toSorted(),
  levelIds: levelIds.toSorted(),
});

/** A sender as a user enters it. */
type NewSender = SenderFields & { kind: SenderKindName; secrets: Record<string, string> };

type AuditedAction = 'created' | 'changed' | 'deleted' | 'paused' | 'resumed' | 'replayed' | 'tested';
const audit = (tx: Tx, ctx: Context, { user, ip }: Who, done: AuditedAction, id: string, detail: Record<string, unknown>) =>
  writeAudit(tx, { userId: user.id, action: `sender_${done}`, entity: 'sender', entityId: id, detail, ip }, ctx.clock.now());

export async function createSender(ctx: Context, who: Who, { secrets, ...given }: NewSender): Promise<SenderRow> {
  requireWholeNetwork(who.user);
  requireContents(who.user, given.contents);
  const ref = randomUUID();
  const sender = { ...given, ref, settings: checkSender(given.kind, given) };
  const fields = { ...sender, secret: sealSecrets(ctx, sender, secrets) };
  await requireLevels(ctx.db, given.levelIds);
  const id = await addFollowing(ctx, who, fields).catch(async (error: unknown) => {
    await unfollow(ctx.db, readerOf(ref));
    throw error;
  });
  return getSender(ctx, who.user, id);
}

/** Follows the contents, and then inserts the sender. If it throws, readers may be left. */
async function addFollowing(ctx: Context, who: Who, fields: SenderFields & Pick<StoredSender, 'kind' | 'ref' | 'secret'>): Promise<string> {
  const positions = await positionsFor(ctx, fields.ref, fields.contents);
  return ctx.db.transaction().execute(async (tx) => {
    const created = await refuseDuplicate({ field: 'name', label: NAME, value: fields.name }, insertSender(tx, { ...fields, positions }));
    await audit(tx, ctx, who, 'created', created, { after: auditOf(fields.kind, fields) });
    return created;
  });
}

/** Reads and locks a sender for a change. */
async function takeSender(tx: Tx, { user }: Who, id: string): Promise<StoredSender> {
  const found = await findSender(tx, id, true);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(user);
  return found;
}

type SenderChange = SenderFields & { id: string; version: number; secrets: Record<string, string> };

export async function changeSender(ctx: Context, who: Who, { id, version, secrets, ...given }: SenderChange): Promise<SenderRow> {
  const before = await getSender(ctx, who.user, id);
  requireContents(who.user, given.contents);
  if (before.version !== version) throw stale(before);
  const fields = { ...given, settings: checkSender(before.kind, given) };
  await requireLevels(ctx.db, fields.levelIds);
  const { ref } = (await findSender(ctx.db, id)) ?? { ref: '' };
  try {
    await storeChange(ctx, who, { id, version, secrets, ...fields }, await positionsFor(ctx, ref, fields.contents), before);
  } catch (error) {
    // Kinds that the change would have added have no position, and nothing may be written for them.
    await unfollowOthers(ctx.db, ref);
    throw error;
  }
  return getSender(ctx, who.user, id);
}

/** Stores a change, if no other one came before it. `begun`: positions of kinds that are added. */
async function storeChange(
  ctx: Context,
  who: Who,
  { id, version, secrets, ...fields }: SenderChange,
  begun: StoredSender['positions'],
  before: SenderRow,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const stored = await takeSender(tx, who, id);
    if (stored.version !== version) throw stale(before);
    const positions = Object.fromEntries(fields.contents.map((kind) => [kind, stored.positions[kind] ?? begun[kind]]));
    const secret = changeSecrets(ctx, stored, fields.settings, secrets);
    await refuseDuplicate({ field: 'name', label: NAME, value: fields.name }, updateSender(tx, id, { ...fields, secret, positions }));
    for (const kind of stored.contents) if (!fields.contents.includes(kind)) await unfollow(tx, readerOf(stored.ref), kind);
    const changed = changedFields(auditOf(stored.kind, stored), auditOf(stored.kind, fields));
    await audit(tx, ctx, who, 'changed', id, { name: stored.name, ...changed, ...newSecretsIn(secrets) });
  });
}

export const removeSender = (ctx: Context, who: Who, id: string): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const { name, ref } = await takeSender(tx, who, id);
    await deleteSender(tx, id);
    await unfollow(tx, readerOf(ref));
    await audit(tx, ctx, who, 'deleted', id, { name });
  });

/** Pauses or resumes. To resume a sender that fails retries it at once. */
export const pauseSender = (ctx: Context, who: Who, id: string, isPaused: boolean): Promise<void> =>
  ctx.db.transaction().execute(async (tx) => {
    const stored = await takeSender(tx, who, id);
    if (stored.isPaused === isPaused && (isPaused || stored.failures === 0)) throw new ApiError('NOTHING_TO_DO');
    await setPaused(tx, id, isPaused);
    await audit(tx, ctx, who, isPaused ? 'paused' : 'resumed', id, { name: stored.name });
  });

/** Moves all kinds of a sender to an instant; what follows it is sent again. */
export async function replaySender(ctx: Context, who: Who, id: string, since: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const stored = await takeSender(tx, who, id);
    requireContents(who.user, stored.contents);
    const positions: StoredSender['positions'] = {};
    for (const kind of stored.contents) positions[kind] = writeCursor(await cursorSince(tx, kind, new Date(since)));
    await setPositions(tx, id, positions);
    await audit(tx, ctx, who, 'replayed', id, { name: stored.name, since });
  });
}

/** Tries the way of a sender now, also of one that is paused. */
export async function testSender(ctx: Context, who: Who, id: string, reach: DeliveryReach) {
  const stored = await findSender(ctx.db, id);
  if (stored === undefined) throw new ApiError('NOT_FOUND');
  requireWholeNetwork(who.user);
  const outcome = await tryOut(ctx, reach, stored).then(
    () => ({ isDelivered: true, failure: null, detail: null }),
    (error: unknown) => {
      if (!(error instanceof DeliveryFailed)) throw error;
      return { isDelivered: false, failure: error.failure, detail: error.detail };
    },
  );
  await ctx.db.transaction().execute((tx) => audit(tx, ctx, who, 'tested', id, { name: stored.name }));
  return outcome;
}

async function tryOut(ctx: Context, reach: DeliveryReach, stored: StoredSender): Promise<void> {
  const at = ctx.clock.now();
  // A reference of its own: the broker would end the connection of the sender for a second one with its name.
  const connection = await openConnection(ctx, reach, stored, `${stored.ref}-test`);
  try {
    if (connection.test !== undefined) await connection.test();
    else await connection.send({ id: `test-${at}`, kind: 'test', step: stored.step, at, events: [testEvent(at)] });
  } finally {
    await connection.close();
  }
}
