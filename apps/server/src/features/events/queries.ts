import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import type { EventFilters, EventRow } from '@hes/contract/event/event.ts';
import { HEAD_END_NAME, type EventLog } from '@hes/contract/states/event.ts';
import { sql, type RawBuilder } from 'kysely';
import { isInArray } from '#db/in-array.ts';
import {
  containing,
  countUpTo,
  iso,
  isoOrNull,
  orderOf,
  pageAfter,
  sortColumn,
  SETTLED_MS,
  type PageQuery,
  type CursoredQuery,
} from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Db, Tx, User } from '#db/context.ts';

export interface EventSearch extends Omit<EventFilters, 'from' | 'to'> {
  /** Undefined: no lower limit. */
  from: Date | undefined;
  to: Date | undefined;
}

const SORT_COLUMNS = { occurAt: 'event.occurAt', receivedAt: 'event.receivedAt', code: 'event.code' } as const;
const CODES_SHOWN = 20;

/** Events at or below a node of the tree. The transformer is that of the meter or of the DCU. */
function eventUnder(key: NodeKey | undefined): RawBuilder<boolean> {
  if (key === undefined) return sql<boolean>`true`;
  const { kind, id } = nodeOf(key);
  if (kind === 'meter') return sql<boolean>`event.meter_id = ${id}`;
  if (kind === 'dcu') return sql<boolean>`event.dcu_id = ${id}`;
  if (kind === 'transformer') return sql<boolean>`transformer.id = ${id}`;
  return sql<boolean>`exists (select from network_level l where l.id = transformer.level_id and l.path @> array[${id}::bigint])`;
}

export function events(db: Db, user: User, search: EventSearch) {
  let rows = db
    .selectFrom('event')
    .leftJoin('dcu', 'dcu.id', 'event.dcuId')
    .leftJoin('meter', 'meter.id', 'event.meterId')
    .leftJoin('transformer', (join) => join.on(sql<boolean>`transformer.id = coalesce(meter.transformer_id, dcu.transformer_id)`))
    .where(visible('transformer.id', user))
    .where(eventUnder(search.node));
  if (search.from !== undefined) rows = rows.where('event.occurAt', '>=', search.from);
  if (search.to !== undefined) rows = rows.where('event.occurAt', '<', search.to);
  if (search.level !== 'all') rows = rows.where('event.abnormalLevel', '=', search.level);
  if (search.codes) rows = rows.where(sql<boolean>`event.log || ':' || event.code = any(${[...search.codes]}::text[])`);
  if (search.logs) rows = rows.where(sql<boolean>`event.log = any(${[...search.logs]}::text[])`);
  if (search.direction) rows = rows.where('event.direction', '=', search.direction);
  if (search.incidentId) rows = rows.where('event.incidentId', '=', search.incidentId);
  if (search.acknowledged !== undefined) rows = rows.where('event.ackAt', search.acknowledged ? 'is not' : 'is', null);
  // Only abnormal, unmuted events need an acknowledgement.
  if (search.acknowledged === false) rows = rows.where('event.abnormalLevel', 'is not', null).where('event.isMuted', '=', false);
  if (search.search) {
    const like = containing(search.search).toUpperCase();
    rows = rows.where((where) => where.or([where('meter.sn', 'like', like), where('dcu.sn', 'like', like)]));
  }
  return rows;
}

const withColumns = (rows: ReturnType<typeof events>) =>
  rows
    .leftJoin('eventCode', (join) => join.onRef('eventCode.log', '=', 'event.log').onRef('eventCode.code', '=', 'event.code'))
    .leftJoin('appUser', 'appUser.id', 'event.ackBy')
    .select([
      'event.id',
      'event.deviceKind',
      'event.meterId',
      'meter.sn as meterSn',
      'event.dcuId',
      sql<string | null>`coalesce(dcu.sn, case event.device_kind when 'head_end' then ${HEAD_END_NAME} end)`.as('dcuSn'),
      'transformer.name as transformerName',
      'event.log',
      'event.code',
      'eventCode.nameEn',
      'eventCode.nameZh',
      'event.occurAt',
      'event.receivedAt',
      'event.direction',
      'event.message',
      'event.raw',
      'event.note',
      'event.abnormalLevel',
      'event.source',
      'event.isMuted',
      'event.ackAt',
      'appUser.name as ackByName',
      'event.recoveredAt',
      'event.incidentId',
      'event.traceId',
      'event.version',
    ]);

