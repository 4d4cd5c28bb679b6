import type { Progress, Unfinished } from '@hes/contract/asset/connecting.ts';
import { SECRETS_OF } from '@hes/contract/asset/spoken.ts';
import type { StoredKeys } from '@hes/contract/asset/device.ts';
import { GUIDED_ORDERS, type ConnectedKind, type GuidedOrder } from '@hes/contract/states/connecting.ts';
import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { iso, isoOrNull } from '#db/paging.ts';
import { transformerWithin } from '#db/scope.ts';

/** Older devices without a reading are a matter of collection, not of their connection. */
const RECENT_DAYS = 30;
const UNFINISHED_SHOWN = 20;
const ATTEMPTS_SHOWN = 5;
/** Newest tasks among which the last order of a device is looked for. */
const TASKS_SEARCHED = 500;

/** The step that an order completes. Orders to the meters behind a DCU say nothing about the DCU itself, except for the first value. */
const STEP_OF: Record<ConnectedKind, Partial<Record<TaskKind, GuidedOrder>>> = {
  dcu: { dcu_test: 'test', conformance: 'check', discovery: 'meters', real_time: 'value' },
  meter: { meter_test: 'test', learn: 'check', real_time: 'value' },
};

const inArea = (user: User) => transformerWithin(sql`coalesce(m.transformer_id, e.transformer_id)`, user.scope);

