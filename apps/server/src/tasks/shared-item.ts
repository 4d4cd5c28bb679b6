import { orderOf } from '@hes/contract/orders/every-order.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { LAST_OPERATOR_PRIORITY } from './retry.ts';
import type { OrderedDevice } from './operation.ts';

/** SQL for the number of devices of an item `i`. */
export const DEVICES = 'coalesce(cardinality(i.meter_ids), 1)';

/** Larger DCUs get several items, so that one claim prepares a limited number of meters. */
const MAX_MEMBERS = 250;

/**
 * Whether the meters of a DCU share an item in such a task: they do in collection, which is most of the queue. An order that changes devices
 * has an item for each device, because every outcome is announced by itself; so has an order of a user, who follows each device.
 */
export function hasSharedItems(
  { kind, source, priority }: { kind: string; source: TaskRow['source']; priority: number },
  deviceKinds: Iterable<OrderedDevice['deviceKind']>,
): boolean {
  const isCollection = (source === 'plan' || source === 'system') && priority > LAST_OPERATOR_PRIORITY;
  return isCollection && orderOf(kind)?.changesDevice === false && [...deviceKinds].every((deviceKind) => deviceKind === 'meter');
}

/**
 * SQL for new items of a task: `device_kind`, `dcu_id`, `meter_id`, `meter_ids` and their order `k`. `devices` is a table expression with
 * `device_kind`, `dcu_id`, `meter_id` and the order `k` of the devices; each device is in it once.
 */
export const newItems = (devices: string, hasShared: boolean): string =>
  hasShared
    ? `select device_kind, dcu_id, null::bigint as meter_id, array_agg(meter_id order by k) as meter_ids, min(k) as k
      from (select *, (row_number() over (partition by dcu_id order by k) - 1) / ${MAX_MEMBERS} as part from ${devices}) as placed group by device_kind, dcu_id, part`
    : `select device_kind, dcu_id, meter_id, null::bigint[] as meter_ids, k from ${devices}`;
