import type { BillFilters, BillLine, BillPeriod } from '@hes/contract/analysis/bill.ts';
import { nodeOf, type NodeKey } from '@hes/contract/asset/tree.ts';
import type { AnomalyType } from '@hes/contract/states/anomaly.ts';
import type { BillFlag, BillStatus, PeriodKind, PeriodState } from '@hes/contract/states/bill.ts';
import { sql, type RawBuilder } from 'kysely';
import { localDayBegins } from '#db/local-day.ts';
import { containing, countUpTo, isoOrNull, numberOrNull, orderOf, type PageQuery } from '#db/paging.ts';
import { REGISTER_PLACES, registersOf, sumOfDays } from '#db/registers.ts';
import { meterUnder, visible } from '#db/scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Prices } from '#features/billing/price/queries.ts';
import type { Db, Tx, User } from '#db/context.ts';
import { worstAnomaly } from '#features/balance/port.ts';

interface StoredLine {
  opening: string | null;
  closing: string | null;
  used: number[] | null;
  ratio: string;
  amount: string | null;
}

/** Cast to float8[], because the driver does not parse arrays of numeric into numbers. */
const used = sql<number[] | null>`line.used::float8[]`;

export async function findPeriod(db: Db, where: { id: string } | { from: string; to: string }): Promise<BillPeriod | undefined> {
  const row = await db
    .selectFrom('billPeriod')
    .leftJoin('appUser as calculator', 'calculator.id', 'billPeriod.calculatedBy')
    .leftJoin('appUser as publisher', 'publisher.id', 'billPeriod.publishedBy')
    .$if('id' in where, (rows) => rows.where('billPeriod.id', '=', 'id' in where ? where.id : ''))
    .$if('from' in where, (rows) =>
      rows
        .where('billPeriod.firstDay', '=', 'from' in where ? where.from : '')
        .where('billPeriod.lastDay', '=', 'from' in where ? where.to : ''),
    )
    .selectAll('billPeriod')
    .select(['calculator.name as calculatedByName', 'publisher.name as publishedByName'])
    .executeTakeFirst();
  return (
    row && {
      id: row.id,
      kind: row.kind as PeriodKind, // as: the CHECK constraint allows no other value
      firstDay: row.firstDay,
      lastDay: row.lastDay,
      state: row.state as PeriodState, // as: the CHECK constraint allows no other value
      taskId: row.taskId,
      calculatedAt: isoOrNull(row.calculatedAt),
      calculatedByName: row.calculatedByName,
      publishedAt: isoOrNull(row.publishedAt),
      publishedByName: row.publishedByName,
      version: row.version,
    }
  );
}

const anomalyOf = (from: RawBuilder<unknown>, to: RawBuilder<unknown>) => worstAnomaly(sql.ref('line.meterId'), from, to);

function lines(db: Db, user: User, filters: Partial<BillFilters> & { periodId?: string }) {
  let rows = db
    .selectFrom('billLine as line')
    .innerJoin('billPeriod as period', 'period.id', 'line.periodId')
    .innerJoin('meter', 'meter.id', 'line.meterId')
    .innerJoin('transformer', 'transformer.id', 'line.transformerId')
    .where(visible('transformer.id', user));
  const anomaly = anomalyOf(sql`period.first_day`, sql`period.last_day`);
  if (filters.periodId !== undefined) rows = rows.where('line.periodId', '=', filters.periodId);
  if (filters.from !== undefined) rows = rows.where('period.firstDay', '=', filters.from);
  if (filters.to !== undefined) rows = rows.where('period.lastDay', '=', filters.to);
  if (filters.node) rows = rows.where(meterUnder(filters.node));
  if (filters.status) rows = rows.where(sql<boolean>`line.status = any(${[...filters.status]}::text[])`);
  if (filters.flag) rows = rows.where(sql<boolean>`line.flags && ${[...filters.flag]}::text[]`);
  if (filters.anomaly) rows = rows.where(sql<boolean>`${anomaly} = any(${[...filters.anomaly]}::text[])`);
  if (filters.search) {
    const text = containing(filters.search);
    rows = rows.where(
      sql<boolean>`(meter.sn like ${text.toUpperCase()} or meter.customer_no ilike ${text} or meter.customer_name ilike ${text})`,
    );
  }
  return rows;
}

