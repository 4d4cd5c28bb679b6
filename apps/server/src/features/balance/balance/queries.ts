import { nodeOf } from '@hes/contract/asset/tree.ts';
import type { BalanceFilters, BalanceRow } from '@hes/contract/analysis/balance.ts';
import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { lossClassOf, MOST_ESTIMATED, type LossClass } from '@hes/contract/states/bill.ts';
import { sql, type RawBuilder } from 'kysely';
import { ALL, DAYS, lossKwhOf, lossPercentOf } from '#db/loss-percent.ts';
import { containing, countUpTo, orderOf, type PageQuery } from '#db/paging.ts';
import { registersOf, sumOfDays } from '#db/registers.ts';
import { visible } from '#db/scope.ts';
import { findSetting } from '#db/settings.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Db, User } from '#db/context.ts';

export type Bounds = readonly [number, number, number];

export async function findThresholds(db: Db) {
  const parsed = SETTINGS.thresholds.schema.safeParse(await findSetting(db, 'thresholds'));
  return parsed.success ? parsed.data : SETTINGS.thresholds.value;
}

function under(key: BalanceFilters['node']): RawBuilder<boolean> {
  if (key === undefined) return sql<boolean>`true`;
  const { kind, id } = nodeOf(key);
  if (kind === 'level')
    return sql<boolean>`exists (select from network_level l where l.id = transformer.level_id and l.path @> array[${id}::bigint])`;
  if (kind === 'transformer') return sql<boolean>`transformer.id = ${id}`;
  return sql<boolean>`transformer.id = (select transformer_id from ${sql.table(kind)} where id = ${id})`;
}

type Range = Pick<BalanceFilters, 'from' | 'to'>;

/**
 * Sums of the days on which the supply is known. Without a value of the master meter, a day has no loss. Days before its first value are before
 * its history: it lacks nothing there.
 */
const sums = ({ from, to }: Range) => sql<{
  transformerId: string;
  supply: number | null;
  sold: number | null;
  missing: number | null;
  loss: number | null;
  lossPercent: number | null;
  metersExpected: number;
  metersDataMin: number;
  daysBalanced: number;
  daysWithoutMaster: number;
  used: number[] | null;
}>`(
  select transformer_id, sum(supply_kwh)::float8 as supply, sum(sold_kwh) filter (where supply_kwh is not null)::float8 as sold,
    sum(missing_kwh) filter (where supply_kwh is not null)::float8 as missing,
    ${lossKwhOf(DAYS)} as loss, ${lossPercentOf(DAYS)} as loss_percent,
    max(meters_expected) as meters_expected, coalesce(min(meters_data) filter (where supply_kwh is not null), min(meters_data)) as meters_data_min,
    count(supply_kwh)::int as days_balanced, count(*) filter (where supply_kwh is null and day >= coalesce((
      select min(b.day) from energy_balance b where b.transformer_id = energy_balance.transformer_id and b.supply_kwh is not null), day))::int as days_without_master,
    ${sumOfDays('energy_balance')} as used
  from energy_balance where day between ${from} and ${to} group by transformer_id)`;

const classIn = ([low, middle, high]: Bounds): RawBuilder<LossClass> => sql`case
  when sums.loss_percent is null then 'none' when sums.loss_percent < 0 then 'negative' when sums.loss_percent <= ${low} then 'low'
  when sums.loss_percent <= ${middle} then 'normal' when sums.loss_percent <= ${high} then 'raised' else 'high' end`;

function balances(db: Db, user: User, filters: BalanceFilters, bounds: Bounds) {
  let rows = db
    .selectFrom('transformer')
    .leftJoin(sums(filters).as('sums'), (join) => join.onRef('sums.transformerId', '=', 'transformer.id'))
    .where(visible('transformer.id', user))
    .where(under(filters.node));
  if (filters.class) rows = rows.where(sql<boolean>`${classIn(bounds)} = any(${[...filters.class]}::text[])`);
  if (filters.search) {
    const text = containing(filters.search);
    rows = rows.where(sql<boolean>`(transformer.name ilike ${text} or transformer.code ilike ${text})`);
  }
  return rows;
}

const select = (rows: ReturnType<typeof balances>) =>
  rows.select([
    'transformer.id as transformerId',
    'transformer.name',
    'transformer.code',
    'sums.supply',
    'sums.sold',
    'sums.missing',
    'sums.loss',
    'sums.lossPercent',
    sql<number>`coalesce(sums.meters_expected, 0)`.as('metersExpected'),
    sql<number>`coalesce(sums.meters_data_min, 0)`.as('metersDataMin'),
    sql<number>`coalesce(sums.days_balanced, 0)`.as('daysBalanced'),
    sql<number>`coalesce(sums.days_without_master, 0)`.as('daysWithoutMaster'),
    'sums.used',
  ]);

