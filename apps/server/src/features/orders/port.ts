import type { DeviceRef } from '@hes/contract/action/device-order.ts';
import { findMetersForOrder } from '#features/assets/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User } from '#db/context.ts';
import type { OrderedDevice } from '#tasks/operation.ts';
import { findVisibleDcuIds } from './queries.ts';

/** Returns one item per device. A device outside of the user's area is reported as missing, so that its existence is not disclosed. */
export async function itemsFor(ctx: Context, user: User, devices: readonly DeviceRef[]): Promise<OrderedDevice[]> {
  const unique = [...new Map(devices.map((device) => [`${device.kind}/${device.id}`, device])).values()];
  const idsOf = (kind: DeviceRef['kind']) => unique.filter((device) => device.kind === kind).map((device) => device.id);
  const [meters, dcuIds] = await Promise.all([
    findMetersForOrder(ctx.db, user, idsOf('meter')),
    findVisibleDcuIds(ctx.db, user, idsOf('dcu')),
  ]);
  const meterOf = new Map(meters.map((meter) => [meter.id, meter]));
  return unique.map(({ kind, id }) => {
    if (kind === 'dcu') {
      if (!dcuIds.has(id)) throw new ApiError('DCU_NOT_FOUND', { id });
      return { deviceKind: 'dcu', dcuId: id, meterId: null };
    }
    const meter = meterOf.get(id);
    if (meter === undefined) throw new ApiError('METER_NOT_FOUND', { id });
    if (meter.dcuId === null) throw new ApiError('NOT_BOUND');
    return { deviceKind: 'meter', dcuId: meter.dcuId, meterId: id };
  });
}
