import type { ArchiveRow } from '@hes/contract/asset/archive.ts';
import { commitChanges, devicesChanged } from '#db/changes.ts';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { rejudgeRecords } from './archive-queries.ts';
import { writeAudit } from '#db/audit.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import {
  bindMeters,
  countBound,
  findOrderDcus,
  findOtherRecords,
  findRecords,
  isBusy,
  rowsOf,
  lockMeters,
  unbindMeters,
  type OrderDcu,
} from './list-queries.ts';

const SNS_KEPT = 50;

export interface BindOrder {
  dcuId: string;
  meterIds: readonly string[];
  phase?: string | undefined;
  communicationMode?: string | undefined;
}

export async function getOrderDcu(tx: Tx | Context['db'], user: User, id: string): Promise<OrderDcu> {
  const [dcu] = await findOrderDcus(tx, user, [id]);
  if (dcu === undefined) throw new ApiError('DCU_NOT_FOUND', { id });
  return dcu;
}

/** Binds meters within the caller's transaction. Returns their serial numbers. */
export async function bindInside(tx: Tx, who: Who, order: BindOrder, now: Date): Promise<string[]> {
  const dcu = await getOrderDcu(tx, who.user, order.dcuId);
  await lockDcuInTransaction(tx, 'archive', dcu.id);
  const ids = [...new Set(order.meterIds)];
  const meters = await lockMeters(tx, who.user, ids);
  const missing = ids.find((id) => !meters.some((meter) => meter.id === id));
  if (missing !== undefined) throw new ApiError('METER_NOT_FOUND', { id: missing });
  // A bound meter must be unbound or moved explicitly before it can be bound again.
  if (meters.some((meter) => meter.dcuId !== null)) throw new ApiError('ALREADY_BOUND');
  if ((await countBound(tx, dcu.id)) + ids.length > dcu.maxMeters) throw new ApiError('ARCHIVE_FULL', { sn: dcu.sn, max: dcu.maxMeters });
  await bindMeters(tx, ids, { dcu, phase: order.phase, communicationMode: order.communicationMode }, now);
  const sns = meters.map((meter) => meter.sn);
  await rejudgeRecords(tx, dcu.id, sns);
  await judgeOthers(tx, ids, dcu.id);
  const detail = { dcuSn: dcu.sn, meters: sns.length, sns: sns.slice(0, SNS_KEPT) };
  await writeAudit(
    tx,
    { userId: who.user.id, ip: who.ip, action: 'archive_bound', entity: 'archive', entityId: dcu.id, detail },
    now.getTime(),
  );
  return sns;
}

async function judgeOthers(tx: Tx, meterIds: readonly string[], dcuId: string): Promise<void> {
  const others = Map.groupBy(await findOtherRecords(tx, meterIds, dcuId), (record) => record.dcuId);
  for (const [id, records] of others)
    await rejudgeRecords(
      tx,
      id,
      records.map((record) => record.sn),
    );
}

/** Binds meters to a DCU in the HES. The second of two concurrent requests for a meter fails with `ALREADY_BOUND`. */
export async function bindToDcu(ctx: Context, who: Who, order: BindOrder): Promise<ArchiveRow[]> {
  const now = new Date(ctx.clock.now());
  const sns = await commitChanges(
    ctx,
    (tx) => bindInside(tx, who, order, now),
    () => [devicesChanged('meter', [...order.meterIds])],
  );
  return rowsOf(ctx.db, sns, [order.dcuId]);
}

/** Unbinds meters within the caller's transaction. The caller has checked that they are bound. */
export async function unbindInside(
  tx: Tx,
  who: Who,
  meters: readonly { id: string; sn: string; dcuId: string }[],
  now: Date,
): Promise<void> {
  const byDcu = Map.groupBy(meters, (meter) => meter.dcuId);
  for (const dcuId of [...byDcu.keys()].toSorted((a, b) => Number(a) - Number(b))) await lockDcuInTransaction(tx, 'archive', dcuId);
  await unbindMeters(
    tx,
    meters.map((meter) => meter.id),
    now,
  );
  for (const [dcuId, some] of byDcu) {
    await rejudgeRecords(
      tx,
      dcuId,
      some.map((meter) => meter.sn),
    );
    const detail = { meters: some.length, sns: some.slice(0, SNS_KEPT).map((meter) => meter.sn) };
    await writeAudit(
      tx,
      { userId: who.user.id, ip: who.ip, action: 'archive_unbound', entity: 'archive', entityId: dcuId, detail },
      now.getTime(),
    );
  }
}

/** Unbinds meters in the HES. Entries that remain in the DCU are then pending deletion. */
export async function unbindFromDcu(ctx: Context, who: Who, recordIds: readonly string[]): Promise<ArchiveRow[]> {
  const ids = [...new Set(recordIds)];
  const now = new Date(ctx.clock.now());
  const done = await commitChanges(
    ctx,
    async (tx) => {
      const records = await findRecords(tx, who.user, ids);
      if (records.length < ids.length) throw new ApiError('NOT_FOUND');
      const meters = records.map(({ meterId, bindState, dcuId, sn }) => {
        if (meterId === null || bindState !== 'bound') throw new ApiError('NOT_BOUND');
        return { id: meterId, sn, dcuId };
      });
      for (const { dcuId, dcuSn } of new Map(records.map((record) => [record.dcuId, record])).values())
        if (await isBusy(tx, dcuId, ['archive_dispatch'])) throw new ApiError('BUSY', { sn: dcuSn });
      await unbindInside(tx, who, meters, now);
      return records;
    },
    (done) => [
      devicesChanged(
        'meter',
        done.flatMap((record) => (record.meterId === null ? [] : [record.meterId])),
      ),
    ],
  );
  return rowsOf(
    ctx.db,
    done.map((record) => record.sn),
    [...new Set(done.map((record) => record.dcuId))],
  );
}
