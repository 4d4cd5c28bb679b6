import type { dcuChange, DcuDetail, newDcu } from '@hes/contract/asset/dcu.ts';
import type { DeviceKeys } from '@hes/contract/asset/device.ts';
import type { z } from 'zod';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { rejudgeDcu } from '#features/archive/port.ts';
import { changedFields, writeAudit, type AuditEntry } from '#db/audit.ts';
import { logKeys, namesOfKeys } from '#db/key-log.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { deleteCaller } from '#field/queries.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import { refuseWrongLengths } from '#features/assets/keys/key-length.ts';
import { refuseSharedKeys } from '#features/assets/keys/shared-keys.ts';
import type { Context, Db, Tx, User, Who } from '#db/context.ts';
import { sealChange } from '#platform/device-keys.ts';
import { placeOrder } from '#tasks/place-order.ts';
import {
  deleteDcu,
  findServed,
  hasDcuType,
  hasTransformer,
  insertDcu,
  lockDcu,
  moveDcus,
  takeDcus,
  updateDcu,
  type DcuColumns,
} from './admin-queries.ts';
import { findDcu } from './queries.ts';

const SN = { en: 'SN', zh: '编号' };
const EXAMPLES = 5;

type NewDcu = z.output<typeof newDcu>;
type DcuChange = z.output<typeof dcuChange>;

const audit = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, entity: 'dcu', ip, ...entry }, now);

async function getDcu(tx: Db, user: User, id: string): Promise<DcuDetail | Omit<DcuDetail, 'onlineHours' | 'completeness'>> {
  const found = await findDcu(tx, user, id);
  if (found === undefined) throw new ApiError('DCU_NOT_FOUND', { id });
  return found.detail;
}

/** Reads a DCU and locks it until the transaction ends. */
async function takeDcu(tx: Tx, user: User, id: string) {
  await lockDcu(tx, id);
  return getDcu(tx, user, id);
}

async function checkReferences(tx: Tx, user: User, { dcuTypeId, transformerId }: Pick<DcuColumns, 'dcuTypeId' | 'transformerId'>) {
  if (!(await hasDcuType(tx, dcuTypeId))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'dcuTypeId');
  // A DCU without a transformer is outside every area, so only users who see the whole network may store one.
  const isOutside = transformerId === null ? !seesWholeNetwork(user) : !(await hasTransformer(tx, user, transformerId));
  if (isOutside) throw new ApiError('UNKNOWN_REFERENCE', {}, 'transformerId');
}

function columnsOf(fields: Omit<NewDcu, 'sn' | 'keys'> | Omit<DcuChange, 'version'>, sn: string): DcuColumns {
  const { name, systemTitle, ...rest } = fields;
  return { ...rest, name: name ?? sn, systemTitle: systemTitle === null ? null : Buffer.from(systemTitle, 'hex') };
}

const readable = ({ systemTitle, ...columns }: DcuColumns) => ({
  ...columns,
  systemTitle: systemTitle?.toString('hex').toUpperCase() ?? null,
});

/** Columns of a stored DCU as the form names them. The form has the DCU's own position, not that of its transformer. */
const written = (detail: Awaited<ReturnType<typeof getDcu>>) => ({
  ...detail,
  longitude: detail.ownLongitude,
  latitude: detail.ownLatitude,
});

/** DCU types have no other security suite. */
const DCU_SUITE = 0;

export async function createDcu(ctx: Context, who: Who, { sn, keys, ...fields }: NewDcu): Promise<string> {
  const now = ctx.clock.now();
  if (keys !== undefined) {
    refuseWrongLengths(keys, DCU_SUITE, 'keys.');
    await refuseSharedKeys(ctx, 'dcu', sn, keys);
  }
  const id = await commitChanges(
    ctx,
    async (tx) => {
      const columns = columnsOf(fields, sn);
      await checkReferences(tx, who.user, columns);
      const secrets = keys === undefined ? {} : sealChange(ctx.secrets, 'dcu', sn, keys);
      const created = await refuseDuplicate(
        { field: 'sn', label: SN, value: sn },
        insertDcu(tx, { ...columns, ...secrets, sn }, new Date(now)),
      );
      await deleteCaller(tx, sn);
      if (keys !== undefined)
        await logKeys(tx, { kind: 'dcu', id: created, change: keys, method: 'typed', userId: who.user.id }, new Date(now));
      const after = { sn, ...readable(columns), keys: keys === undefined ? [] : namesOfKeys(keys) };
      await audit(tx, who, { action: 'dcu_created', entityId: created, detail: { after } }, now);
      return created;
    },
    (done) => [devicesChanged('dcu', [done])],
  );
  return id;
}

/** A DCU of another type may have an archive, or lack one. */
async function rejudgeArchive(tx: Tx, dcuId: string): Promise<void> {
  await lockDcuInTransaction(tx, 'archive', dcuId);
  await rejudgeDcu(tx, dcuId);
}

