import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { DiscoveryMatch, DiscoveryMode } from '@hes/contract/states/discovery.ts';
import type { SignalStrength } from '@hes/contract/states/signal.ts';
import { sql, type RawBuilder } from 'kysely';
import { findSignalLimits, signalWithin, type SignalSetting } from '#features/archive/port.ts';
import { DISCOVERED_MATCH, DISCOVERED_SOURCE, findDiscovered, RUN_SOURCE, RUN_STATE, selectRuns } from './found-queries.ts';
import { containing, countUpTo, type PageQuery, sortColumn } from '#db/paging.ts';
import { dcuUnder, visible } from '#db/scope.ts';
import { isTaken } from '#db/export-cursor.ts';
import type { Db, Tx, User } from '#db/context.ts';

interface Place {
  dcuId?: string | undefined;
  node?: NodeKey | undefined;
}

const at = (user: User, { dcuId, node }: Place): RawBuilder<unknown> =>
  sql`${visible('dcu.transformerId', user)} and ${dcuUnder(node)} and ${dcuId === undefined ? sql`true` : sql`dcu.id = ${dcuId}`}`;

export async function listRuns(db: Db, user: User, query: PageQuery & Place & { state?: readonly string[] | undefined }) {
  const where = sql`${at(user, query)} and ${query.state === undefined ? sql`true` : sql`(${RUN_STATE}) = any(${[...query.state]}::text[])`}`;
  const [items, counted] = await Promise.all([
    selectRuns(db, where, sql`order by run.id desc limit ${query.size} offset ${(query.page - 1) * query.size}`),
    countUpTo(db, sql`select 1 from ${RUN_SOURCE} where ${where}`),
  ]);
  return { items, ...counted, page: query.page, size: query.size };
}

export const findVisibleRun = async (db: Db | Tx, user: User, id: string) =>
  (await selectRuns(db, sql`${at(user, {})} and run.id = ${id}`, sql``))[0];

export interface FoundFilter extends Place {
  runId?: string | undefined;
  sn?: string | undefined;
  match?: readonly string[] | undefined;
  signal?: readonly SignalStrength[] | undefined;
  phase?: readonly string[] | undefined;
  firstSeenSince?: string | undefined;
  decided?: boolean | undefined;
}

/** Signal classes with separate limits for each medium. */
const signalIn = (classes: readonly SignalStrength[], { plcSnrDb, rfRssiDbm }: SignalSetting): RawBuilder<unknown> =>
  sql`case when h.comm_mode = 'rf' then ${signalWithin(sql`h.signal_value`, classes, rfRssiDbm)} else ${signalWithin(sql`h.signal_value`, classes, plcSnrDb)} end`;

async function foundWhere(db: Db, user: User, filter: FoundFilter): Promise<RawBuilder<unknown>> {
  const signal =
    filter.signal === undefined || filter.signal.length === 0 ? sql`true` : signalIn(filter.signal, await findSignalLimits(db));
  return sql`${at(user, filter)} and ${filter.runId === undefined ? sql`true` : sql`h.run_id = ${filter.runId}`}
    and ${filter.sn ? sql`h.sn like ${containing(filter.sn).toUpperCase()}` : sql`true`}
    and ${filter.match === undefined ? sql`true` : sql`(${DISCOVERED_MATCH}) = any(${[...filter.match]}::text[])`}
    and ${filter.phase === undefined ? sql`true` : sql`h.phase = any(${[...filter.phase]}::text[])`}
    and ${filter.firstSeenSince === undefined ? sql`true` : sql`h.first_seen >= ${filter.firstSeenSince}::timestamptz`}
    and ${filter.decided === undefined ? sql`true` : sql`((${DISCOVERED_MATCH}) in ('bound_here', 'ignored')) = ${filter.decided}`} and ${signal}`;
}

const SORTS: Record<string, RawBuilder<unknown>> = {
  sn: sql`h.sn`,
  hops: sql`h.hops`,
  signalValue: sql`h.signal_value`,
  firstSeen: sql`h.first_seen`,
  lastSeen: sql`h.last_seen`,
  timesSeen: sql`h.times_seen`,
};

export async function listFound(db: Db, user: User, query: PageQuery & FoundFilter) {
  const where = await foundWhere(db, user, query);
  const [field = '', direction] = (query.sort ?? '').split(',');
  const column = sortColumn(SORTS, field);
  // Newest discoveries first, so that they appear at the top during a search.
  const order = column === undefined ? sql`h.first_seen desc` : direction === 'desc' ? sql`${column} desc nulls last` : sql`${column}`;
  const tail = sql`order by ${order}, h.id`;
  const [items, counted] = await Promise.all([
    query.cursor === undefined
      ? findDiscovered(db, where, sql`${tail} limit ${query.size} offset ${(query.page - 1) * query.size}`)
      : findDiscovered(db, await isTaken(db, 'h.id', sql`select h.id from ${DISCOVERED_SOURCE} where ${where} ${tail}`, query), tail),
    countUpTo(db, sql`select 1 from ${DISCOVERED_SOURCE} where ${where}`),
  ]);
  return { items, ...counted, page: query.page, size: query.size };
}