type Selected = Awaited<ReturnType<ReturnType<typeof withColumns>['execute']>>[number];

const toRow = (row: Selected): EventRow => ({
  ...row,
  log: row.log as EventLog, // as: only values of the contract are written
  raw: row.raw.toString('hex'),
  occurAt: iso(row.occurAt),
  receivedAt: iso(row.receivedAt),
  ackAt: isoOrNull(row.ackAt),
  recoveredAt: isoOrNull(row.recoveredAt),
});

export async function listEvents(db: Db, user: User, query: CursoredQuery & EventSearch, now: number) {
  const rows = events(db, user, query);
  const { after } = query;
  if (after !== undefined && query.cursor === undefined) {
    const settled = rows.where('event.id', '>', after).where('event.receivedAt', '<=', new Date(now - SETTLED_MS));
    const found = await withColumns(settled).orderBy('event.id').limit(query.size).execute();
    return pageAfter(found.map(toRow), { after, size: query.size });
  }
  const { column, direction } = orderOf(query.sort ?? 'occurAt,desc', SORT_COLUMNS, 'event.occurAt');
  const [items, counted] = await Promise.all([
    takeRows(db, withColumns(rows).orderBy(column, direction).orderBy('event.id', direction), ['id'], query),
    countUpTo(db, rows.select('event.id')),
  ]);
  return { items: items.map(toRow), ...counted, page: query.page, size: query.size, next: null };
}

export async function findEvent(db: Db, user: User, id: string): Promise<EventRow | undefined> {
  const row = await withColumns(events(db, user, { level: 'all', from: undefined, to: undefined }))
    .where('event.id', '=', id)
    .executeTakeFirst();
  return row && toRow(row);
}

/** Counts the matching events in one query. */
export async function countEvents(db: Db, user: User, search: EventSearch) {
  const rows = events(db, user, search);
  const [counts, byCode] = await Promise.all([
    rows
      .select([
        sql<number>`count(*)::int`.as('all'),
        sql<number>`(count(*) filter (where event.abnormal_level = 'serious'))::int`.as('serious'),
        sql<number>`(count(*) filter (where event.abnormal_level = 'warning'))::int`.as('warning'),
        sql<number>`(count(*) filter (where event.ack_at is null and event.abnormal_level is not null and not event.is_muted))::int`.as(
          'unacknowledged',
        ),
      ])
      .executeTakeFirstOrThrow(),
    rows
      .leftJoin('eventCode', (join) => join.onRef('eventCode.log', '=', 'event.log').onRef('eventCode.code', '=', 'event.code'))
      .select([
        'event.log',
        'event.code',
        'eventCode.nameEn',
        'eventCode.nameZh',
        'eventCode.abnormalLevel',
        sql<number>`count(*)::int`.as('count'),
      ])
      .groupBy(['event.log', 'event.code', 'eventCode.nameEn', 'eventCode.nameZh', 'eventCode.abnormalLevel'])
      .orderBy(sql`count(*)`, 'desc')
      .limit(CODES_SHOWN)
      .execute(),
  ]);
  return { ...counts, byCode: byCode.map((row) => ({ ...row, log: row.log as EventLog })) }; // as: only values of the contract are written
}

/** Time of an event until its recovery, or until now, in hours; zero for events that nothing ends. */
const lastedHours = sql`case when event.direction <> 'occur' then 0
  when event.recovered_at is not null then extract(epoch from event.recovered_at - event.occur_at)
  when event_code.pair_code is not null then extract(epoch from greatest(now() - event.occur_at, interval '0')) else 0 end / 3600`;
/** The worst level of the members. */
const level = sql`max(case event.abnormal_level when 'serious' then 2 when 'warning' then 1 else 0 end)`;
const INCIDENT_ORDERS = {
  abnormalLevel: level,
  openedAt: sql`incident.opened_at`,
  weight: sql`sum(${lastedHours})`,
  devices: sql`count(distinct coalesce(event.meter_id, -event.dcu_id))`,
  members: sql`count(*)`,
} as const;

