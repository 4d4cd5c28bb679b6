import type { SecuritySuite } from '@hes/contract/asset/spoken.ts';
import type { DeviceKeys } from '@hes/contract/asset/device.ts';
import type { AssetDetail, meterChange, newMeter } from '@hes/contract/asset/meter.ts';
import type { z } from 'zod';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import { changedFields, writeAudit, type AuditEntry } from '#db/audit.ts';
import { logKeys, namesOfKeys } from '#db/key-log.ts';
import { refuseDuplicate } from '#db/unique.ts';
import { seesWholeNetwork } from '#db/scope.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import { refuseWrongLengths } from '#features/assets/keys/key-length.ts';
import { refuseSharedKeys } from '#features/assets/keys/shared-keys.ts';
import type { Context, Db, Tx, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { sealChange } from '#platform/device-keys.ts';
import {
  becomeMaster,
  deleteMeter,
  findHolders,
  forgetMemory,
  findSuite,
  hasReadings,
  insertMeter,
  resignMaster,
  setMasterFlag,
  setMeterType,
  takeMeters,
  updateMeter,
  type MeterColumns,
  type TakenMeter,
} from './admin-queries.ts';
import { findAsset } from './asset-queries.ts';
import { removeEndpoint, saveConnection } from './direct.ts';
import { findMetersForOrder } from './queries.ts';

const SN = { en: 'SN', zh: '编号' };
const NEVER_HEARD = '-1';
/** The connection of a meter that has none, as forms show it. */
const NO_CONNECTION = { connectionType: 'dial_in', host: null, port: null, protocol: 'dlms_wrapper', physicalAddress: null } as const;

type NewMeter = z.output<typeof newMeter>;
type MeterChange = z.output<typeof meterChange>;

export const audit = (tx: Tx, { user, ip }: Who, entry: Pick<AuditEntry, 'action' | 'entityId' | 'detail'>, now: number) =>
  writeAudit(tx, { userId: user.id, entity: 'meter', ip, ...entry }, now);

export async function getAsset(db: Db, user: User, id: string): Promise<AssetDetail> {
  const found = await findAsset(db, user, id);
  if (found === undefined) throw new ApiError('METER_NOT_FOUND', { id });
  return found;
}

/** Locks all these meters until the transaction ends. Throws for the first one that is missing. */
export async function takeAll(tx: Tx, user: User, given: readonly string[]): Promise<TakenMeter[]> {
  const ids = [...new Set(given)];
  const found = await takeMeters(tx, user, ids);
  const missing = ids.find((id) => !found.some((row) => row.id === id));
  if (missing !== undefined) throw new ApiError('METER_NOT_FOUND', { id: missing });
  return found;
}

/** The security suite of a meter type. Throws if there is no such type. */
async function suiteOf(tx: Tx, meterTypeId: string): Promise<SecuritySuite> {
  const suite = await findSuite(tx, meterTypeId);
  if (suite === undefined) throw new ApiError('UNKNOWN_REFERENCE', {}, 'meterTypeId');
  return suite;
}

/** Without the connection, which is in the endpoint of a direct meter. */
const columnsOf = ({
  systemTitle,
  connectionType: _c,
  host: _h,
  port: _p,
  protocol: _f,
  physicalAddress: _a,
  ...fields
}: Omit<NewMeter, 'sn' | 'keys'>): MeterColumns => ({
  ...fields,
  systemTitle: systemTitle === null ? null : Buffer.from(systemTitle, 'hex'),
});

export async function createMeter(ctx: Context, who: Who, { sn, keys, ...fields }: NewMeter): Promise<AssetDetail> {
  const now = ctx.clock.now();
  // A new meter is in the warehouse, which only users who see the whole network may change.
  if (!seesWholeNetwork(who.user)) throw new ApiError('BEYOND_OWN_RIGHTS');
  if (keys !== undefined) await refuseSharedKeys(ctx, 'meter', sn, keys);
  const id = await commitChanges(
    ctx,
    async (tx) => {
      const suite = await suiteOf(tx, fields.meterTypeId);
      if (keys !== undefined) refuseWrongLengths(keys, suite, 'keys.');
      const secrets = keys === undefined ? {} : sealChange(ctx.secrets, 'meter', sn, keys);
      const created = await refuseDuplicate(
        { field: 'sn', label: SN, value: sn },
        insertMeter(tx, { ...columnsOf(fields), ...secrets, sn }, new Date(now)),
      );
      await saveConnection(tx, { id: created, sn, dcuId: null, communicationMode: 'plc' }, fields, new Date(now));
      if (keys !== undefined)
        await logKeys(tx, { kind: 'meter', id: created, change: keys, method: 'typed', userId: who.user.id }, new Date(now));
      const after = { sn, ...fields, keys: keys === undefined ? [] : namesOfKeys(keys) };
      await audit(tx, who, { action: 'meter_created', entityId: created, detail: { after } }, now);
      return created;
    },
    (done) => [devicesChanged('meter', [done])],
  );
  return getAsset(ctx.db, who.user, id);
}

export async function changeMeter(ctx: Context, who: Who, id: string, { version, ...fields }: MeterChange): Promise<AssetDetail> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const [taken] = await takeAll(tx, who.user, [id]);
      const before = await getAsset(tx, who.user, id);
      if (before.version !== version) throw stale(before);
      await suiteOf(tx, fields.meterTypeId);
      await updateMeter(tx, id, columnsOf(fields), new Date(now));
      if (taken !== undefined) await saveConnection(tx, taken, fields, new Date(now));
      if (fields.meterTypeId !== before.meterTypeId) await forgetMemory(tx, [id]);
      if (taken?.isMaster !== fields.isMaster) await (fields.isMaster ? becomeMaster(tx, [id]) : resignMaster(tx, [id]));
      const detail = changedFields({ ...before, ...before.own, ...(before.connection ?? NO_CONNECTION) }, fields);
      await audit(tx, who, { action: 'meter_changed', entityId: id, detail: { sn: before.sn, ...detail } }, now);
    },
    () => [devicesChanged('meter', [id])],
  );
  return getAsset(ctx.db, who.user, id);
}