const SORT_COLUMNS = {
  name: 'transformer.name',
  supply: 'sums.supply',
  sold: 'sums.sold',
  loss: 'sums.loss',
  lossPercent: 'sums.lossPercent',
  missing: 'sums.missing',
} as const;

type Found = Awaited<ReturnType<ReturnType<typeof select>['execute']>>[number];

const DAY_MS = 86_400_000;
const daysOf = ({ from, to }: Range): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

const toRow =
  (bounds: Bounds, range: Range) =>
  ({ used, ...row }: Found): BalanceRow => ({
    ...row,
    days: daysOf(range),
    daysNotCalculated: daysOf(range) - row.daysBalanced - row.daysWithoutMaster,
    ...registersOf(used),
    class: lossClassOf(row.lossPercent, bounds),
  });

export async function listBalances(db: Db, user: User, query: PageQuery & BalanceFilters) {
  const { lossPercent: bounds } = await findThresholds(db);
  const rows = balances(db, user, query, bounds);
  const { column, direction } = orderOf<string>(query.sort, SORT_COLUMNS, 'transformer.name');
  const [found, counted] = await Promise.all([
    takeRows(
      db,
      select(rows)
        .orderBy(sql.ref(column), (order) => (direction === 'desc' ? order.desc().nullsLast() : order.asc().nullsLast()))
        .orderBy('transformer.name'),
      ['transformerId'],
      query,
    ),
    countUpTo(db, rows.select('transformer.id')),
  ]);
  return { items: found.map(toRow(bounds, query)), ...counted, page: query.page, size: query.size };
}

/** Energy of all transformers that match, on all pages. Null: none is balanced. */
export async function sumBalances(db: Db, user: User, filters: BalanceFilters) {
  const { lossPercent: bounds } = await findThresholds(db);
  const { supply, sold, missing } = await balances(db, user, filters, bounds)
    .select([
      sql<number | null>`sum(sums.supply)::float8`.as('supply'),
      sql<number | null>`sum(sums.sold)::float8`.as('sold'),
      sql<number | null>`sum(sums.missing)::float8`.as('missing'),
    ])
    .executeTakeFirstOrThrow();
  const isKnown = supply !== null && sold !== null && missing !== null;
  return isKnown ? totalOf({ supply, sold, missing }) : { supply: null, sold: null, missing: null, loss: null };
}

/** With the loss, unless much of the supply is estimated. */
const totalOf = ({ supply, sold, missing }: { supply: number; sold: number; missing: number }) => ({
  supply,
  sold,
  missing,
  loss: missing <= MOST_ESTIMATED * supply ? supply - sold - missing : null,
});

const WORST = 10;

export async function summariseBalances(db: Db, user: User, filters: Omit<BalanceFilters, 'class'>) {
  const { lossPercent: bounds } = await findThresholds(db);
  const rows = balances(db, user, filters, bounds);
  const [classes, worst, days] = await Promise.all([
    rows
      .select([
        classIn(bounds).as('class'),
        sql<number>`count(*)::int`.as('count'),
        sql<number>`coalesce(sum(sums.supply), 0)::float8`.as('supply'),
        sql<number>`coalesce(sum(sums.sold), 0)::float8`.as('sold'),
        sql<number>`coalesce(sum(sums.missing), 0)::float8`.as('missing'),
      ])
      .groupBy(sql`1`)
      .execute(),
    select(rows.where('sums.lossPercent', 'is not', null))
      .orderBy('sums.lossPercent', 'desc')
      .limit(WORST)
      .execute(),
    sql<{ day: string; supply: number | null; sold: number; missing: number; loss: number | null; lossPercent: number | null }>`
      select day::text as day, sum(supply_kwh)::float8 as supply, coalesce(sum(sold_kwh) filter (where supply_kwh is not null), 0)::float8 as sold,
        coalesce(sum(missing_kwh) filter (where supply_kwh is not null), 0)::float8 as missing, ${lossKwhOf(ALL)} as loss,
        ${lossPercentOf(ALL)} as loss_percent
      from energy_balance where day between ${filters.from} and ${filters.to} and transformer_id in (${rows.select('transformer.id')})
      group by day order by day`.execute(db),
  ]);
  const byClass: Record<LossClass, number> = { negative: 0, low: 0, normal: 0, raised: 0, high: 0, none: 0 };
  for (const row of classes) byClass[row.class] = row.count;
  const sum = (key: 'count' | 'supply' | 'sold' | 'missing') => classes.reduce((total, row) => total + row[key], 0);
  return {
    total: sum('count'),
    byClass,
    ...totalOf({ supply: sum('supply'), sold: sum('sold'), missing: sum('missing') }),
    worst: worst.map(toRow(bounds, filters)),
    days: days.rows,
  };
}