export async function countMatches(db: Db, user: User, place: Place) {
  const { rows } = await sql<{ match: DiscoveryMatch; count: number }>`
    select ${DISCOVERED_MATCH} as match, count(*)::int as count from ${DISCOVERED_SOURCE} where ${at(user, place)} group by 1`.execute(db);
  const match: Record<DiscoveryMatch, number> = {
    unknown: 0,
    in_warehouse: 0,
    bound_here: 0,
    bound_elsewhere: 0,
    duplicate: 0,
    ignored: 0,
  };
  for (const row of rows) match[row.match] = row.count;
  return { total: rows.reduce((sum, row) => sum + row.count, 0), match };
}

export const findVisibleFound = (db: Db | Tx, user: User, ids: readonly string[]) =>
  findDiscovered(db, sql`${at(user, {})} and h.id = any(${[...ids]}::bigint[])`, sql`order by h.dcu_id, h.sn`);

/** Closes searches whose tasks have ended. */
export const closeDeadRuns = (tx: Tx, dcuIds: readonly string[]) =>
  sql`
    update discovery_run run set state = 'failed', ended_at = t.finished_at from task t
    where t.id = run.task_id and t.finished_at is not null and run.dcu_id = any(${[...dcuIds]}::bigint[]) and run.state in ('starting', 'searching', 'stopping')`.execute(
    tx,
  );

export const isSearching = async (tx: Tx, dcuId: string): Promise<boolean> => {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select from discovery_run where dcu_id = ${dcuId} and state in ('starting', 'searching', 'stopping')) as found`.execute(
    tx,
  );
  return rows[0]?.found === true;
};

export interface NewRun {
  dcuId: string;
  taskId: string;
  mode: DiscoveryMode;
  pollSeconds: number;
  startedAt: Date;
  endsAt: Date;
  startedBy: string;
}

export const insertRuns = (tx: Tx, runs: NewRun[]) => tx.insertInto('discoveryRun').values(runs).execute();

/** Marks a search as stopping and queues its next turn at once, which ends it. */
export async function askToStop(tx: Tx, run: { id: string; taskId: string; dcuId: string }): Promise<void> {
  await tx.updateTable('discoveryRun').set({ state: 'stopping' }).where('id', '=', run.id).execute();
  await sql`update task_item set not_before = now() where task_id = ${run.taskId} and dcu_id = ${run.dcuId} and state = 'waiting'`.execute(
    tx,
  );
}

export const ignoreFound = (tx: Tx, ids: readonly string[], reason: string, until: Date) =>
  sql`update discovered_meter set ignored_until = ${until}, ignore_reason = ${reason} where id = any(${[...ids]}::bigint[])`.execute(tx);

export const deleteFound = (tx: Tx, dcuId: string) => tx.deleteFrom('discoveredMeter').where('dcuId', '=', dcuId).execute();

export interface NewMeter {
  sn: string;
  meterTypeId: string;
  communicationMode: 'plc' | 'rf';
  recordedPhase: string;
  address: string;
}

/** Inserts discovered meters as assets in the warehouse, without keys. */
export async function insertMeters(tx: Tx, meters: NewMeter[], now: Date): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into meter (sn, meter_type_id, communication_mode, recorded_phase, gateway_address, inventory_state, created_at, updated_at)
    select n.sn, n.type_id, n.mode, n.phase, convert_to(n.address, 'LATIN1'), 'in_warehouse', ${now}, ${now}
    from unnest(${meters.map((m) => m.sn)}::text[], ${meters.map((m) => m.meterTypeId)}::bigint[], ${meters.map((m) => m.communicationMode)}::text[],
      ${meters.map((m) => m.recordedPhase)}::text[], ${meters.map((m) => m.address || m.sn)}::text[]) as n (sn, type_id, mode, phase, address)
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

export const hasMeterType = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.selectFrom('meterType').where('id', '=', id).select('id').executeTakeFirst()) !== undefined;

/** Present bindings of these meters. */
export const findBindings = (tx: Tx, meterIds: readonly string[]) =>
  tx
    .selectFrom('meter')
    .where(sql<boolean>`id = any(${[...meterIds]}::bigint[])`)
    .where('dcuId', 'is not', null)
    .select(['id', 'sn', 'dcuId'])
    .execute();
