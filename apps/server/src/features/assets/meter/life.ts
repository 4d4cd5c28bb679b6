import type { OtherRegisters, replacement, stateChange } from '@hes/contract/asset/meter.ts';
import type { InventoryState } from '@hes/contract/states/device.ts';
import { INVENTORY_TEXT } from '@hes/contract/text/device-text.ts';
import type { z } from 'zod';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import { toRegisterArray } from '#db/registers.ts';
import { bindInside, unbindInside } from '#features/archive/port.ts';
import { deleteLimits, passLimits } from '#features/balance/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { hasTransformer } from '#features/assets/dcu/admin-queries.ts';
import { audit, getAsset, takeAll } from './administer.ts';
import {
  forgetMemory,
  insertExchange,
  passMaster,
  resignMaster,
  takeHome,
  takePlace,
  updateMeter,
  type TakenMeter,
} from './admin-queries.ts';
import { findShown, type Within } from './asset-queries.ts';
import { findMeter } from './queries.ts';

type StateChange = z.output<typeof stateChange>;

/** Whether a meter is bound to a DCU. The endpoint of a direct meter is its own. */
export const isBound = ({ dcuId, communicationMode }: TakenMeter): boolean => dcuId !== null && communicationMode !== 'direct';

export const refuse = (meter: TakenMeter, to: InventoryState) =>
  new ApiError('METER_STATE', { sn: meter.sn, from: INVENTORY_TEXT[meter.inventoryState], to: INVENTORY_TEXT[to] });

async function checkTransformer(tx: Tx, user: User, id: string | null | undefined): Promise<string> {
  if (!id || !(await hasTransformer(tx, user, id))) throw new ApiError('UNKNOWN_REFERENCE', {}, 'transformerId');
  return id;
}

/** Returns unbound meters to the warehouse and records their final register. Throws if a meter is bound to a DCU. */
async function shelve(tx: Tx, who: Who, meters: TakenMeter[], change: StateChange, now: Date): Promise<void> {
  if (meters.some(isBound)) throw new ApiError('ALREADY_BOUND');
  const ids = meters.map((meter) => meter.id);
  const { finalKwh = null } = change;
  const finalRegisters = finalKwh === null ? null : toRegisterArray({ plus: finalKwh });
  for (const old of meters)
    await insertExchange(
      tx,
      {
        at: now,
        oldMeterId: old.id,
        place: old,
        newMeterId: null,
        finalRegisters,
        initialRegisters: null,
        note: change.reason,
        userId: who.user.id,
      },
      now,
    );
  await resignMaster(tx, ids);
  await deleteLimits(tx, ids);
  await takeHome(tx, ids, now);
}

async function install(tx: Tx, who: Who, meters: TakenMeter[], change: StateChange, now: Date): Promise<void> {
  for (const meter of meters) {
    const place =
      meter.inventoryState === 'in_warehouse'
        ? { transformerId: await checkTransformer(tx, who.user, change.transformerId), installedAt: now, removedAt: null }
        : {};
    await updateMeter(tx, meter.id, { inventoryState: 'installed', ...place }, now);
  }
}

/** Activates installed meters. Throws for a meter that was not read since its installation. */
async function activate(tx: Tx, meters: TakenMeter[], now: Date): Promise<void> {
  for (const meter of meters) {
    const wasRead = meter.lastReadAt !== null && (meter.installedAt === null || meter.lastReadAt > meter.installedAt);
    if (meter.inventoryState !== 'installed' || !wasRead) throw refuse(meter, 'active');
    await updateMeter(tx, meter.id, { inventoryState: 'active' }, now);
  }
}

