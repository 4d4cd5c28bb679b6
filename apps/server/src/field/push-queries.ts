import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

/** Meters of a DCU with their addresses at its gateway, in Latin-1. */
export async function findMeterAddresses(db: Db, dcuId: string): Promise<{ id: string; address: string }[]> {
  const rows = await db.selectFrom('meter').where('dcuId', '=', dcuId).select(['id', 'sn', 'gatewayAddress']).execute();
  return rows.map(({ id, sn, gatewayAddress }) => ({ id, address: gatewayAddress?.toString('latin1') ?? sn }));
}

/** Whether a push with this hash was stored before. */
export async function hasReceipt(db: Db, hash: Buffer): Promise<boolean> {
  const row = await db.selectFrom('pushReceipt').where('dedupHash', '=', hash).select('dedupHash').executeTakeFirst();
  return row !== undefined;
}

/** Returns false when the push was stored before. */
export async function insertReceipt(tx: Tx, receipt: { hash: Buffer; dcuId: string; meterId: string | null }): Promise<boolean> {
  const inserted = await tx
    .insertInto('pushReceipt')
    .values({ dedupHash: receipt.hash, dcuId: receipt.dcuId, meterId: receipt.meterId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** Whether an order to read the event logs of the device waits in the queue, so that a storm of alarms places one order only. */
export async function isReadingDue(tx: Tx, dcuId: string, meterId: string | null): Promise<boolean> {
  const row = await tx
    .selectFrom('taskItem')
    .where('kind', '=', 'events')
    .where('state', '=', 'waiting')
    .where('dcuId', '=', dcuId)
    .where(
      meterId === null
        ? sql<boolean>`meter_id is null and meter_ids is null`
        : sql<boolean>`(meter_id = ${meterId}::bigint or ${meterId}::bigint = any(meter_ids))`,
    )
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
