import type { RelayCommandRow, RelayFilters, RelayLimitStatus, RelayRow } from '@hes/contract/action/relay.ts';
import { CANARY_FROM, CANARY_S, CANARY_SHARE, type RelayCommandState, type RelayOperation } from '@hes/contract/action/relay-rules.ts';
import type { RelayState } from '@hes/contract/states/device.ts';
import { ORDERS } from '@hes/contract/orders/every-order.ts';
import { sql } from 'kysely';
import { openOrderOf } from '#db/open-order.ts';
import { containing, countUpTo, isoOrNull, iso, orderOf, pageAfter, pageBehind, SETTLED_MS, type CursoredQuery } from '#db/paging.ts';
import { meterUnder, visible } from '#db/scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Context, Db, Tx, User } from '#db/context.ts';
import { findLimits, limitsOf } from './limit-queries.ts';

interface CommandFilters {
  meterId?: string | undefined;
  state?: readonly RelayCommandState[] | undefined;
}

/** Meters whose type has a relay, without master meters: those measure a whole substation. */
function relays(db: Db, user: User, filters: RelayFilters) {
  let rows = db
    .selectFrom('meter')
    .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
    .leftJoin('transformer', 'transformer.id', 'meter.transformerId')
    .leftJoin('dcu', 'dcu.id', 'meter.dcuId')
    .where('meterType.hasRelay', '=', true)
    .where('meter.isMaster', '=', false)
    .where('meter.inventoryState', '<>', 'in_warehouse')
    .where(visible('meter.transformerId', user))
    .where(meterUnder(filters.node));
  if (filters.search) {
    const like = containing(filters.search);
    rows = rows.where((where) =>
      where.or([
        where('meter.sn', 'like', like.toUpperCase()),
        where('meter.customerNo', 'like', like),
        where('meter.customerName', 'ilike', like),
      ]),
    );
  }
  if (filters.sns) rows = rows.where(sql<boolean>`meter.sn = any(${filters.sns.map((sn) => sn.toUpperCase())}::text[])`);
  if (filters.state) rows = rows.where(sql<boolean>`meter.relay_state = any(${[...filters.state]}::text[])`);
  if (filters.isProtected !== undefined) rows = rows.where('meter.protectedSupply', '=', filters.isProtected);
  return rows;
}

const SORT_COLUMNS = {
  sn: 'meter.sn',
  customerName: 'meter.customerName',
  readAt: 'meter.relayReadAt',
  switchedAt: 'meter.relaySwitchedAt',
} as const;

/** A command whose item ended before it was sent has failed; one that was sent, and whose item ended without a confirmation, is unknown. */
const commandState = sql<RelayCommandState>`case when c.state = 'waiting' and i.phase <> 'open' then 'failed' when c.state = 'sent' and i.phase <> 'open' then 'unknown' else c.state end`;

const withRelayColumns = (rows: ReturnType<typeof relays>) =>
  rows
    .leftJoin('appUser', 'appUser.id', 'meter.relaySwitchedBy')
    .leftJoin(
      sql<{ taskId: string; operation: RelayOperation; state: RelayCommandState; at: Date }>`lateral (
            select c.task_id, c.operation, ${commandState} as state, c.created_at as at from relay_command c
            left join task_item i on i.task_id = c.task_id and i.meter_id = c.meter_id
            where c.meter_id = meter.id order by c.id desc limit 1)`.as('last'),
      (join) => join.onTrue(),
    )
    .select([
      'meter.id as meterId',
      'meter.sn',
      'meter.customerNo',
      'meter.customerName',
      'meter.address',
      'transformer.name as transformerName',
      'dcu.sn as dcuSn',
      sql<boolean>`coalesce((select e.online_status = 'online' from endpoint e where e.id = meter.dcu_id), false)`.as('isOnline'),
      sql<RelayState>`meter.relay_state`.as('relayState'),
      'meter.relayOutput as output',
      sql<number>`coalesce(meter.relay_mode, meter_type.relay_mode)`.as('controlMode'),
      'meter.relayReadAt as readAt',
      openOrderOf({ meter: 'meter.id' }, ORDERS.relay_connect.page).as('openOrder'),
      'meter.relaySwitchedAt as switchedAt',
      'appUser.name as switchedByName',
      'meter.protectedSupply as isProtected',
      'last.taskId',
      'last.operation',
      'last.state',
      'last.at',
    ]);

