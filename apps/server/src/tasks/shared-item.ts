import { orderOf } from '@hes/contract/orders/every-order.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { LAST_OPERATOR_PRIORITY } from './retry.ts';
import type { OrderedDevice } from './operation.ts';

/** SQL for the number of devices of an item `i`. */
export const DEVICES = 'coalesce(cardinality(i.meter_ids), 1)';

/**
 * Larger DCUs get several items. Claimed members are executed even if a more urgent plan becomes due or the window of their plan ends, so a
 * claim has few: it is an ordinary DCU (82 meters), and hardly more than the claim of single items.
 */
const MAX_MEMBERS = 100;

/**
 * Whether the meters of a DCU share an item in such a task: they do in collection, which is most of the queue. An order that changes devices
 * has an item for each device, because each outcome is announced; so has an order of a user, who follows each device.
 */
export function hasSharedItems(
  { kind, source, priority }: { kind: string; source: TaskRow['source']; priority: number },
  deviceKinds: Iterable<OrderedDevice['deviceKind']>,
): boolean {
  const isCollection = (source === 'plan' || source === 'system') && priority > LAST_OPERATOR_PRIORITY;
  return isCollection && orderOf(kind)?.changesDevice === false && [...deviceKinds].every((deviceKind) => deviceKind === 'meter');
}

/** Contraction after which only head-ends start that know shared items: another one would execute them as items without a meter. */
const KNOWN_SINCE = 137;

/**
 * SQL for new items of a task: `device_kind`, `dcu_id`, `meter_id`, `meter_ids` and their order `k`. `devices` is a table expression with
 * `device_kind`, `dcu_id`, `meter_id` and the order `k` of the devices; each device is in it once. While a head-end may start that does
 * not know shared items, each device has its own.
 */
export const newItems = (devices: string, hasShared: boolean): string =>
  hasShared
    ? `select device_kind, dcu_id, case when is_shared then null else min(meter_id) end as meter_id, case when is_shared then array_agg(meter_id order by k) end as meter_ids, min(k) as k
      from (select n.*, of_all.is_shared, case when of_all.is_shared then (row_number() over (partition by dcu_id order by k) - 1) / ${MAX_MEMBERS} else k end as part
        from ${devices} as n, (select exists (select from schema_migration where number = ${KNOWN_SINCE}) as is_shared) as of_all) as placed
      group by device_kind, dcu_id, part, is_shared`
    : `select device_kind, dcu_id, meter_id, null::bigint[] as meter_ids, k from ${devices}`;
