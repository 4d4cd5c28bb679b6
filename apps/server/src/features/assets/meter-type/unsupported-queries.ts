import type { UnsupportedRow } from '@hes/contract/asset/meter-type.ts';
import { sql } from 'kysely';
import { iso } from '#db/paging.ts';
import type { Db, Tx } from '#db/context.ts';

type Found = Omit<UnsupportedRow, 'object' | 'lastAt'> & UnsupportedRow['object'] & { lastAt: Date };

/** Objects that meters of one type or of all types reported as undefined, learnt ones first. */
export async function listUnsupported(db: Db, meterTypeId?: string): Promise<UnsupportedRow[]> {
  const { rows } = await sql<Found>`
    select u.meter_type_id, t.name as meter_type_name, o.key, o.name_en, o.name_zh, u.class_id, u.obis, u.attribute, u.meters, u.last_at, u.is_learnt
    from unsupported_object u join meter_type t on t.id = u.meter_type_id
    left join obis_code o on o.kind = 'attribute' and (o.class_id, o.obis, o.attribute) = (u.class_id, u.obis, u.attribute)
    where ${meterTypeId ?? null}::bigint is null or u.meter_type_id = ${meterTypeId ?? null}
    order by u.is_learnt desc, t.name, u.obis, u.attribute`.execute(db);
  return rows.map(({ classId, obis, attribute, lastAt, ...row }) => ({
    ...row,
    object: { classId, obis, attribute },
    lastAt: iso(lastAt),
  }));
}

/** Deletes the reports of undefined objects and returns their number. */
export async function forgetUnsupported(tx: Tx, meterTypeId: string, objects: readonly UnsupportedRow['object'][]): Promise<number> {
  const done = await sql`
    delete from undefined_answer u using unnest(${objects.map(({ classId }) => classId)}::int[], ${objects.map(({ obis }) => obis)}::text[],
      ${objects.map(({ attribute }) => attribute)}::int[]) as k (class_id, obis, attribute)
    where u.meter_type_id = ${meterTypeId} and (u.class_id, u.obis, u.attribute) = (k.class_id, k.obis, k.attribute)`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
}
