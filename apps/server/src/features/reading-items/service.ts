import type { ObisFields, ObisRow } from '@hes/contract/reading/obis.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { changedFields, writeAudit, type AuditEntry } from '#db/audit.ts';
import { refuseDuplicates } from '#db/unique.ts';
import { findMetersForOrder } from '#features/assets/port.ts';
import { isAttribute } from '@hes/dlms/xdlms/cosem-object.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, Db, Tx, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { deleteObis, findObis, insertObis, lockObis, updateObis } from './queries.ts';

const KEY = { en: 'Reading item key', zh: '抄读项标识' };
const CODE = { en: 'OBIS code', zh: 'OBIS码' };

export async function getObis(db: Db, id: string): Promise<ObisRow> {
  const row = await findObis(db, id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

/** Locks and returns the entry. Throws `STALE` when its version is not the one that the caller read. */
async function lockObisForChange(tx: Tx, id: string, version?: number): Promise<ObisRow> {
  await lockObis(tx, id);
  const row = await getObis(tx, id);
  if (version !== undefined && row.version !== version) throw stale(row);
  return row;
}

const audit = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, entity: 'obis_code', ip, ...entry }, now);

const unique = (fields: ObisFields) => ({
  obis_code_key_key: { field: 'key', label: KEY, value: fields.key },
  obis_code_obis_class_id_attribute_kind_key: {
    field: 'obis',
    label: CODE,
    value: `${fields.obis} (${fields.classId}/${fields.attribute})`,
  },
});

/** Rejects a change of an entry that plans or templates use. */
function requireUnused(row: ObisRow): void {
  const users = [...row.plans, ...row.templates];
  if (users.length > 0) throw new ApiError('IN_USE', { by: users.join(', ') });
}

export async function createObis(ctx: Context, who: Who, fields: ObisFields): Promise<ObisRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const id = await refuseDuplicates(unique(fields), insertObis(tx, fields, new Date(now)));
    await audit(tx, who, { action: 'obis_created', entityId: id, detail: { after: fields } }, now);
    return getObis(tx, id);
  });
}

export async function changeObis(
  ctx: Context,
  who: Who,
  id: string,
  { version, ...fields }: ObisFields & { version: number },
): Promise<ObisRow> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const before = await lockObisForChange(tx, id, version);
    if (before.key !== fields.key) requireUnused(before);
    await refuseDuplicates(unique(fields), updateObis(tx, id, fields, new Date(now)));
    await audit(tx, who, { action: 'obis_changed', entityId: id, detail: changedFields({ ...before }, fields) }, now);
    return getObis(tx, id);
  });
}

export async function removeObis(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const row = await lockObisForChange(tx, id);
    if (row.isBuiltin) throw new ApiError('BUILT_IN_ENTRY');
    requireUnused(row);
    await deleteObis(tx, id);
    await audit(tx, who, { action: 'obis_deleted', entityId: id, detail: { before: { key: row.key, obis: row.obis } } }, now);
  });
}

/** Reads the object from one meter without storing the value. */
export async function orderTest(ctx: Context, who: Who, id: string, meterId: string): Promise<{ taskId: string }> {
  const row = await getObis(ctx.db, id);
  const isBuffer = isAttribute({ classId: row.classId, attributeId: row.attribute }, profileGeneric, 'buffer');
  if (row.kind !== 'attribute' || !row.access.includes('r') || isBuffer) throw new ApiError('NOT_TESTABLE');
  const [meter] = await findMetersForOrder(ctx.db, who.user, [meterId]);
  if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id: meterId });
  const { dcuId } = meter;
  if (dcuId === null) throw new ApiError('NOT_BOUND');
  return ctx.db.transaction().execute((tx) =>
    placeOrder(tx, ctx, who, 'registers', {
      params: { items: [row.key], store: false },
      items: [{ deviceKind: 'meter', dcuId, meterId }],
      record: { action: 'obis_test_ordered', entity: 'obis_code', entityId: id, detail: { key: row.key, meterId } },
    }),
  );
}