const SORT_COLUMNS = {
  sn: 'meter.sn',
  customer: 'meter.customerName',
  transformer: 'transformer.name',
  plus: 'plus',
  minus: 'minus',
  amount: 'line.amount',
  status: 'line.status',
} as const;

/**
 * Highest mean power in kW of a capture interval of load profile A in a period of local days, times the ratio. A timestamp is the end of
 * its interval.
 */
const maxDemand = (zone: string) => sql<number | null>`(
  select (max(u.w) * line.ratio / 1000)::float8
  from (select extract(epoch from ${localDayBegins(sql`period.first_day`, zone)})::bigint as begins,
    extract(epoch from ${localDayBegins(sql`period.last_day + 1`, zone)})::bigint as ends) b
  cross join lateral days_of(line.meter_id, 'lpa', period.first_day - 1, period.last_day + 1) p
  cross join lateral (select (b.begins - extract(epoch from p.day::timestamp)::bigint - p.lead_s)::float8 / p.period_s as first,
    (b.ends - extract(epoch from p.day::timestamp)::bigint - p.lead_s)::float8 / p.period_s as last) s
  cross join lateral unnest(p.p_avg_plus_w) with ordinality as u (w, slot)
  where u.slot - 1 > s.first and u.slot - 1 <= s.last)`;

const select = (rows: ReturnType<typeof lines>, zone: string) =>
  rows.select([
    maxDemand(zone).as('maxDemandKw'),
    'period.firstDay',
    'period.lastDay',
    'line.meterId',
    'meter.sn',
    'meter.customerNo',
    'meter.customerName',
    'line.transformerId',
    'transformer.name as transformerName',
    'meter.isMaster',
    'line.ratio',
    'line.opening',
    'line.closing',
    used.as('used'),
    sql<BillStatus>`line.status`.as('status'),
    sql<BillFlag[]>`line.flags`.as('flags'),
    sql<AnomalyType>`${anomalyOf(sql`period.first_day`, sql`period.last_day`)}`.as('anomaly'),
    'line.amount',
    'line.currency',
    'line.openingTrace',
    'line.closingTrace',
  ]);

const toLine = <Row extends StoredLine>({ used: values, ...row }: Row) => ({
  ...row,
  ...registersOf(values),
  ratio: Number(row.ratio),
  opening: numberOrNull(row.opening),
  closing: numberOrNull(row.closing),
  amount: numberOrNull(row.amount),
});

export async function listLines(db: Db, user: User, query: PageQuery & BillFilters, zone: string) {
  const rows = lines(db, user, query);
  const { column, direction } = orderOf<string>(query.sort, SORT_COLUMNS, 'meter.sn');
  const by = column === 'plus' ? sql`line.used[1]` : column === 'minus' ? sql`line.used[2]` : sql.ref(column);
  const [found, counted] = await Promise.all([
    takeRows(
      db,
      select(rows, zone)
        .orderBy(by, (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsLast()))
        .orderBy('meter.sn'),
      ['meterId'],
      query,
    ),
    countUpTo(db, rows.select('line.meterId')),
  ]);
  return { items: found.map((row): BillLine => toLine(row)), ...counted, page: query.page, size: query.size };
}

