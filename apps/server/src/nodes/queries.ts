import type { Pool } from 'pg';
import { ADVISORY_LOCKS } from '#db/advisory-locks.ts';
import { ASYNC_COMMIT } from '#db/async-commit.ts';
import { StartError } from '#platform/start-error.ts';

/** A node that has not ended, as far as the database knows. */
export interface OpenNode {
  id: string;
  name: string;
  owner: string | null;
  /** Time of its last sign of life in epoch milliseconds, as text: it is compared with earlier ones, and never with a clock. */
  aliveAt: string;
  /** Its process holds the lock of its owner. */
  isLocked: boolean;
  roles: string[];
  /** It hands its work over to other nodes. */
  isDraining: boolean;
  /** Nothing is left to hand over. */
  isDrained: boolean;
}

const ALIVE_AT = 'floor(extract(epoch from alive_at) * 1000)::text';

const OPEN_NODES = `select n.id, n.name, n.owner, ${ALIVE_AT} as "aliveAt", exists (select from pg_locks l where l.locktype = 'advisory'
    and l.classid = ${ADVISORY_LOCKS.owner.number} and l.objid = (hashtext(n.owner)::bigint & 4294967295)::oid and l.objsubid = 2) as "isLocked",
    n.roles, n.draining_at is not null as "isDraining", n.drained_at is not null as "isDrained"
  from node n where n.ended_at is null`;

export async function findOpenNodes(pool: Pool): Promise<OpenNode[]> {
  return (await pool.query<OpenNode>({ name: 'open_nodes', text: OPEN_NODES })).rows;
}

export interface NewNode {
  name: string;
  version: string;
  owner: string;
  roles: readonly string[];
  /** It was draining before others declared it dead. */
  isDraining: boolean;
  /** Number of the newest migration that it knows. */
  schema: number;
  /** Percentage of routine collection whose frames it keeps; null: it holds no devices. */
  traceShare: number | null;
}

/** Inserts a node and returns its id. Fails if a newer head-end has removed something of the schema that the node needs. */
export async function insertNode(pool: Pool, { name, version, owner, roles, isDraining, schema, traceShare }: NewNode): Promise<string> {
  const begun = await pool.query<{ id: string }>(
    `with born as (insert into node (name, version, owner, draining_at, roles, schema, trace_share)
       select $1::text, $2::text, $3::text, case when $4 then now() end, $5::text[], $6::int, $7::float8
       where not exists (select from schema_migration where needs > $6::int) returning id, name)
     insert into node_event (node_id, node_name, kind) select id, name, 'born' from born returning node_id as id`,
    [name, version, owner, isDraining, [...roles], schema, traceShare],
  );
  const id = begun.rows[0]?.id;
  if (id === undefined)
    throw new StartError(
      'A newer version of the head-end has changed the database, and this one does not work with it. Start that version.',
    );
  return id;
}

/** Writes a sign of life, and returns whether the node is to drain; undefined: it has ended, because others have declared it dead. */
export async function extendNode(pool: Pool, id: string): Promise<Pick<OpenNode, 'isDraining'> | undefined> {
  const { rows } = await pool.query<Pick<OpenNode, 'isDraining'>>({
    name: 'extend_node',
    text: `update node set alive_at = greatest(started_at, now()) where id = $1 and ended_at is null and ${ASYNC_COMMIT}
      returning draining_at is not null as "isDraining"`,
    values: [id],
  });
  return rows[0];
}

/** Number of devices that a node of the statement's CTE `changed` holds. */
const HELD = '(select count(*)::int from endpoint e where e.node_id = changed.id)';

/** Orders node $1 to drain, for user $2, or for itself when that is null, and releases its turns. Inserts nothing if it has ended or drains already. */
export const BEGIN_DRAIN = `with changed as (
    update node set draining_at = now(), drained_at = null where id = $1 and ended_at is null and draining_at is null returning id, name
  ), released as (
    delete from turn where node_id in (select id from changed)
  )
  insert into node_event (node_id, node_name, kind, devices, user_id) select id, name, 'drain_began', ${HELD}, $2 from changed`;

/** Lets node $1 take work again, for user $2. */
export const RESUME = `with changed as (
    update node set draining_at = null, drained_at = null where id = $1 and ended_at is null and draining_at is not null returning id, name
  )
  insert into node_event (node_id, node_name, kind, devices, user_id) select id, name, 'resumed', ${HELD}, $2 from changed`;