export async function removeMeter(ctx: Context, who: Who, id: string): Promise<void> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const [taken] = await takeAll(tx, who.user, [id]);
      const { sn, meterTypeName, inventoryState } = await getAsset(tx, who.user, id);
      if (inventoryState !== 'in_warehouse') throw new ApiError('NOT_IN_WAREHOUSE', { sn });
      const [holder] = await findHolders(tx, id);
      if (holder !== undefined) throw new ApiError('HAS_ARCHIVES', { sn: holder, count: 1, examples: sn });
      if (await hasReadings(tx, id)) throw new ApiError('HAS_READINGS', { sn });
      if (taken?.communicationMode === 'direct') await removeEndpoint(tx, taken);
      await deleteMeter(tx, id);
      await audit(tx, who, { action: 'meter_deleted', entityId: id, detail: { before: { sn, meterTypeName } } }, now);
    },
    () => [devicesChanged('meter', [id])],
  );
}

export async function setMeterKeys(ctx: Context, who: Who, id: string, change: DeviceKeys): Promise<AssetDetail> {
  const now = ctx.clock.now();
  await refuseSharedKeys(ctx, 'meter', (await getAsset(ctx.db, who.user, id)).sn, change);
  await commitChanges(
    ctx,
    async (tx) => {
      await takeAll(tx, who.user, [id]);
      const { sn, meterTypeId } = await getAsset(tx, who.user, id);
      refuseWrongLengths(change, await suiteOf(tx, meterTypeId));
      const recount = change.ek === undefined ? {} : { peerInvocationCounter: NEVER_HEARD };
      await updateMeter(tx, id, { ...sealChange(ctx.secrets, 'meter', sn, change), ...recount }, new Date(now));
      await logKeys(tx, { kind: 'meter', id, change, method: 'typed', userId: who.user.id }, new Date(now));
      await audit(tx, who, { action: 'meter_keys_changed', entityId: id, detail: { sn, keys: namesOfKeys(change) } }, now);
    },
    () => [devicesChanged('meter', [id])],
  );
  return getAsset(ctx.db, who.user, id);
}

export async function setMaster(ctx: Context, who: Who, { ids, isMaster }: { ids: string[]; isMaster: boolean }) {
  const now = ctx.clock.now();
  const changed = await commitChanges(
    ctx,
    async (tx) => {
      const other = (await takeAll(tx, who.user, ids)).filter((meter) => meter.isMaster !== isMaster);
      const others = other.map((meter) => meter.id);
      await setMasterFlag(tx, others, isMaster, new Date(now));
      await (isMaster ? becomeMaster(tx, others) : resignMaster(tx, others));
      if (other.length > 0)
        await audit(
          tx,
          who,
          { action: 'meter_master_set', entityId: null, detail: { sns: other.map((meter) => meter.sn), isMaster } },
          now,
        );
      return others;
    },
    (done) => [devicesChanged('meter', done)],
  );
  return { changed: changed.length };
}

export async function setType(ctx: Context, who: Who, { ids, meterTypeId }: { ids: string[]; meterTypeId: string }) {
  const now = ctx.clock.now();
  const changed = await commitChanges(
    ctx,
    async (tx) => {
      const found = await takeAll(tx, who.user, ids);
      await suiteOf(tx, meterTypeId);
      const every = found.map((meter) => meter.id);
      await setMeterType(tx, every, meterTypeId, new Date(now));
      await forgetMemory(tx, every);
      await audit(tx, who, { action: 'meter_type_set', entityId: null, detail: { sns: found.map((meter) => meter.sn), meterTypeId } }, now);
      return every;
    },
    (done) => [devicesChanged('meter', done)],
  );
  return { changed: changed.length };
}

/** Orders a test of the association with a meter. */
export function testMeter(ctx: Context, who: Who, id: string): Promise<{ taskId: string }> {
  return ctx.db.transaction().execute(async (tx) => {
    const [meter] = await findMetersForOrder(tx, who.user, [id]);
    if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id });
    if (meter.dcuId === null) throw new ApiError('NOT_BOUND');
    return placeOrder(tx, ctx, who, 'meter_test', { params: {}, items: [{ deviceKind: 'meter', dcuId: meter.dcuId, meterId: id }] });
  });
}