export async function summariseLines(db: Db, user: User, filters: Omit<BillFilters, 'status'>) {
  const [period, found, readings] = await Promise.all([
    findPeriod(db, filters),
    lines(db, user, filters)
      .select([
        sql<BillStatus>`line.status`.as('status'),
        sql<number>`count(*)::int`.as('count'),
        sql<number>`coalesce(sum(line.used[1]) filter (where not meter.is_master), 0)::float8`.as('plus'),
        sql<number>`coalesce(sum(line.used[2]) filter (where not meter.is_master), 0)::float8`.as('minus'),
        sql<number | null>`sum(line.amount)::float8`.as('amount'),
        sql<string | null>`max(line.currency)`.as('currency'),
      ])
      .groupBy('line.status')
      .execute(),
    sql<{
      has: boolean;
    }>`select exists (select 1 from reading_daily where freeze_date between ${filters.from} and ${filters.to}::date + 1) as has`.execute(
      db,
    ),
  ]);
  const byStatus: Record<BillStatus, number> = { complete: 0, estimated: 0, missing: 0, exchanged: 0, rollover: 0 };
  for (const row of found) byStatus[row.status] = row.count;
  const sum = (of: (row: (typeof found)[number]) => number | null) => found.reduce((total, row) => total + (of(row) ?? 0), 0);
  return {
    period: period ?? null,
    total: sum((row) => row.count),
    byStatus,
    plus: sum((row) => row.plus),
    minus: sum((row) => row.minus),
    amount: found.some((row) => row.amount !== null) ? sum((row) => row.amount) : null,
    currency: found.find((row) => row.currency !== null)?.currency ?? null,
    hasReadings: readings.rows[0]?.has ?? false,
  };
}