type SelectedRelay = Awaited<ReturnType<ReturnType<typeof withRelayColumns>['execute']>>[number];

const toRelayRow = ({ taskId, operation, state, at, ...row }: SelectedRelay): RelayRow => ({
  ...row,
  readAt: isoOrNull(row.readAt),
  switchedAt: isoOrNull(row.switchedAt),
  command: taskId === null || operation === null || state === null || at === null ? null : { taskId, operation, state, at: iso(at) },
});

export async function listRelays(db: Db, user: User, query: CursoredQuery & RelayFilters) {
  const rows = relays(db, user, query);
  const { after, size } = query;
  if (after !== undefined && query.cursor === undefined) {
    const found = await withRelayColumns(rows.where('meter.id', '>', after))
      .orderBy('meter.id')
      .limit(size)
      .execute();
    return pageBehind(found.map(toRelayRow), { after, size }, ({ meterId }) => meterId);
  }
  const { column, direction } = orderOf(query.sort, SORT_COLUMNS, 'meter.sn');
  const [items, counted] = await Promise.all([
    takeRows(
      db,
      withRelayColumns(rows)
        .orderBy(column, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsLast()))
        .orderBy('meter.id'),
      ['meterId'],
      query,
    ),
    countUpTo(db, rows.select('meter.id')),
  ]);
  return { items: items.map(toRelayRow), ...counted, page: query.page, size, next: null };
}

export async function summariseRelays(db: Db, user: User, filters: RelayFilters) {
  const found = await relays(db, user, filters)
    .select([
      sql<RelayState>`meter.relay_state`.as('state'),
      sql<number>`count(*)::int`.as('count'),
      sql<number>`(count(*) filter (where meter.protected_supply))::int`.as('protected'),
    ])
    .groupBy('meter.relayState')
    .execute();
  const byState: Record<RelayState, number> = { connected: 0, disconnected: 0, ready: 0, unknown: 0 };
  for (const row of found) byState[row.state] = row.count;
  const sum = (key: 'count' | 'protected') => found.reduce((total, row) => total + row[key], 0);
  return { total: sum('count'), byState, protected: sum('protected') };
}

/** The supplies of these ids in the user's area, with the columns that judge an order. */
export const findSupplies = (db: Db, user: User, ids: readonly string[]) =>
  db
    .selectFrom('meter')
    .innerJoin('meterType', 'meterType.id', 'meter.meterTypeId')
    .leftJoin('dcu', 'dcu.id', 'meter.dcuId')
    .where(visible('meter.transformerId', user))
    .where(sql<boolean>`meter.id = any(${[...ids]}::bigint[])`)
    .select([
      'meter.id',
      'meter.sn',
      'meter.dcuId',
      'dcu.sn as dcuSn',
      'meter.transformerId',
      'meter.customerNo',
      'meter.customerName',
      'meter.address',
      sql<boolean>`meter_type.has_relay and not meter.is_master`.as('hasRelay'),
      sql<number>`coalesce(meter.relay_mode, meter_type.relay_mode)`.as('mode'),
      sql<RelayState>`meter.relay_state`.as('relayState'),
      'meter.protectedSupply as isProtected',
      // For a day after its removal a protection still requires approval.
      sql<boolean>`meter.protected_supply or coalesce(meter.protection_lifted_at > now() - interval '1 day', false)`.as('requiresApproval'),
      sql<number | null>`nullif(greatest((select l.p_avg_plus_w from latest_of(meter.id) l), (select s.power_w from relay_sent s
        where s.meter_id = meter.id and s.operation = 'disconnect' order by s.at desc limit 1)), 0)`.as('powerW'),
    ])
    .orderBy('meter.sn')
    .execute();
