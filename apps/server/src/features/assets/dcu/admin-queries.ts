import type { DcuDetail } from '@hes/contract/asset/dcu.ts';
import type { DataChannel } from '@hes/contract/states/device.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import { deleteRecordsOfDcu } from '#features/archive/port.ts';
import type { Db, Tx, User } from '#db/context.ts';
import type { SecretColumns } from '#platform/device-keys.ts';

/** Columns of a DCU that users can change. */
export interface DcuColumns {
  name: string;
  dcuTypeId: string;
  transformerId: string | null;
  protocol: DcuDetail['protocol'];
  communicateType: DcuDetail['communicateType'];
  connectionType: DcuDetail['connectionType'];
  host: string | null;
  port: number | null;
  authenticationType: DcuDetail['authenticationType'];
  clientSap: number;
  serverSap: number;
  physicalAddress: number | null;
  systemTitle: Buffer | null;
  dataChannel: DcuDetail['dataChannel'];
  country: string | null;
  longitude: number | null;
  latitude: number | null;
  simIccid: string | null;
  apn: string | null;
  msisdn: string | null;
  note: string | null;
}

export async function findDcuOptions(db: Db) {
  const types = await db
    .selectFrom('dcuType')
    .where('enabled', '=', true)
    .select([
      'id',
      'code',
      'name',
      'protocol',
      'authenticationType',
      'maxMeters',
      sql<DataChannel>`case when downlink_modes @> array['plc', 'rf'] then 'plc_rf' else downlink_modes[1] end`.as('dataChannel'),
    ])
    .orderBy('name')
    .execute();
  const suppliers = await db.selectFrom('supplier').select(['id', 'name']).orderBy('name').execute();
  const usual = await db
    .selectFrom('dcu')
    .where('country', 'is not', null)
    .select('country')
    .groupBy('country')
    .orderBy(sql`count(*)`, 'desc')
    .limit(1)
    .executeTakeFirst();
  return { types, suppliers, country: usual?.country ?? null };
}

/** Locks a DCU until the transaction ends. */
export const lockDcu = (tx: Tx, id: string) => tx.selectFrom('dcu').where('id', '=', id).select('id').forUpdate().execute();

/** Whether the user's area has a transformer with this id. */
export async function hasTransformer(tx: Tx, user: User, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('transformer')
    .where('id', '=', id)
    .where(visible('transformer.id', user))
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}

export async function hasDcuType(tx: Tx, id: string): Promise<boolean> {
  return (await tx.selectFrom('dcuType').where('id', '=', id).select('id').executeTakeFirst()) !== undefined;
}

export async function insertDcu(tx: Tx, row: DcuColumns & SecretColumns & { sn: string }, now: Date): Promise<string> {
  const { id } = await tx
    .insertInto('dcu')
    .values({ ...row, createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export const updateDcu = (tx: Tx, id: string, change: Partial<DcuColumns> & SecretColumns, now: Date) =>
  tx
    .updateTable('dcu')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

/** Serial numbers of the meters that are bound to a DCU, or that its archive still holds according to the archive records. */
export async function findServed(tx: Tx, dcuId: string): Promise<string[]> {
  const { rows } = await sql<{ sn: string }>`
    select m.sn from meter m where m.dcu_id = ${dcuId}
    union
    select m.sn from archive_record a join meter m on m.id = a.meter_id
    where a.dcu_id = ${dcuId} and (a.bind_state = 'bound' or a.dispatch_state = 'distributed')
    order by sn`.execute(tx);
  return rows.map((row) => row.sn);
}

/** Deletes a DCU with its archive records. Readings belong to meters and stay. */
export async function deleteDcu(tx: Tx, id: string): Promise<void> {
  await deleteRecordsOfDcu(tx, id);
  await tx.deleteFrom('dcu').where('id', '=', id).execute();
}

/** Locks those of these DCUs that are in the user's area, in the order of ids. */
export const takeDcus = (tx: Tx, user: User, ids: readonly string[]) =>
  tx
    .selectFrom('dcu')
    .where(visible('dcu.transformerId', user))
    .where(sql<boolean>`dcu.id = any(${[...ids]}::bigint[])`)
    .select(['dcu.id', 'dcu.sn', 'dcu.transformerId'])
    .orderBy('dcu.id')
    .forUpdate()
    .execute();

/** Moves DCUs and their meters to a transformer, or to none. Returns the ids of the meters that moved. */
export async function moveDcus(tx: Tx, ids: readonly string[], transformerId: string | null, now: Date): Promise<string[]> {
  await sql`update dcu set transformer_id = ${transformerId}, updated_at = ${now}, version = version + 1 where id = any(${[...ids]}::bigint[])`.execute(
    tx,
  );
  const { rows } = await sql<{ id: string }>`
    update meter set transformer_id = ${transformerId}, updated_at = ${now}, version = version + 1
    where dcu_id = any(${[...ids]}::bigint[]) and transformer_id is distinct from ${transformerId} returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Protocol and authentication that a DCU of each type starts with. */
export const findTypeProtocols = (tx: Tx) => tx.selectFrom('dcuType').select(['id', 'protocol', 'authenticationType']).execute();

/** Stores the firmware version that a DCU reports. The version of the row stays: it counts changes by users. */
export const storeFirmwareVersion = (db: Db, id: string, firmwareVersion: string) =>
  db.updateTable('dcu').set({ firmwareVersion }).where('id', '=', id).execute();