/** Meters outside the warehouse whose line is missing or estimated, ordered by DCU, and their total number. */
export async function findUnread(db: Db, user: User, filters: { periodId: string; node: NodeKey | undefined }, most: number) {
  const { periodId, node } = filters;
  const rows = lines(db, user, { periodId, ...(node ? { node } : {}), status: ['missing', 'estimated'] })
    .where('meter.dcuId', 'is not', null)
    .where('meter.inventoryState', '<>', 'in_warehouse');
  const [meters, counted] = await Promise.all([
    rows
      .select(['line.meterId', sql<string>`meter.dcu_id`.as('dcuId')])
      .orderBy('meter.dcuId')
      .orderBy('meter.id')
      .limit(most)
      .execute(),
    rows.select(sql<number>`count(*)::int`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { meters, total: counted.total };
}

interface StoredPart {
  meterId: string;
  sn: string;
  from: string | null;
  until: string | null;
  opening: number | null;
  closing: number | null;
  kwh: number | null;
}

const instantOf = (text: string | null): string | null => (text === null ? null : new Date(text).toISOString());

/** One line with its parts and days. */
export async function findLine(db: Db, user: User, key: { id: string; meterId: string }, zone: string) {
  const row = await select(lines(db, user, { periodId: key.id }), zone)
    .select('line.parts')
    .where('line.meterId', '=', key.meterId)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { parts, ...line } = row;
  const stored = (parts ?? []) as StoredPart[]; // as: written by the SQL function `consumption` only
  const meters = await sql<{
    id: string;
    sn: string;
  }>`select id, sn from meter where id = any(${stored.map((part) => part.meterId)}::bigint[])`.execute(db);
  const snOf = new Map(meters.rows.map(({ id, sn }) => [id, sn]));
  const days = await daysOfMeter(db, key.meterId, line.firstDay, line.lastDay);
  return {
    ...toLine(line),
    parts: stored.map((part) => ({ ...part, sn: snOf.get(part.meterId) ?? '', from: instantOf(part.from), until: instantOf(part.until) })),
    days,
  };
}

/** Whether there is a meter of this id in the user's area. */
export async function hasMeter(db: Db, user: User, id: string): Promise<boolean> {
  const found = await db
    .selectFrom('meter')
    .where('id', '=', id)
    .where(visible('meter.transformerId', user))
    .select('id')
    .executeTakeFirst();
  return found !== undefined;
}

/** Daily consumption of one meter from its freezes. A day is empty unless both freezes exist. */
export async function daysOfMeter(db: Db, meterId: string, from: string, to: string) {
  const { rows } = await sql<{ day: string; used: number[] }>`
    select d::date::text as day, scale_registers(register_steps(registers(a), registers(b)), m.ct_ratio * m.pt_ratio)::float8[] as used
    from generate_series(${from}::date, ${to}::date, interval '1 day') d
    join meter m on m.id = ${meterId}
    left join lateral freeze_of(m.id, d::date) a on a.quality <> 'invalid'
    left join lateral freeze_of(m.id, d::date + 1) b on b.quality <> 'invalid'
    order by d`.execute(db);
  return rows.map(({ day, used: counted }) => ({ day, ...registersOf(counted) }));
}

/** Daily consumption of the customers of a DCU from their freezes. */
export async function daysOfDcu(db: Db, user: User, dcuId: string, { from, to }: { from: string; to: string }) {
  const sums = REGISTER_PLACES.map((k) => sql`sum(u.used[${sql.lit(k)}])`);
  const { rows } = await sql<{ day: string; used: number[]; metersData: number }>`
    select d::date::text as day, array[${sql.join(sums)}]::float8[] as used, count(u.used)::int as meters_data
    from generate_series(${from}::date, ${to}::date, interval '1 day') d
    left join lateral (
      select scale_registers(register_steps(registers(a), registers(b)), meter.ct_ratio * meter.pt_ratio) as used from meter
      join lateral freeze_of(meter.id, d::date) a on a.quality <> 'invalid'
      join lateral freeze_of(meter.id, d::date + 1) b on b.quality <> 'invalid'
      where meter.dcu_id = ${dcuId} and not meter.is_master and meter.inventory_state <> 'in_warehouse' and ${visible('meter.transformerId', user)}
    ) u on true
    group by d order by d`.execute(db);
  return rows.map(({ used: counted, ...row }) => ({ ...row, ...registersOf(counted) }));
}

/** Daily consumption of the transformers of a node or of the whole network, from the stored balances. */
export async function daysOfBalances(db: Db, user: User, query: { from: string; to: string; node?: NodeKey | undefined }) {
  const node = query.node === undefined ? undefined : nodeOf(query.node);
  const condition =
    node?.kind === 'level'
      ? sql<boolean>`exists (select from network_level l where l.id = transformer.level_id and l.path @> array[${node.id}::bigint])`
      : node?.kind === 'transformer'
        ? sql<boolean>`transformer.id = ${node.id}`
        : sql<boolean>`true`;
  const { rows } = await sql<{ day: string; used: number[]; metersData: number }>`
    select d::date::text as day, ${sumOfDays('b')} as used, coalesce(sum(b.meters_data), 0)::int as meters_data
    from generate_series(${query.from}::date, ${query.to}::date, interval '1 day') d
    left join (select energy_balance.* from energy_balance join transformer on transformer.id = energy_balance.transformer_id
      where energy_balance.day between ${query.from} and ${query.to} and ${visible('transformer.id', user)} and ${condition}) b on b.day = d::date
    group by d order by d`.execute(db);
  return rows.map(({ used: counted, ...row }) => ({ ...row, ...registersOf(counted) }));
}

/** Price list of the lines of a period. */
export async function pricesOf(db: Db, periodId: string): Promise<Prices | undefined> {
  const { rows } = await sql<{ prices: Prices | null }>`select prices from bill_period where id = ${periodId}`.execute(db);
  return rows[0]?.prices ?? undefined;
}

/** Locks a period until the transaction ends; `taskState` is the state of its last calculation. */
export const lockPeriod = (tx: Tx, id: string) =>
  tx
    .selectFrom('billPeriod')
    .leftJoin('task', 'task.id', 'billPeriod.taskId')
    .where('billPeriod.id', '=', id)
    .selectAll('billPeriod')
    .select('task.state as taskState')
    .forUpdate('billPeriod')
    .executeTakeFirst();

export const markPublished = (tx: Tx, id: string, userId: string, now: Date) =>
  sql`update bill_period set state = 'published', published_at = ${now}, published_by = ${userId}, version = version + 1 where id = ${id}`.execute(
    tx,
  );
