import type { SecuritySuite } from '@hes/contract/asset/spoken.ts';
import type { AssetDetail } from '@hes/contract/asset/meter.ts';
import type { InventoryState } from '@hes/contract/states/device.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import { deleteRecordsOfMeter } from '#features/archive/port.ts';
import { deleteLatest } from '#storage/latest-queries.ts';
import type { Db, Tx, User } from '#db/context.ts';
import type { SecretColumns } from '#platform/device-keys.ts';

/** Columns of a meter that users can change. */
export interface MeterColumns {
  meterTypeId: string;
  isMaster: boolean;
  communicationMode: AssetDetail['communicationMode'];
  recordedPhase: AssetDetail['recordedPhase'];
  accuracy: string | null;
  voltage: string | null;
  current: string | null;
  phase: AssetDetail['phase'] | null;
  ctRatio: number;
  ptRatio: number;
  isGenerator: boolean;
  customerNo: string | null;
  customerName: string | null;
  address: string | null;
  longitude: number | null;
  latitude: number | null;
  systemTitle: Buffer | null;
  note: string | null;
}

/** The security suite of a meter type; undefined if there is no such type. */
export async function findSuite(tx: Tx, id: string): Promise<SecuritySuite | undefined> {
  const row = await tx.selectFrom('meterType').where('id', '=', id).select('securitySuite').executeTakeFirst();
  return row?.securitySuite as SecuritySuite | undefined; // as: the column has a constraint
}

