import type { UplinkReading } from '@hes/contract/states/uplink.ts';
import type { Db } from '#db/context.ts';

/** Replaces the stored reading of a modem. */
export async function storeUplink(db: Db, dcuId: string, reading: UplinkReading): Promise<void> {
  const { cellId, ...rest } = reading;
  const row = { ...rest, cellId: cellId === null ? null : String(cellId) };
  await db
    .insertInto('dcuUplink')
    .values({ dcuId, ...row })
    .onConflict((conflict) => conflict.column('dcuId').doUpdateSet(row))
    .execute();
}