/** Incidents with at least one matching event. */
export async function listIncidents(db: Db, user: User, query: PageQuery & EventSearch) {
  const rows = events(db, user, query)
    .innerJoin('incident', 'incident.id', 'event.incidentId')
    .leftJoin('eventCode', (join) => join.onRef('eventCode.log', '=', 'event.log').onRef('eventCode.code', '=', 'event.code'))
    .groupBy(['incident.id', 'dcu.sn', 'event.dcuId', 'transformer.name'])
    .select(['incident.id', sql<number>`sum(${lastedHours})::float8`.as('weight')]);
  const [field = '', way] = (query.sort ?? 'openedAt,desc').split(',');
  const order = sortColumn(INCIDENT_ORDERS, field) ?? INCIDENT_ORDERS.openedAt;
  const page = await takeRows(
    db,
    rows
      .orderBy(order, way === 'asc' ? 'asc' : 'desc')
      .orderBy(level, 'desc')
      .orderBy(INCIDENT_ORDERS.weight, 'desc')
      .orderBy(INCIDENT_ORDERS.devices, 'desc')
      .orderBy('incident.id', 'desc'),
    ['id'],
    query,
  );
  const weights = new Map(page.map(({ id, weight }) => [id, weight]));
  const [found, counted] = await Promise.all([describeIncidents(db, [...weights.keys()]), countUpTo(db, rows)]);
  const described = new Map(found.map((row) => [row.id, row]));
  const items = [...weights].flatMap(([id, weight]) => {
    const row = described.get(id);
    return row === undefined ? [] : [{ ...row, weight }];
  });
  return { items, ...counted, page: query.page, size: query.size };
}

async function describeIncidents(db: Db, ids: readonly string[]) {
  const rows = await db
    .selectFrom('incident')
    .innerJoin('event', 'event.incidentId', 'incident.id')
    .innerJoin('endpoint', 'endpoint.id', 'incident.dcuId')
    .leftJoin('transformer', 'transformer.id', 'endpoint.transformerId')
    .leftJoin('eventCode', (join) => join.onRef('eventCode.log', '=', 'incident.log').onRef('eventCode.code', '=', 'incident.code'))
    .where(sql<boolean>`incident.id = any(${[...ids]}::bigint[])`)
    .groupBy(['incident.id', 'endpoint.id', 'transformer.id', 'eventCode.log', 'eventCode.code'])
    .select([
      'incident.id',
      'incident.dcuId',
      'endpoint.sn as dcuSn',
      'transformer.name as transformerName',
      'incident.log',
      'incident.code',
      'eventCode.nameEn',
      'eventCode.nameZh',
      'eventCode.abnormalLevel',
      'incident.openedAt',
      'incident.lastAt',
      sql<Date | null>`case when bool_and(event.recovered_at is not null) then max(event.recovered_at) end`.as('closedAt'),
      sql<number>`count(*)::int`.as('members'),
      sql<number>`count(distinct coalesce(event.meter_id, -event.dcu_id))::int`.as('devices'),
      sql<number>`count(event.ack_at)::int`.as('acknowledged'),
      sql<number>`(select count(*)::int from meter m where m.dcu_id = endpoint.id)`.as('devicesOfDcu'),
    ])
    .execute();
  return rows.map((row) => ({
    ...row,
    log: row.log as EventLog, // as: only values of the contract are written
    openedAt: iso(row.openedAt),
    lastAt: iso(row.lastAt),
    closedAt: isoOrNull(row.closedAt),
  }));
}

/** Acknowledges the unacknowledged events in the user's area and returns them. */
export function acknowledgeEvents(
  tx: Tx,
  user: User,
  { ids, incidentIds, at }: { ids: readonly string[]; incidentIds: readonly string[]; at: Date },
): Promise<{ id: string }[]> {
  const mine = events(tx, user, { level: 'all', from: undefined, to: undefined })
    .where((where) => where.or([isInArray('event.id', 'bigint', ids), isInArray('event.incident_id', 'bigint', incidentIds)]))
    .where('event.ackAt', 'is', null)
    .select('event.id');
  return tx
    .updateTable('event')
    .set({ ackAt: at, ackBy: user.id, version: sql`event.version + 1` })
    .where('event.id', 'in', mine)
    .returning('event.id')
    .execute();
}

/** Stores the note if the row still has `version`. Returns false when another user changed the row first. */
export async function updateNote(tx: Tx, { id, note, version }: { id: string; note: string | null; version: number }): Promise<boolean> {
  const updated = await tx
    .updateTable('event')
    .set({ note, version: version + 1 })
    .where('id', '=', id)
    .where('version', '=', version)
    .executeTakeFirst();
  return updated.numUpdatedRows === 1n;
}