export type Supply = Awaited<ReturnType<typeof findSupplies>>[number];

/** Number of supplies that the user ordered to be switched in the last hour without approval. */
export async function countSolo(db: Db, userId: string): Promise<number> {
  const found = await sql<{ n: number }>`select count(*)::int as n from relay_command
    where requested_by = ${userId} and not needs_approval and created_at > now() - interval '1 hour'`.execute(db);
  return found.rows[0]?.n ?? 0;
}

export async function findLimitStatus({ db, secrets }: Pick<Context, 'db' | 'secrets'>): Promise<RelayLimitStatus> {
  const [limits, used, stop] = await Promise.all([
    findLimits(db, secrets),
    sql<{ meters: number; ofDay: number; w: string }>`select count(*) filter (where at > now() - interval '1 hour')::int as meters,
      count(*)::int as of_day, coalesce(sum(power_w) filter (where at > now() - interval '1 hour'), 0) as w
      from relay_sent where operation = 'disconnect' and at > now() - interval '1 day'`.execute(db),
    db
      .selectFrom('relayStop')
      .leftJoin('appUser', 'appUser.id', 'relayStop.stoppedBy')
      .where('relayStop.releasedAt', 'is', null)
      .select(['relayStop.reason', 'appUser.name as byName', 'relayStop.stoppedAt'])
      .executeTakeFirst(),
  ]);
  const { pending } = limits;
  const by = pending?.changedBy ?? null;
  const asker = by === null ? undefined : await db.selectFrom('appUser').where('id', '=', by).select('name').executeTakeFirst();
  return {
    ...limits.inForce,
    usedMetersLastHour: used.rows[0]?.meters ?? 0,
    usedKwLastHour: Number(used.rows[0]?.w ?? 0) / 1000,
    usedMetersLastDay: used.rows[0]?.ofDay ?? 0,
    pendingLimits:
      pending === undefined
        ? null
        : {
            ...limitsOf(pending),
            id: pending.id,
            effectiveAt: iso(pending.effectiveAt),
            changedBy: by,
            changedByName: asker?.name ?? null,
            isApproved: pending.isApproved,
          },
    stop: stop === undefined ? null : { reason: stop.reason, byName: stop.byName, at: iso(stop.stoppedAt) },
  };
}

/** Commands whose meter lies in the user's area. */
function commands(db: Db, user: User, query: CommandFilters) {
  let rows = db
    .selectFrom('relayCommand as c')
    .innerJoin('relayOrder as o', 'o.taskId', 'c.taskId')
    .leftJoin('meter', 'meter.id', 'c.meterId')
    .leftJoin('approval as a', 'a.taskId', 'c.taskId')
    .leftJoin('appUser as asked', 'asked.id', 'c.requestedBy')
    .leftJoin('appUser as approver', (join) => join.onRef('approver.id', '=', 'a.approverId').on('a.state', '=', 'approved'))
    .leftJoin('relaySent as s', 's.commandId', 'c.id')
    .leftJoin('taskItem as i', (join) => join.onRef('i.taskId', '=', 'c.taskId').onRef('i.meterId', '=', 'c.meterId'))
    .where(visible('meter.transformerId', user));
  if (query.meterId !== undefined) rows = rows.where('c.meterId', '=', query.meterId);
  if (query.state !== undefined) rows = rows.where(sql<boolean>`${commandState} = any(${[...query.state]}::text[])`);
  return rows;
}