export async function changeDcu(ctx: Context, who: Who, id: string, { version, ...fields }: DcuChange): Promise<void> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const before = await takeDcu(tx, who.user, id);
      if (before.version !== version) throw stale(before);
      const columns = columnsOf(fields, before.sn);
      await checkReferences(tx, who.user, columns);
      await updateDcu(tx, id, columns, new Date(now));
      if (columns.dcuTypeId !== before.dcuTypeId) await rejudgeArchive(tx, id);
      const isElsewhere = columns.transformerId !== before.transformerId;
      const moved = isElsewhere ? await moveDcus(tx, [id], columns.transformerId, new Date(now)) : [];
      const detail = changedFields(written(before), readable(columns));
      await audit(tx, who, { action: 'dcu_changed', entityId: id, detail: { sn: before.sn, ...detail } }, now);
      return moved;
    },
    (done) => [devicesChanged('dcu', [id]), devicesChanged('meter', done)],
  );
}

export async function removeDcu(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const before = await takeDcu(tx, who.user, id);
      const served = await findServed(tx, id);
      if (served.length > 0)
        throw new ApiError('HAS_ARCHIVES', { sn: before.sn, count: served.length, examples: served.slice(0, EXAMPLES).join(', ') });
      await deleteDcu(tx, id);
      const { sn, name, dcuTypeName, transformerName, connectionType, host, port } = before;
      const detail = { before: { sn, name, dcuTypeName, transformerName, connectionType, host, port } };
      await audit(tx, who, { action: 'dcu_deleted', entityId: id, detail }, now);
    },
    () => [devicesChanged('dcu', [id])],
  );
}

export async function setDcuKeys(ctx: Context, who: Who, id: string, change: DeviceKeys): Promise<void> {
  const now = ctx.clock.now();
  refuseWrongLengths(change, DCU_SUITE);
  await refuseSharedKeys(ctx, 'dcu', (await getDcu(ctx.db, who.user, id)).sn, change);
  await commitChanges(
    ctx,
    async (tx) => {
      const { sn } = await takeDcu(tx, who.user, id);
      await updateDcu(tx, id, sealChange(ctx.secrets, 'dcu', sn, change), new Date(now));
      await logKeys(tx, { kind: 'dcu', id, change, method: 'typed', userId: who.user.id }, new Date(now));
      await audit(tx, who, { action: 'dcu_keys_changed', entityId: id, detail: { sn, keys: namesOfKeys(change) } }, now);
    },
    () => [devicesChanged('dcu', [id])],
  );
}

/** Locks all these DCUs. Throws for the first one that is missing or outside the user's area. */
async function takeAll(tx: Tx, user: User, given: readonly string[]) {
  const ids = [...new Set(given)];
  const found = await takeDcus(tx, user, ids);
  const missing = ids.find((id) => !found.some((row) => row.id === id));
  if (missing !== undefined) throw new ApiError('DCU_NOT_FOUND', { id: missing });
  return found;
}

export async function moveToTransformer(ctx: Context, who: Who, { ids, transformerId }: { ids: string[]; transformerId: string | null }) {
  const now = ctx.clock.now();
  const { moved } = await commitChanges(
    ctx,
    async (tx) => {
      const found = await takeAll(tx, who.user, ids);
      const isOutside = transformerId === null ? !seesWholeNetwork(who.user) : !(await hasTransformer(tx, who.user, transformerId));
      if (isOutside) throw new ApiError('UNKNOWN_REFERENCE', {}, 'transformerId');
      const elsewhere = found.filter((row) => row.transformerId !== transformerId);
      const taken = await moveDcus(
        tx,
        elsewhere.map((row) => row.id),
        transformerId,
        new Date(now),
      );
      if (elsewhere.length > 0)
        await audit(tx, who, { action: 'dcu_moved', entityId: null, detail: { sns: elsewhere.map((row) => row.sn), transformerId } }, now);
      return { moved: elsewhere.map((row) => row.id), meters: taken };
    },
    (done) => [devicesChanged('dcu', done.moved), devicesChanged('meter', done.meters)],
  );
  return { moved: moved.length };
}

type DcuOrderKind = 'dcu_test' | 'dcu_read_info' | 'dcu_restart';

/** Queues a task for DCUs and returns immediately; results arrive as `task.item` messages. */
export function orderDcus(ctx: Context, who: Who, kind: DcuOrderKind, ids: readonly string[], reason?: string) {
  return ctx.db.transaction().execute(async (tx) => {
    const found = await takeAll(tx, who.user, ids);
    return placeOrder(tx, ctx, who, kind, {
      params: {},
      ...(reason === undefined ? {} : { reason }),
      items: found.map((row) => ({ deviceKind: 'dcu', dcuId: row.id, meterId: null })),
      record: { detail: { dcus: found.map((row) => row.sn), reason } },
    });
  });
}

export async function forget(ctx: Context, who: Who, name: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await deleteCaller(tx, name))) throw new ApiError('NOT_FOUND');
    await audit(tx, who, { action: 'dcu_caller_forgotten', entityId: null, detail: { name } }, ctx.clock.now());
  });
}