export async function insertMeter(tx: Tx, row: MeterColumns & SecretColumns & { sn: string }, now: Date): Promise<string> {
  const { id } = await tx
    .insertInto('meter')
    .values({ ...row, gatewayAddress: Buffer.from(row.sn, 'ascii'), createdAt: now, updatedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Rows per statement; keeps the statement below PostgreSQL's limit of 65,535 parameters. */
const CHUNK = 1000;

/** Inserts meters and returns their ids in the order of the rows. */
export async function insertMeters(tx: Tx, rows: readonly (MeterColumns & SecretColumns & { sn: string })[], now: Date): Promise<string[]> {
  const ids = new Map<string, string>();
  for (let at = 0; at < rows.length; at += CHUNK) {
    const values = rows
      .slice(at, at + CHUNK)
      .map((row) => ({ ...row, gatewayAddress: Buffer.from(row.sn, 'ascii'), createdAt: now, updatedAt: now }));
    for (const { id, sn } of await tx.insertInto('meter').values(values).returning(['id', 'sn']).execute()) ids.set(sn, id);
  }
  return rows.map((row) => ids.get(row.sn) ?? '');
}

interface OtherColumns {
  inventoryState: InventoryState;
  transformerId: string | null;
  installedAt: Date | null;
  removedAt: Date | null;
  /** Reset with new keys, because the device restarts its counter. */
  peerInvocationCounter: string;
}

export const updateMeter = (tx: Tx, id: string, change: Partial<MeterColumns & OtherColumns> & SecretColumns, now: Date) =>
  tx
    .updateTable('meter')
    .set((expression) => ({ ...change, updatedAt: now, version: expression('version', '+', 1) }))
    .where('id', '=', id)
    .execute();

/** Reads and locks those of these meters that are in the user's area, in the order of ids. */
export const takeMeters = (tx: Tx, user: User, ids: readonly string[]) =>
  tx
    .selectFrom('meter')
    .where(visible('meter.transformerId', user))
    .where(sql<boolean>`meter.id = any(${[...ids]}::bigint[])`)
    .select([
      'id',
      'sn',
      'inventoryState',
      'transformerId',
      'dcuId',
      'communicationMode',
      'isMaster',
      'customerNo',
      'installedAt',
      'lastReadAt',
    ])
    .orderBy('id')
    .forUpdate()
    .execute();
export type TakenMeter = Awaited<ReturnType<typeof takeMeters>>[number];

export async function hasReadings(db: Db, meterId: string): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from reading_daily where meter_id = ${meterId}) or exists (select 1 from reading_profile where meter_id = ${meterId}) as found`.execute(
    db,
  );
  return rows[0]?.found === true;
}

/** Serial numbers of the DCUs whose archive still has the meter according to the archive records. */
export async function findHolders(db: Db, meterId: string): Promise<string[]> {
  const { rows } = await sql<{ sn: string }>`
    select d.sn from archive_record a join dcu d on d.id = a.dcu_id
    where a.meter_id = ${meterId} and (a.bind_state = 'bound' or a.dispatch_state = 'distributed') order by d.sn`.execute(db);
  return rows.map((row) => row.sn);
}

/** Deletes a meter with its archive records and its latest values. */
export async function deleteMeter(tx: Tx, id: string): Promise<void> {
  await deleteRecordsOfMeter(tx, id);
  await deleteLatest(tx, id);
  await tx.deleteFrom('meter').where('id', '=', id).execute();
}

/** Deletes the cached metadata and watermarks of meters. Another type or a replaced meter captures other objects. */
export const forgetMemory = (tx: Tx, ids: readonly string[]) =>
  sql`update meter set memory_id = null, marks = '{}' where id = any(${[...ids]}::bigint[])`.execute(tx);

/** Makes meters the master meters of their transformers. A transformer that has a master meter keeps it. */
export const becomeMaster = (tx: Tx, ids: readonly string[]) =>
  sql`update transformer t set master_meter_id = m.id
    from (select distinct on (transformer_id) id, transformer_id from meter where id = any(${[...ids]}::bigint[]) order by transformer_id, id) m
    where t.id = m.transformer_id and t.master_meter_id is null`.execute(tx);

export const resignMaster = (tx: Tx, ids: readonly string[]) =>
  sql`update transformer set master_meter_id = null where master_meter_id = any(${[...ids]}::bigint[])`.execute(tx);

export const setMasterFlag = (tx: Tx, ids: readonly string[], isMaster: boolean, now: Date) =>
  sql`update meter set is_master = ${isMaster}, updated_at = ${now}, version = version + 1 where id = any(${[...ids]}::bigint[])`.execute(
    tx,
  );

/** Assigns a type and deletes the ratings that differed from the old type. */
export const setMeterType = (tx: Tx, ids: readonly string[], meterTypeId: string, now: Date) =>
  sql`update meter set meter_type_id = ${meterTypeId}, accuracy = null, voltage = null, current = null, phase = null, updated_at = ${now},
    version = version + 1 where id = any(${[...ids]}::bigint[])`.execute(tx);

/** Returns meters to the warehouse and clears every column of their installation place. A direct meter keeps its connection. */
export const takeHome = (tx: Tx, ids: readonly string[], now: Date) =>
  sql`update meter set inventory_state = 'in_warehouse', transformer_id = null, dcu_id = case communication_mode when 'direct' then dcu_id end, is_master = false, is_generator = false, customer_no = null,
    customer_name = null, address = null, longitude = null, latitude = null, ct_ratio = 1, pt_ratio = 1, recorded_phase = 'unknown',
    installed_at = null, removed_at = ${now}, updated_at = ${now}, version = version + 1 where id = any(${[...ids]}::bigint[])`.execute(tx);

/** Copies the columns of the installation place from the old meter to the new one: customer, address, ratios, phase and role. */
export const takePlace = (tx: Tx, { oldId, newId, at }: { oldId: string; newId: string; at: Date }, now: Date) =>
  sql`update meter n set transformer_id = o.transformer_id, is_master = o.is_master, is_generator = o.is_generator, customer_no = o.customer_no,
    customer_name = o.customer_name, address = o.address, longitude = o.longitude, latitude = o.latitude, ct_ratio = o.ct_ratio, pt_ratio = o.pt_ratio,
    recorded_phase = o.recorded_phase, inventory_state = case when o.transformer_id is null then 'in_warehouse' else 'installed' end, installed_at = ${at}, removed_at = null, updated_at = ${now}, version = n.version + 1
    from meter o where n.id = ${newId} and o.id = ${oldId}`.execute(tx);

export const passMaster = (tx: Tx, oldId: string, newId: string) =>
  sql`update transformer set master_meter_id = ${newId} where master_meter_id = ${oldId}`.execute(tx);

interface Exchange {
  at: Date;
  /** Null: there was no meter before. */
  oldMeterId: string | null;
  place: Pick<TakenMeter, 'transformerId' | 'dcuId' | 'customerNo'>;
  newMeterId: string | null;
  finalRegisters: (number | null)[] | null;
  initialRegisters: (number | null)[] | null;
  note: string | null;
  userId: string;
}

const numerics = (kwh: (number | null)[] | null) => sql<string[] | null>`${kwh}::numeric[]`;

export const insertExchange = (tx: Tx, { place, finalRegisters, initialRegisters, ...exchange }: Exchange, now: Date) =>
  tx
    .insertInto('meterExchange')
    .values({
      ...exchange,
      finalRegisters: numerics(finalRegisters),
      initialRegisters: numerics(initialRegisters),
      transformerId: place.transformerId,
      dcuId: place.dcuId,
      customerNo: place.customerNo,
      createdAt: now,
    })
    .execute();

/** Replaces the recorded phases of meters by those of `phases`. */
export async function recordPhases(tx: Tx, phases: readonly { id: string; after: string }[], now: Date): Promise<void> {
  await sql`
    update meter set recorded_phase = n.phase, updated_at = ${now}, version = version + 1
    from unnest(${phases.map((row) => row.id)}::bigint[], ${phases.map((row) => row.after)}::text[]) as n (id, phase) where meter.id = n.id`.execute(
    tx,
  );
}

/** Stores the firmware versions of meters whose version is unknown, by their ids. */
export const storeVersions = (db: Db, versions: ReadonlyMap<string, string>) =>
  sql`update meter set firmware_version = n.version from unnest(${[...versions.keys()]}::bigint[], ${[...versions.values()]}::text[]) as n (id, version)
    where meter.id = n.id and meter.firmware_version is null`.execute(db);
