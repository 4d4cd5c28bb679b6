import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

/** Serial numbers and codes of everything that the demonstration brought. */
export interface DemonstrationNames {
  dcus: string[];
  meters: string[];
  transformers: string[];
  levels: string[];
  dcuTypes: string[];
  meterTypes: string[];
  suppliers: string[];
}

/** Rows about a meter that no foreign key deletes with it. Logs of changes and commands remain. */
export const OF_METER = [
  'bill_line',
  'meter_latest',
  'reading_correction',
  'reading_daily',
  'reading_instant',
  'reading_profile',
  'relay_command',
] as const;
/** Rows about an endpoint, or a meter behind it, that no foreign key deletes with it, or that may not lose their meter first. */
export const OF_ENDPOINT = [
  'archive_record',
  'arrival_day',
  'event',
  'incident',
  'push_receipt',
  'trace',
  'upgrade_broadcast',
  'upgrade_record',
] as const;

export async function countDevices(db: Db, { dcus, meters }: DemonstrationNames): Promise<{ dcus: number; meters: number }> {
  const { rows } = await sql<{ dcus: number; meters: number }>`
    select (select count(*)::int from dcu where sn = any(${dcus}::text[])) as dcus,
      (select count(*)::int from meter where sn = any(${meters}::text[])) as meters`.execute(db);
  return rows[0] ?? { dcus: 0, meters: 0 };
}

export interface MeterOfDcu {
  id: string;
  sn: string;
  dcuId: string;
  dcuSn: string;
}

/** Meters behind these DCUs. */
export const findMetersOfDcus = (db: Db | Tx, dcus: readonly string[]): Promise<MeterOfDcu[]> =>
  db
    .selectFrom('meter')
    .innerJoin('dcu', 'dcu.id', 'meter.dcuId')
    .where(sql<boolean>`dcu.sn = any(${[...dcus]}::text[])`)
    .select(['meter.id', 'meter.sn', 'dcu.id as dcuId', 'dcu.sn as dcuSn'])
    .orderBy('meter.id')
    .execute();

export const findTransformer = (db: Db | Tx, code: string): Promise<{ id: string; name: string } | undefined> =>
  db.selectFrom('transformer').where('code', '=', code).select(['id', 'name']).executeTakeFirst();

const idsFrom = async (tx: Tx, query: ReturnType<typeof sql<{ id: string }>>): Promise<string[]> =>
  (await query.execute(tx)).rows.map(({ id }) => id);

/** Deletes levels without children, transformers and role areas until none of them is left. */
async function deleteLevels(tx: Tx, codes: readonly string[]): Promise<void> {
  for (;;) {
    const { numAffectedRows } = await sql`
      delete from network_level l where l.code = any(${[...codes]}::text[])
        and not exists (select from network_level c where c.parent_id = l.id) and not exists (select from transformer t where t.level_id = l.id)
        and not exists (select from role_scope s where s.level_id = l.id)`.execute(tx);
    if (numAffectedRows === undefined || numAffectedRows === 0n) return;
  }
}

/** Deletes types and suppliers that no device uses, and that are not part of every installation. */
async function deleteTypes(tx: Tx, { dcuTypes, meterTypes, suppliers }: DemonstrationNames): Promise<void> {
  await sql`delete from dcu_type t where t.code = any(${dcuTypes}::text[]) and t.builtin_key is null
    and not exists (select from endpoint e where e.dcu_type_id = t.id)`.execute(tx);
  await sql`delete from meter_type t where t.code = any(${meterTypes}::text[]) and t.builtin_key is null
    and not exists (select from meter m where m.meter_type_id = t.id)`.execute(tx);
  await sql`delete from supplier s where s.code = any(${suppliers}::text[]) and s.builtin_key is null
    and not exists (select from firmware f where f.supplier_id = s.id)
    and not exists (select from dcu_type t where t.supplier_id = s.id) and not exists (select from meter_type t where t.supplier_id = s.id)`.execute(
    tx,
  );
}

/**
 * Deletes the demonstration: devices, everything stored about them, and the network that no other device or role uses. A DCU with meters of
 * the utility itself remains. Returns the ids of the deleted devices.
 */
export async function deleteDemonstration(tx: Tx, names: DemonstrationNames): Promise<{ dcus: string[]; meters: string[] }> {
  const meters = await idsFrom(tx, sql`select id from meter where sn = any(${names.meters}::text[])`);
  const endpoints = await idsFrom(
    tx,
    sql`select id from endpoint e where (e.sn = any(${names.dcus}::text[]) or e.id in (select dcu_id from meter where id = any(${meters}::bigint[]) and communication_mode = 'direct'))
      and not exists (select from meter m where m.dcu_id = e.id and m.id <> all(${meters}::bigint[]))`,
  );
  for (const table of OF_METER) await sql`delete from ${sql.table(table)} where meter_id = any(${meters}::bigint[])`.execute(tx);
  for (const table of OF_ENDPOINT) await sql`delete from ${sql.table(table)} where dcu_id = any(${endpoints}::bigint[])`.execute(tx);
  await sql`
    with gone as (delete from task_item where dcu_id = any(${endpoints}::bigint[]) returning task_id)
    delete from task t where t.id in (select task_id from gone)
      and not exists (select from task_item i where i.task_id = t.id and i.dcu_id <> all(${endpoints}::bigint[]))`.execute(tx);
  await sql`update transformer set master_meter_id = null where master_meter_id = any(${meters}::bigint[])`.execute(tx);
  await sql`delete from meter where id = any(${meters}::bigint[])`.execute(tx);
  await sql`delete from endpoint where id = any(${endpoints}::bigint[])`.execute(tx);
  await sql`delete from transformer t where t.code = any(${names.transformers}::text[])
    and not exists (select from endpoint e where e.transformer_id = t.id) and not exists (select from meter m where m.transformer_id = t.id)
    and not exists (select from role_scope s where s.transformer_id = t.id)`.execute(tx);
  await deleteLevels(tx, names.levels);
  await deleteTypes(tx, names);
  return { dcus: endpoints, meters };
}
