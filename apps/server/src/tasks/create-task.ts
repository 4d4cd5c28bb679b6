import { ORDERS, type TaskKind } from '@hes/contract/orders/every-order.ts';
import type { Order } from '@hes/contract/orders/define-order.ts';
import { paramsSchema, type ParamsFor } from '@hes/contract/orders/order-params.ts';
import type { TaskRow } from '@hes/contract/task/task.ts';
import { wordsOf } from '@hes/contract/task/words.ts';
import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { currentTraceparent } from '#platform/spans.ts';
import type { OrderedDevice } from './operation.ts';
import { hasSharedItems, newItems } from './shared-item.ts';
import { notifyDispatchers } from './store.ts';

export interface NewTask<K extends TaskKind = TaskKind> {
  kind: K;
  source: TaskRow['source'];
  /** The name of a plan, a type or a period; the name of the order when absent. */
  title?: string;
  params: ParamsFor<K>;
  /** The declared priority when absent. */
  priority?: number;
  createdBy: string | null;
  planId?: string;
  /** The task that this one repeats. */
  originId?: string;
  reason?: string;
  expiresAt?: Date;
  /** Only for orders that are declared `chosen`: items wait for a DCU that is offline until the task expires. */
  waitsForDevice?: boolean;
  /** Each device once. */
  items: readonly OrderedDevice[];
}

/** Whether items wait for a DCU that is offline. Orders of plans and of the server itself do: no user waits for their result. */
function isWaiting({ kind, source, waitsForDevice = false }: Pick<NewTask, 'kind' | 'source' | 'waitsForDevice'>): boolean {
  const { whenOffline } = ORDERS[kind];
  return source === 'plan' || source === 'system' || whenOffline === 'waits' || (whenOffline === 'chosen' && waitsForDevice);
}

/** Queues items in the caller's transaction. Workers can claim them after the commit. Orders are placed by `placeOrder`. */
export async function createTask<K extends TaskKind>(tx: Tx | Db, task: NewTask<K>): Promise<{ id: string }> {
  const { kind, items } = task;
  const order: Order = ORDERS[kind];
  const priority = task.priority ?? order.priority;
  const expiresAt = task.expiresAt ?? null;
  const created = await sql<{ id: string }>`
    insert into task (kind, source, plan_id, origin_id, title, params, reason, total, priority, created_by, waits_for_device, expires_at, traceparent)
    values (${kind}, ${task.source}, ${task.planId ?? null}, ${task.originId ?? null}, ${task.title ?? wordsOf(task).name.en}, ${JSON.stringify(paramsSchema(order).parse(task.params))}::jsonb, ${task.reason ?? null},
      ${items.length}, ${priority}, ${task.createdBy}, ${isWaiting(task)}, coalesce(${expiresAt}::timestamptz, now() + interval '1 day'), ${currentTraceparent()})
    returning id`.execute(tx);
  const id = created.rows[0]?.id;
  if (id === undefined) throw new Error('A task was not created');
  const deviceKinds = items.map(({ deviceKind }) => deviceKind);
  const devices = newItems('devices', hasSharedItems({ ...task, priority }, deviceKinds));
  await sql`
    insert into task_item (task_id, kind, priority, device_kind, dcu_id, meter_id, meter_ids)
    with devices as (
      select * from unnest(${deviceKinds}::text[], ${items.map((item) => item.dcuId)}::bigint[], ${items.map((item) => item.meterId)}::bigint[])
        with ordinality as n (device_kind, dcu_id, meter_id, k)
    )
    select ${id}, ${kind}, ${priority}, i.device_kind, i.dcu_id, i.meter_id, i.meter_ids from (${sql.raw(devices)}) as i order by i.k`.execute(
    tx,
  );
  await notifyDispatchers(tx);
  return { id };
}
