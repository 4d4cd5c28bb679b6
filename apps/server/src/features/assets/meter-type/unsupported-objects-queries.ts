import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { Pool } from 'pg';
import type { MeterDevice } from '#field/devices.ts';
import type { ReadingItemRow } from '#field/queries.ts';

/** An object that meters of a type reported as undefined. `isLearnt`: enough meters did, so that it is no longer read. */
export interface Verdict {
  key: string;
  isLearnt: boolean;
}

/** Those of these items that at least one meter of the type reported as undefined. */
export async function findVerdicts(pool: Pool, meterTypeId: string, items: readonly ReadingItemRow[]): Promise<Verdict[]> {
  const found = await pool.query<Verdict>({
    name: 'unsupported_verdicts',
    text: `select k.key, u.is_learnt as "isLearnt" from unnest($2::text[], $3::int[], $4::text[], $5::int[]) as k (key, class_id, obis, attribute)
      join unsupported_object u on u.meter_type_id = $1 and (u.class_id, u.obis, u.attribute) = (k.class_id, k.obis, k.attribute)`,
    values: [meterTypeId, ...columnsOf(items)],
  });
  return found.rows;
}

interface Answers {
  device: MeterDevice;
  items: readonly ReadingItemRow[];
  values: readonly ReadValue[];
  verdicts: readonly Verdict[];
  traceId: string | null;
}

/** Records which meters reported an object as undefined. One value from any meter of the type deletes these records. */
export async function learnFrom(pool: Pool, { device, items, values, verdicts, traceId }: Answers): Promise<void> {
  const reasons = new Map(values.map((value) => [value.item, value.reasonCode]));
  const lacking = items.filter(({ key }) => reasons.get(key) === 'OBJECT_UNDEFINED');
  const had = items.filter(({ key }) => reasons.get(key) === null && verdicts.some((verdict) => verdict.key === key));
  if (lacking.length > 0)
    await pool.query(
      `insert into undefined_answer (meter_type_id, class_id, obis, attribute, meter_id, trace_id)
       select $1, k.class_id, k.obis, k.attribute, $6, $7 from unnest($2::text[], $3::int[], $4::text[], $5::int[]) as k (key, class_id, obis, attribute)
       on conflict (meter_type_id, class_id, obis, attribute, meter_id) do update set answered_at = now(), trace_id = excluded.trace_id`,
      [device.meterTypeId, ...columnsOf(lacking), device.id, traceId],
    );
  if (had.length > 0)
    await pool.query(
      `delete from undefined_answer u using unnest($2::text[], $3::int[], $4::text[], $5::int[]) as k (key, class_id, obis, attribute)
       where u.meter_type_id = $1 and (u.class_id, u.obis, u.attribute) = (k.class_id, k.obis, k.attribute)`,
      [device.meterTypeId, ...columnsOf(had)],
    );
}

const columnsOf = (items: readonly ReadingItemRow[]) => [
  items.map(({ key }) => key),
  items.map(({ classId }) => classId),
  items.map(({ obis }) => obis),
  items.map(({ attribute }) => attribute),
];
