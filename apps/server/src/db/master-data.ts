import { COUNT_LIMIT } from '@hes/contract/core/page.ts';
import { fill, joinTexts, type Text } from '@hes/contract/core/text.ts';
import type { AuditAction, AuditEntity } from '@hes/contract/audit/actions.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Db, Tx, User, Who } from './context.ts';
import { changedFields, writeAudit } from './audit.ts';
import { refuseDuplicates, type UniqueField } from './unique.ts';

type Entity = 'network_level' | 'supplier' | 'dcu_type' | 'meter_type' | 'transformer';

/** `isBuiltin`: the record is part of the installation; its code is fixed and it cannot be deleted. */
type MasterRow = { id: string; version: number; code: string; isBuiltin?: boolean };

/** Access to a kind of master data that users maintain by forms. */
export interface MasterData<Row extends MasterRow, Fields extends { code?: string }> {
  entity: Entity;
  /** Undefined when no such record is visible to the user. */
  find(db: Db, user: User, id: string): Promise<Row | undefined>;
  lock(tx: Tx, id: string): Promise<unknown>;
  insert(tx: Tx, who: Who, fields: Fields, now: Date): Promise<string>;
  update(tx: Tx, who: Who, id: string, fields: Fields, now: Date): Promise<unknown>;
  remove(tx: Tx, id: string): Promise<unknown>;
  /** Fields with unique values, by the name of the unique index. */
  unique(fields: Fields): Record<string, UniqueField>;
  /** The records that still refer to it; undefined when there are none. */
  usedBy(tx: Tx, row: Row): Promise<Text | undefined>;
}

export async function getRecord<Row extends MasterRow, Fields extends { code?: string }>(
  of: MasterData<Row, Fields>,
  db: Db,
  user: User,
  id: string,
): Promise<Row> {
  const row = await of.find(db, user, id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

/** Locks and returns the record; fails with `STALE` when it was changed since the form was loaded. */
export async function lockRecord<Row extends MasterRow, Fields extends { code?: string }>(
  of: MasterData<Row, Fields>,
  tx: Tx,
  user: User,
  { id, version }: { id: string; version?: number },
): Promise<Row> {
  await of.lock(tx, id);
  const row = await getRecord(of, tx, user, id);
  if (version !== undefined && row.version !== version) throw stale(row);
  return row;
}

export const auditRecord = (
  tx: Tx,
  { user, ip }: Who,
  entry: { action: AuditAction; entity: AuditEntity; id: string; detail: Record<string, unknown> },
  now: number,
) => writeAudit(tx, { userId: user.id, action: entry.action, entity: entry.entity, entityId: entry.id, detail: entry.detail, ip }, now);

export async function createRecord<Row extends MasterRow, Fields extends { code?: string }>(
  of: MasterData<Row, Fields>,
  ctx: Context,
  who: Who,
  fields: Fields,
): Promise<Row> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const id = await refuseDuplicates(of.unique(fields), of.insert(tx, who, fields, new Date(now)));
    await auditRecord(tx, who, { action: `${of.entity}_created`, entity: of.entity, id, detail: { after: fields } }, now);
    return getRecord(of, tx, who.user, id);
  });
}

export async function changeRecord<Row extends MasterRow, Fields extends { code?: string }>(
  of: MasterData<Row, Fields>,
  ctx: Context,
  who: Who,
  { id, version, ...fields }: Fields & { id: string; version: number },
): Promise<Row> {
  const now = ctx.clock.now();
  const change = fields as unknown as Fields; // as: the rest after two keys of an intersection are removed
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockRecord(of, tx, who.user, { id, version });
    if (before.isBuiltin && change.code !== before.code) throw new ApiError('BUILT_IN_CODE', {}, 'code');
    await refuseDuplicates(of.unique(change), of.update(tx, who, id, change, new Date(now)));
    const after = await getRecord(of, tx, who.user, id);
    const detail = changedFields(
      { ...before },
      Object.fromEntries(Object.keys(change).map((key) => [key, (after as Record<string, unknown>)[key]])),
    ); // as: read by name only
    await auditRecord(tx, who, { action: `${of.entity}_changed`, entity: of.entity, id, detail }, now);
    return after;
  });
}

/** Deletes a record without references; otherwise the error names the referring records. */
export async function removeRecord<Row extends MasterRow, Fields extends { code?: string }>(
  of: MasterData<Row, Fields>,
  ctx: Context,
  who: Who,
  id: string,
  refusal: 'IN_USE' | 'NOT_EMPTY' = 'IN_USE',
): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const before = await lockRecord(of, tx, who.user, { id });
    if (before.isBuiltin) throw new ApiError('BUILT_IN_ENTRY');
    const by = await of.usedBy(tx, before);
    if (by !== undefined) throw new ApiError(refusal, { by });
    await of.remove(tx, id);
    await auditRecord(tx, who, { action: `${of.entity}_deleted`, entity: of.entity, id, detail: { before: { ...before } } }, now);
  });
}

/** Counts end at this limit. */
const upTo = (count: number) => (count > COUNT_LIMIT ? `${COUNT_LIMIT}+` : count);

/** `3 DCUs, 41 meters`; undefined when nothing is left to name. */
export function namesOf(parts: (Text & { count: number })[]): Text | undefined {
  const some = parts.filter((part) => part.count > 0);
  if (some.length === 0) return undefined;
  const counted = some.map(({ count, ...what }) => fill({ en: '{what}: {count}', zh: '{count}{what}' }, { what, count: upTo(count) }));
  return joinTexts(counted, { en: ', ', zh: '，' });
}