/** Changes the inventory state of meters. Meters that already have the state stay unchanged. */
export async function changeState(ctx: Context, who: Who, change: StateChange): Promise<{ changed: number }> {
  const now = new Date(ctx.clock.now());
  const changed = await commitChanges(
    ctx,
    async (tx) => {
      const meters = (await takeAll(tx, who.user, change.ids)).filter((meter) => meter.inventoryState !== change.state);
      if (meters.length === 0) return [];
      if (change.state === 'in_warehouse') await shelve(tx, who, meters, change, now);
      else if (change.state === 'installed') await install(tx, who, meters, change, now);
      else await activate(tx, meters, now);
      const { state, finalKwh, reason } = change;
      const from = meters.map(({ sn, inventoryState }) => ({ sn, inventoryState }));
      await audit(tx, who, { action: 'meter_state_changed', entityId: null, detail: { from, state, finalKwh, reason } }, now.getTime());
      return meters.map((meter) => meter.id);
    },
    (done) => [devicesChanged('meter', done)],
  );
  return { changed: changed.length };
}

/** Last freeze of a meter within a period; prefills the final register of a replacement. */
export async function getShown(ctx: Context, user: User, id: string, within: Within) {
  if ((await findMeter(ctx.db, user, id)) === undefined) throw new ApiError('METER_NOT_FOUND', { id });
  return { reading: await findShown(ctx.db, id, within, ctx.settings.timeZone) };
}

/** Initial registers of the new meter. A meter whose total is 0 has 0 in every register that was not entered. */
export const beginning = (plus: number, others: OtherRegisters): (number | null)[] =>
  toRegisterArray({ plus, ...others }).map((kwh) => kwh ?? (plus === 0 ? 0 : null));

/** Replaces a meter by one from the warehouse. The next dispatch sends the change to the DCU. */
export async function replaceMeter(ctx: Context, who: Who, oldId: string, order: z.output<typeof replacement>) {
  const { newMeterId: newId, finalKwh, initialKwh, final, initial, note } = order;
  const at = new Date(order.at);
  const now = new Date(ctx.clock.now());
  if (oldId === newId) throw new ApiError('VALIDATION', {}, 'newMeterId');
  if (at > now) throw new ApiError('VALIDATION', {}, 'at');
  await commitChanges(
    ctx,
    async (tx) => {
      const taken = await takeAll(tx, who.user, [oldId]);
      // A meter in the warehouse is in no area, so the lookup ignores the area of the user.
      const shelf = await takeAll(tx, { ...who.user, scope: { kind: 'whole' } }, [newId]);
      const [old] = taken;
      const [fresh] = shelf;
      if (old === undefined || fresh === undefined) throw new ApiError('METER_NOT_FOUND', { id: newId });
      if (old.inventoryState === 'in_warehouse') throw refuse(old, 'in_warehouse');
      if (fresh.inventoryState !== 'in_warehouse') throw refuse(fresh, 'installed');
      if (isBound(fresh)) throw new ApiError('ALREADY_BOUND');
      const shown = { finalRegisters: toRegisterArray({ plus: finalKwh, ...final }), initialRegisters: beginning(initialKwh, initial) };
      await insertExchange(tx, { at, oldMeterId: old.id, place: old, newMeterId: newId, ...shown, note, userId: who.user.id }, now);
      const { sn } = old;
      const dcuId = isBound(old) ? old.dcuId : null;
      if (dcuId !== null) await unbindInside(tx, who, [{ id: oldId, sn, dcuId }], now);
      await takePlace(tx, { oldId, newId, at }, now);
      // A direct meter needs no DCU.
      if (dcuId !== null && fresh.communicationMode !== 'direct') await bindInside(tx, who, { dcuId, meterIds: [newId] }, now);
      await passMaster(tx, oldId, newId);
      await passLimits(tx, oldId, newId, now);
      await takeHome(tx, [oldId], now);
      await forgetMemory(tx, [newId]);
      const detail = { oldSn: old.sn, newSn: fresh.sn, finalKwh, initialKwh, final, initial, at: order.at, note };
      await audit(tx, who, { action: 'meter_replaced', entityId: oldId, detail }, now.getTime());
    },
    () => [devicesChanged('meter', [oldId, newId])],
  );
  return getAsset(ctx.db, who.user, newId);
}
