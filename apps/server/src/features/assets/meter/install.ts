import type { AssetDetail, installation } from '@hes/contract/asset/meter.ts';
import type { z } from 'zod';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import type { Context, Who } from '#db/context.ts';
import { bindInside, findOrderDcus } from '#features/archive/port.ts';
import { ApiError } from '#platform/api-error.ts';
import { audit, getAsset, takeAll } from './administer.ts';
import { forgetMemory, insertExchange, updateMeter } from './admin-queries.ts';
import { beginning, isBound, refuse } from './life.ts';

/**
 * Installs a meter from the warehouse behind a DCU in the user's area. Its first value opens its consumption, in kWh. The next dispatch writes
 * the meter to the DCU.
 */
export async function installMeter(ctx: Context, who: Who, id: string, order: z.output<typeof installation>): Promise<AssetDetail> {
  const { dcuId, initialKwh, initial, customerNo, note } = order;
  const at = new Date(order.at);
  const now = new Date(ctx.clock.now());
  if (at > now) throw new ApiError('VALIDATION', {}, 'at');
  await commitChanges(
    ctx,
    async (tx) => {
      // A meter in the warehouse is in no area, so the lookup ignores the area of the user.
      const [meter] = await takeAll(tx, { ...who.user, scope: { kind: 'whole' } }, [id]);
      if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id });
      if (meter.inventoryState !== 'in_warehouse') {
        // A meter of another area is not found, whatever its state.
        await takeAll(tx, who.user, [id]);
        throw refuse(meter, 'installed');
      }
      if (isBound(meter) || meter.communicationMode === 'direct') throw new ApiError('ALREADY_BOUND');
      const [dcu] = await findOrderDcus(tx, who.user, [dcuId]);
      if (dcu === undefined) throw new ApiError('DCU_NOT_FOUND', { id: dcuId });
      const place = { dcuId, transformerId: dcu.transformerId, customerNo };
      const registers = { finalRegisters: null, initialRegisters: beginning(initialKwh, initial) };
      await insertExchange(tx, { at, oldMeterId: null, newMeterId: id, place, ...registers, note, userId: who.user.id }, now);
      await bindInside(tx, who, { dcuId, meterIds: [id] }, now);
      await updateMeter(tx, id, { installedAt: at, removedAt: null, ...(customerNo === null ? {} : { customerNo }) }, now);
      await forgetMemory(tx, [id]);
      const detail = { sn: meter.sn, dcuSn: dcu.sn, initialKwh, initial, at: order.at, customerNo, note };
      await audit(tx, who, { action: 'meter_installed', entityId: id, detail }, now.getTime());
    },
    () => [devicesChanged('meter', [id])],
  );
  return getAsset(ctx.db, who.user, id);
}