/** Begins the draining of a node that is to stop. */
export async function beginDrain(pool: Pool, id: string): Promise<void> {
  await pool.query(BEGIN_DRAIN, [id, null]);
}

/** Records that a draining node has handed over `devices` devices and holds no more. */
export async function endDrain(pool: Pool, id: string, devices: number): Promise<void> {
  await pool.query(
    `with changed as (
      update node set drained_at = now() where id = $1 and ended_at is null and draining_at is not null and drained_at is null returning id, name
    )
    insert into node_event (node_id, node_name, kind, devices) select id, name, 'drained', $2 from changed`,
    [id, devices],
  );
}

/**
 * Ends a node that has given no sign of life since `aliveAt`: its sessions are closed at that instant, and its devices become `unknown`,
 * because the head-end failed and not they. False: it is alive, or it was ended before.
 */
export async function endDeadNode(pool: Pool, { id, aliveAt }: Pick<OpenNode, 'id' | 'aliveAt'>): Promise<boolean> {
  const ended = await pool.query(
    `with dead as (
      update node set ended_at = alive_at where id = $1 and ended_at is null and ${ALIVE_AT} = $2 returning id, name, ended_at
    ), closed as (
      update dcu_session s set closed_at = greatest(s.identified_at, dead.ended_at), close_reason = 'server_stopped'
      from dead where s.node_id = dead.id and s.closed_at is null and s.identified_at is not null
    ), lost as (
      update endpoint e set online_status = 'unknown', node_id = null from dead where e.node_id = dead.id returning e.id
    )
    insert into node_event (node_id, node_name, kind, devices) select id, name, 'died', (select count(*)::int from lost) from dead
    returning node_id as id`,
    [id, aliveAt],
  );
  return ended.rowCount === 1;
}

/** Ends a node that stops; its sessions are closed already. */
export async function endNode(pool: Pool, id: string): Promise<void> {
  await pool.query(
    `with ended as (
      update node set ended_at = greatest(started_at, now()), alive_at = greatest(started_at, now()) where id = $1 and ended_at is null returning id, name
    )
    insert into node_event (node_id, node_name, kind) select id, name, 'stopped' from ended`,
    [id],
  );
}

/** Takes a turn whose holder has ended, or that has none. False: another living node has it, or the node itself has ended or drains. */
export async function takeTurn(pool: Pool, turn: string, nodeId: string): Promise<boolean> {
  const { rowCount } = await pool.query({
    name: 'take_turn',
    text: `insert into turn as t (name, node_id) select $1, n.id from node n where n.id = $2 and n.ended_at is null and n.draining_at is null
        and not exists (select from turn o join node h on h.id = o.node_id and h.ended_at is null where o.name = $1 and o.node_id <> $2)
      on conflict (name) do update set node_id = excluded.node_id, taken_at = now()
        where t.node_id = excluded.node_id or not exists (select from node h where h.id = t.node_id and h.ended_at is null)`,
    values: [turn, nodeId],
  });
  return rowCount === 1;
}

/** Closes what earlier versions left open, which did not write the node of a session. */
export async function endUnnamedSessions(pool: Pool): Promise<void> {
  await pool.query(
    `update dcu_session set closed_at = greatest(identified_at, coalesce((select max(alive_at) from node where ended_at is not null), now())), close_reason = 'server_stopped'
     where closed_at is null and identified_at is not null and node_id is null`,
  );
  await pool.query("update endpoint set online_status = 'unknown' where online_status = 'online' and node_id is null");
}

/** Number of devices that dial in, by the id of the node that holds them, for each node that takes devices. */
export async function findHeldPerNode(pool: Pool): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ id: string; held: number }>(
    `select n.id, count(e.id)::int as held from node n left join endpoint e on e.node_id = n.id and e.connection_type = 'dial_in'
     where n.ended_at is null and n.draining_at is null and 'field' = any(n.roles) group by n.id`,
  );
  return new Map(rows.map(({ id, held }) => [id, held]));
}

/** Ids of the devices that dial in and that a node holds, in any order. */
export async function findDialInIds(pool: Pool, nodeId: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    "select id from endpoint where node_id = $1 and connection_type = 'dial_in' order by random()",
    [nodeId],
  );
  return rows.map(({ id }) => id);
}
