import type { OpenOrder } from '@hes/contract/action/device-order.ts';
import { sql, type RawBuilder } from 'kysely';

/** The newest order of these kinds for a meter or a DCU that has not ended. `kinds` is a pattern of `like`. */
export function openOrderOf(device: { meter: string } | { dcu: string }, kinds: string): RawBuilder<OpenOrder | null> {
  const isOf =
    'meter' in device ? sql`i.meter_id = ${sql.ref(device.meter)}` : sql`i.dcu_id = ${sql.ref(device.dcu)} and i.device_kind = 'dcu'`;
  return sql<OpenOrder | null>`(select jsonb_build_object('taskId', i.task_id::text, 'kind', i.kind) from task_item i
    where ${isOf} and i.phase = 'open' and i.kind like ${kinds} order by i.id desc limit 1)`;
}