const withCommandColumns = (rows: ReturnType<typeof commands>) =>
  rows.select([
    'c.id',
    'c.taskId',
    'c.meterId',
    sql<string>`coalesce(c.meter_sn, meter.sn, c.meter_id::text)`.as('sn'),
    'c.customerNo',
    'c.customerName',
    'c.dcuSn',
    sql<RelayOperation>`c.operation`.as('operation'),
    commandState.as('state'),
    sql<string | null>`coalesce(c.reason_code, i.reason_code)`.as('reasonCode'),
    'o.reason',
    'o.workOrder',
    'asked.name as requestedByName',
    'approver.name as approvedByName',
    'c.createdAt',
    's.at as sentAt',
    'c.endedAt',
    'c.powerBeforeW',
    'c.powerAfterW',
    'c.traceId',
  ]);

type SelectedCommand = Awaited<ReturnType<ReturnType<typeof withCommandColumns>['execute']>>[number];

const toCommandRow = (row: SelectedCommand): RelayCommandRow => ({
  ...row,
  createdAt: iso(row.createdAt),
  sentAt: isoOrNull(row.sentAt),
  endedAt: isoOrNull(row.endedAt),
});

export async function listCommands(db: Db, user: User, query: CursoredQuery & CommandFilters) {
  const rows = commands(db, user, query);
  const { after, size } = query;
  if (after !== undefined && query.cursor === undefined) {
    const found = await withCommandColumns(
      rows.where('c.id', '>', after).where('c.createdAt', '<=', sql<Date>`now() - make_interval(secs => ${SETTLED_MS / 1000})`),
    )
      .orderBy('c.id')
      .limit(size)
      .execute();
    return pageAfter(found.map(toCommandRow), { after, size });
  }
  const [items, counted] = await Promise.all([
    takeRows(db, withCommandColumns(rows).orderBy('c.createdAt', 'desc').orderBy('c.id', 'desc'), ['id'], query),
    countUpTo(db, rows.select('c.id')),
  ]);
  return { items: items.map(toCommandRow), ...counted, page: query.page, size, next: null };
}

/** Holds the items until they are released. */
export async function holdItems(tx: Tx, taskId: string): Promise<void> {
  await sql`update task_item set not_before = 'infinity' where task_id = ${taskId}`.execute(tx);
}

/**
 * Spreads the start of many items to protect the network from load steps. A large batch starts with a canary share; the rest
 * follows later, so that faults show first.
 */
export async function spreadItems(tx: Tx, taskId: string, { meters, spreadS }: { meters: number; spreadS: number }): Promise<void> {
  const first = meters >= CANARY_FROM ? Math.ceil(meters * CANARY_SHARE) : 0;
  if (first === 0 && spreadS === 0) return;
  await sql`
    update task_item set not_before = now() + make_interval(secs => case when drawn.n <= ${first}::int then 0
      else ${first > 0 ? CANARY_S : 0}::float8 + random() * ${spreadS}::float8 end)
    from (select id, row_number() over (order by random()) as n from task_item where task_id = ${taskId}) drawn
    where task_item.id = drawn.id and task_item.task_id = ${taskId}`.execute(tx);
}

/** Starts an emergency stop. Returns false when one is already in force. */
export async function insertStop(tx: Tx, stoppedBy: string, reason: string): Promise<boolean> {
  const inserted = await tx
    .insertInto('relayStop')
    .values({ reason, stoppedBy })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return inserted !== undefined;
}

/** The user who started the stop that is in force. */
export async function findStopper(tx: Tx): Promise<string | undefined> {
  const row = await tx.selectFrom('relayStop').where('releasedAt', 'is', null).select('stoppedBy').executeTakeFirst();
  return row?.stoppedBy;
}

/** Whether there was a stop to release. */
export async function releaseStop(tx: Tx, userId: string): Promise<boolean> {
  const released = await tx
    .updateTable('relayStop')
    .set({ releasedBy: userId, releasedAt: sql<Date>`now()` })
    .where('releasedAt', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return released !== undefined;
}

export async function setProtection(tx: Tx, meterIds: readonly string[], isProtected: boolean): Promise<void> {
  await sql`update meter set protected_supply = ${isProtected}, protection_lifted_at = case when ${isProtected} then protection_lifted_at else now() end
    where id = any(${[...meterIds]}::bigint[])`.execute(tx);
}
