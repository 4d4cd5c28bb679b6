import { sql } from 'kysely';
import type { Db, Tx } from '#platform/context.ts';

/** The meter that a DCU's gateway calls so. */
export async function findMeterAt(db: Db, dcuId: string, address: Buffer): Promise<string | undefined> {
  const row = await db
    .selectFrom('meter')
    .where('dcuId', '=', dcuId)
    .where(sql<boolean>`(gateway_address = ${address} or (gateway_address is null and sn = ${address.toString('latin1')}))`)
    .select('id')
    .executeTakeFirst();
  return row?.id;
}

/** Whether this arrived before. */
export async function hasReceipt(db: Db, hash: Buffer): Promise<boolean> {
  const row = await db.selectFrom('pushReceipt').where('dedupHash', '=', hash).select('dedupHash').executeTakeFirst();
  return row !== undefined;
}

/** Answers whether it is the first time that this arrived. */
export async function insertReceipt(tx: Tx, receipt: { hash: Buffer; dcuId: string; meterId: string | null }): Promise<boolean> {
  const inserted = await tx
    .insertInto('pushReceipt')
    .values({ dedupHash: receipt.hash, dcuId: receipt.dcuId, meterId: receipt.meterId })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return inserted.numInsertedOrUpdatedRows === 1n;
}

/** Whether the logs of this device are about to be read anyway: a storm of alarms reads them once. */
export async function isReadingDue(tx: Tx, dcuId: string, meterId: string | null): Promise<boolean> {
  const row = await tx
    .selectFrom('taskItem')
    .where('kind', '=', 'events')
    .where('state', '=', 'waiting')
    .where('dcuId', '=', dcuId)
    .where('meterId', meterId === null ? 'is' : '=', meterId)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