/** DCUs and direct meters registered lately of which nothing is stored, newest first. Those with the serial numbers in `except` are left out. */
export async function findUnfinished(db: Db, user: User, except: readonly string[]): Promise<Unfinished[]> {
  const { rows } = await sql<Omit<Unfinished, 'createdAt'> & { createdAt: Date }>`
    select e.kind, case when e.kind = 'meter' then m.id else e.id end as id, e.sn, coalesce(dt.name, mt.name, '') as type_name,
      coalesce(m.created_at, e.created_at) as created_at, e.online_status
    from endpoint e
    left join dcu_type dt on dt.id = e.dcu_type_id
    left join meter m on e.kind = 'meter' and m.dcu_id = e.id
    left join meter_type mt on mt.id = m.meter_type_id
    where e.created_at > now() - make_interval(days => ${RECENT_DAYS}) and (e.kind = 'dcu' or m.id is not null)
      and e.sn <> all(${[...except]}::text[]) and ${inArea(user)}
      and not exists (
        select from meter b where b.dcu_id = e.id
          and (exists (select from latest_of(b.id)) or exists (select from instants_of(b.id))))
    order by e.created_at desc limit ${UNFINISHED_SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, createdAt: iso(row.createdAt) }));
}

interface Registered {
  endpointId: string;
  id: string;
  sn: string;
  typeId: string;
  typeName: string;
  connectionType: Progress['connectionType'];
  host: string | null;
  authenticationType: Progress['authenticationType'];
  keys: StoredKeys;
  onlineStatus: Progress['onlineStatus'];
  remote: string | null;
}

const storedKeysOf = (alias: 'e' | 'm') => sql`jsonb_build_object('password', ${sql.ref(`${alias}.password_secret`)} is not null,
  'masterKey', ${sql.ref(`${alias}.master_key_secret`)} is not null, 'ek', ${sql.ref(`${alias}.ek_secret`)} is not null, 'ak', ${sql.ref(`${alias}.ak_secret`)} is not null)`;
const REMOTE = sql`(select s.remote from dcu_session s where s.id = e.last_session_id)`;

const dcuRow = (id: string, user: User) => sql<Registered>`
  select e.id as endpoint_id, e.id, e.sn, t.id as type_id, t.name as type_name, e.connection_type, e.host, e.authentication_type,
    ${storedKeysOf('e')} as keys, e.online_status, ${REMOTE} as remote
  from endpoint e join dcu_type t on t.id = e.dcu_type_id left join meter m on false
  where e.kind = 'dcu' and e.id = ${id} and ${inArea(user)}`;

const meterRow = (id: string, user: User) => sql<Registered>`
  select e.id as endpoint_id, m.id, m.sn, t.id as type_id, t.name as type_name, e.connection_type, e.host, t.authentication_type,
    ${storedKeysOf('m')} as keys, e.online_status, ${REMOTE} as remote
  from meter m join endpoint e on e.id = m.dcu_id and e.kind = 'meter' join meter_type t on t.id = m.meter_type_id
  where m.id = ${id} and ${inArea(user)}`;

async function findAttempts(db: Db, endpointId: string): Promise<Progress['attempts']> {
  const rows = await db
    .selectFrom('dcuSession')
    .where((where) =>
      where.or([
        where('dcuId', '=', endpointId),
        where.and([
          where('dcuId', 'is', null),
          where('claimedName', '=', where.selectFrom('endpoint').select('sn').where('id', '=', endpointId)),
        ]),
      ]),
    )
    .select(['openedAt', 'remote', 'closedAt', 'closeReason', 'closeDetail'])
    .orderBy('openedAt', 'desc')
    .limit(ATTEMPTS_SHOWN)
    .execute();
  return rows.map((row) => ({
    ...row,
    openedAt: iso(row.openedAt),
    closedAt: isoOrNull(row.closedAt),
    closeReason: row.closeReason as Progress['attempts'][number]['closeReason'], // as: only values of the contract are written
  }));
}

async function findOrders(db: Db, kind: ConnectedKind, endpointId: string): Promise<Progress['orders']> {
  const { rows } = await sql<{
    kind: TaskKind;
    taskId: string;
    itemId: string;
    state: NonNullable<Progress['orders']['test']>['state'];
    at: Date;
  }>`
    with recent as (select id, kind, state, created_at from task where kind = any(${Object.keys(STEP_OF[kind])}::text[]) order by created_at desc limit ${TASKS_SEARCHED})
    select distinct on (recent.kind) recent.kind, recent.id as task_id, i.id as item_id, recent.state, recent.created_at as at
    from recent join task_item i on i.task_id = recent.id
    where i.dcu_id = ${endpointId} order by recent.kind, recent.id desc`.execute(db);
  const orders = Object.fromEntries(GUIDED_ORDERS.map((step) => [step, null])) as Progress['orders']; // as: one entry per step
  for (const { kind: ordered, at, ...order } of rows) {
    const step = STEP_OF[kind][ordered];
    if (step !== undefined) orders[step] = { ...order, at: iso(at) };
  }
  return orders;
}

/** Meters in service behind an endpoint, found ones without a decision, and the meter that was read last. */
async function findMeters(db: Db, user: User, endpointId: string) {
  // A meter may belong to a transformer outside of the area although its DCU does not.
  const own = sql`m.dcu_id = ${endpointId} and ${transformerWithin(sql`m.transformer_id`, user.scope)}`;
  const { rows } = await sql<{
    meters: number;
    active: number;
    found: number;
    id: string | null;
    sn: string | null;
    lastReadAt: Date | null;
  }>`
    select (select count(*)::int from meter m where ${own}) as meters,
      (select count(*)::int from meter m where ${own} and m.inventory_state = 'active') as active,
      (select count(*)::int from discovered_meter f where f.dcu_id = ${endpointId}
        and not exists (select from meter b where b.sn = f.sn and b.dcu_id = f.dcu_id)) as found,
      best.id, best.sn, best.last_read_at
    from (values (1)) as one (row)
    left join lateral (select m.id, m.sn, m.last_read_at from meter m where ${own} order by m.last_read_at desc nulls last, m.id limit 1) best on true`.execute(
    db,
  );
  const [row] = rows;
  return {
    meters: row?.meters ?? 0,
    active: row?.active ?? 0,
    found: row?.found ?? 0,
    meter: row?.id == null || row.sn === null ? null : { id: row.id, sn: row.sn, lastReadAt: isoOrNull(row.lastReadAt) },
  };
}

/** State of the connection of a DCU or a direct meter; undefined: the user's area has none with this id. */
export async function findProgress(db: Db, user: User, kind: ConnectedKind, id: string): Promise<Progress | undefined> {
  const { rows } = await (kind === 'dcu' ? dcuRow(id, user) : meterRow(id, user)).execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { endpointId, keys, ...about } = row;
  const [attempts, orders, meters] = await Promise.all([
    findAttempts(db, endpointId),
    findOrders(db, kind, endpointId),
    findMeters(db, user, endpointId),
  ]);
  const hasKeys = SECRETS_OF[about.authenticationType].every((secret) => keys[secret]);
  return { kind, ...about, hasKeys, attempts, orders, ...meters };
}
