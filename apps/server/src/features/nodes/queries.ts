import type { NodeEventKind, NodeRole, NodeState } from '@hes/contract/states/node.ts';
import { CompiledQuery, sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import { BEGIN_DRAIN, RESUME } from '#nodes/queries.ts';
import { DEVICES } from '#tasks/shared-item.ts';

/** Ended runs stay in the list for this time, unless a later run of their name is there. */
const ENDED_DAYS = 7;
const EVENTS = 100;

export interface StoredNode {
  id: string;
  name: string;
  version: string;
  state: NodeState;
  roles: NodeRole[];
  startedAt: Date;
  aliveAt: Date;
  silentS: number;
  devices: number;
  leases: number;
}

/** The present run of each name, or its last one. Leases are counted through `task_claim`, where they are looked up. */
export async function findNodes(db: Db): Promise<StoredNode[]> {
  const { rows } = await sql<StoredNode>`
    with run as (
      select distinct on (name) * from node
      where name <> '' and (ended_at is null or ended_at > now() - make_interval(days => ${ENDED_DAYS}))
      order by name, ended_at is null desc, id desc
    ), lease as (
      select i.lease_owner as owner, sum(${sql.raw(DEVICES)})::int as items
      from task_claim c cross join unnest(c.items) as claimed (id) join task_item i on i.id = claimed.id and i.state = 'reading' group by 1
    )
    select run.id, run.name, run.version, run.roles, run.started_at, run.alive_at,
      greatest(0, extract(epoch from now() - run.alive_at))::int as silent_s,
      case when run.ended_at is not null then
          case when exists (select from node_event e where e.node_id = run.id and e.kind = 'died') then 'died' else 'stopped' end
        when run.drained_at is not null then 'drained' when run.draining_at is not null then 'draining' else 'alive' end as state,
      (select count(*)::int from endpoint e where e.node_id = run.id) as devices,
      case when run.ended_at is null then coalesce(lease.items, 0) else 0 end as leases
    from run left join lease on lease.owner = run.owner
    order by run.ended_at is not null, run.name`.execute(db);
  return rows;
}

export interface StoredEvent {
  id: string;
  at: Date;
  nodeName: string;
  kind: NodeEventKind;
  devices: number;
  userName: string | null;
}

export async function findNodeEvents(db: Db): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select e.id, e.at, e.node_name, e.kind, e.devices, u.name as user_name
    from node_event e left join app_user u on u.id = e.user_id order by e.id desc limit ${EVENTS}`.execute(db);
  return rows;
}

export interface LockedNode {
  id: string;
  name: string;
  roles: string[];
  isDraining: boolean;
}

/** The nodes that have not ended, locked until the transaction ends, so that two orders at once cannot drain the last two nodes. */
export async function lockNodes(tx: Tx): Promise<LockedNode[]> {
  const { rows } = await sql<LockedNode>`
    select id, name, roles, draining_at is not null as is_draining from node where ended_at is null order by id for update`.execute(tx);
  return rows;
}

/** Writes the order to drain or to resume, and its event. */
export const orderNode = (tx: Tx, order: 'drain' | 'resume', { id, userId }: { id: string; userId: string }) =>
  tx.executeQuery(CompiledQuery.raw(order === 'drain' ? BEGIN_DRAIN : RESUME, [id, userId]));
