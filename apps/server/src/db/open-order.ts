import type { OpenOrder } from '@hes/contract/action/device-order.ts';
import { kindsWhere } from '@hes/contract/orders/every-order.ts';
import { sql, type RawBuilder } from 'kysely';

/** The newest open order for a meter or a DCU, among the kinds of order of a page. */
export function openOrderOf(device: { meter: string } | { dcu: string }, page: string): RawBuilder<OpenOrder | null> {
  const isOf =
    'meter' in device ? sql`i.meter_id = ${sql.ref(device.meter)}` : sql`i.dcu_id = ${sql.ref(device.dcu)} and i.device_kind = 'dcu'`;
  const kinds = kindsWhere((order) => order.page === page);
  return sql<OpenOrder | null>`(select jsonb_build_object('taskId', i.task_id::text, 'kind', i.kind) from task_item i
    where ${isOf} and i.phase = 'open' and i.kind = any(${kinds}::text[]) order by i.id desc limit 1)`;
}
