import type { PeriodKind } from '@hes/contract/states/bill.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Prices } from '#features/billing/price/queries.ts';
import type { Db, Tx, User } from '#db/context.ts';

/** The period of a calculation. */
export interface Billed {
  periodId: string;
  from: string;
  to: string;
}

export const addPeriod = (tx: Tx, kind: PeriodKind, from: string, to: string) =>
  sql`insert into bill_period (kind, first_day, last_day) values (${kind}, ${from}, ${to}) on conflict (first_day, last_day) do nothing`.execute(
    tx,
  );

/** Locks the period of these days until the transaction ends; `taskState` is the state of its last calculation. */
export const lockPeriodOfDays = (tx: Tx, from: string, to: string) =>
  tx
    .selectFrom('billPeriod')
    .leftJoin('task', 'task.id', 'billPeriod.taskId')
    .where('billPeriod.firstDay', '=', from)
    .where('billPeriod.lastDay', '=', to)
    .select(['billPeriod.id', 'billPeriod.state', 'task.state as taskState'])
    .forUpdate('billPeriod')
    .executeTakeFirstOrThrow();

export const setPeriodTask = (tx: Tx, id: string, taskId: string) =>
  tx.updateTable('billPeriod').set({ taskId }).where('id', '=', id).execute();

/** Overlap with the previous calculation, because a reading is committed some time after its read time. */
const LATE = '1 minute';

interface Work {
  id: string;
  meters: number;
}

/** Calculation time of the oldest line of the period; null if it has no lines. */
async function oldestLine(db: Db, periodId: string): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`select min(calculated_at) as at from bill_line where period_id = ${periodId}`.execute(db);
  return rows[0]?.at ?? null;
}

/**
 * Transformers whose lines are out of date: changed readings at the boundaries, or near them if a boundary value was missing, changed
 * meters, or no lines. The search for readings uses the read time, so its cost depends on the number of new readings.
 */
export async function findStale(db: Db, user: User, work: Billed): Promise<Work[]> {
  const since = await oldestLine(db, work.periodId);
  const { rows } = await sql<Work>`
    with line as materialized (
      select transformer_id, min(calculated_at) as at from bill_line where period_id = ${work.periodId} group by transformer_id
    ), change as (
      select coalesce(m.transformer_id, e.transformer_id) as transformer_id, r.read_at + ${LATE}::interval as at
      from freezes_read_since(${since}::timestamptz - ${LATE}::interval, ${work.from}::date - 31, ${work.to}::date + 32) r
      join meter m on m.id = r.meter_id
      left join lateral (select transformer_id from meter_exchange where old_meter_id = m.id order by at desc limit 1) e on m.transformer_id is null
      left join bill_line l on l.period_id = ${work.periodId} and l.meter_id = r.meter_id
      where (r.freeze_date in (${work.from}, ${work.to}::date + 1) or coalesce(l.status not in ('complete', 'rollover'), true))
      union all
      select transformer_id, updated_at from meter where updated_at > ${since}
      union all
      select transformer_id, created_at from meter_exchange where created_at > ${since}
      union all
      select l.transformer_id, 'infinity' from bill_line l left join meter m on m.id = l.meter_id and m.transformer_id = l.transformer_id
      where l.period_id = ${work.periodId} and m.id is null
    ), last as (
      select transformer_id, max(at) as at from change group by transformer_id
    )
    select transformer.id, (select count(*)::int from meter m where m.transformer_id = transformer.id and m.inventory_state <> 'in_warehouse') as meters
    from transformer left join line on line.transformer_id = transformer.id left join last on last.transformer_id = transformer.id
    where ${visible('transformer.id', user)} and (line.at is null or last.at > line.at)
    order by transformer.id`.execute(db);
  return rows;
}

/** Number of transformers in the whole network with meters but without lines in this period. A user calculates only the own area. */
export async function countUncalculated(tx: Tx, periodId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from transformer t
    where exists (select from meter m where m.transformer_id = t.id and m.inventory_state <> 'in_warehouse')
      and not exists (select from bill_line l where l.period_id = ${periodId} and l.transformer_id = t.id)`.execute(tx);
  return rows[0]?.count ?? 0;
}

const isFlat = (prices: number[]): boolean => prices.every((price) => price === prices[0]);

/** Amount of one direction: by tariff, or by the total if all prices are equal. Each term is rounded to cents as on the statement. */
const worth = (prices: number[], total: number, firstTariff: number) =>
  isFlat(prices)
    ? sql`round(coalesce(used[${sql.lit(total)}], 0) * ${prices[0] ?? 0}::numeric, 2)`
    : sql`case when num_nonnulls(${sql.join(prices.map((_, k) => sql`used[${sql.lit(firstTariff + k)}]`))}) = 0 and coalesce(used[${sql.lit(total)}], 0) > 0 then null
        else ${sql.join(
          prices.map((price, k) => sql`round(coalesce(used[${sql.lit(firstTariff + k)}], 0) * ${price}::numeric, 2)`),
          sql` + `,
        )} end`;

/** Amount and currency of a line, and whether the amount is unknown. Export is credited; a master meter is not billed. */
function priced(prices: Prices | undefined) {
  const isBilled = sql`not is_master and used is not null`;
  if (prices === undefined) return { amount: sql`null::numeric`, currency: sql`null::text`, isWithout: sql`false` };
  const amount = sql`((${worth(prices.plus, 1, 3)}) - (${worth(prices.minus, 2, 7)}))`;
  return {
    amount: sql`case when ${isBilled} then ${amount} end`,
    currency: sql`case when ${isBilled} then ${prices.currency} end`,
    isWithout: sql`(${isBilled} and ${amount} is null)`,
  };
}

/** Whether the tariffs of a direction differ from its total. The tolerance grows with the ratio, because both register values are truncated. */
function isOff(total: number, firstTariff: number) {
  const tariffs = [0, 1, 2, 3].map((k) => sql`c.used[${sql.lit(firstTariff + k)}]`);
  const sum = sql.join(
    tariffs.map((tariff) => sql`coalesce(${tariff}, 0)`),
    sql` + `,
  );
  const all = sql`c.used[${sql.lit(total)}]`;
  return sql`(num_nonnulls(${sql.join(tariffs)}) > 0 and abs(${sum} - ${all}) > 0.1 * c.ratio + 0.001 * ${all})`;
}

/** Replaces the lines of some transformers by lines from the current freezes. */
export async function writeLines(
  tx: Tx | Db,
  work: Billed,
  transformers: string[],
  { zone, now, prices }: { zone: string; now: Date; prices: Prices | undefined },
): Promise<void> {
  const { amount, currency, isWithout } = priced(prices);
  await sql`delete from bill_line where period_id = ${work.periodId} and transformer_id = any(${transformers}::bigint[])`.execute(tx);
  await sql`
    insert into bill_line (period_id, meter_id, transformer_id, ratio, opening, closing, used, status, flags, opening_trace, closing_trace, parts, amount, currency, calculated_at)
    select ${work.periodId}, c.meter_id, c.transformer_id, c.ratio, c.opening, c.closing, c.used,
      case when c.used is null then 'missing' when c.is_estimated then 'estimated' when c.is_exchanged then 'exchanged'
        when c.has_rollover then 'rollover' else 'complete' end,
      array_remove(array[
        case when c.is_estimated then 'estimated' end, case when c.is_exchanged then 'exchanged' end, case when c.has_rollover then 'rollover' end,
        case when c.is_backwards then 'backwards' end,
        case when ${isOff(1, 3)} or ${isOff(2, 7)} then 'tariff_sum' end,
        case when ${isWithout} then 'no_tariffs' end
      ], null),
      c.opening_trace, c.closing_trace, c.parts, ${amount}, ${currency}, ${now}
    from consumption(${work.from}::date, ${work.to}::date, ${zone}, ${transformers}::bigint[]) as c
    on conflict do nothing`.execute(tx);
}

/** Recalculates the amounts of existing lines after a change of prices, and stores the price list in the period. */
export async function reprice(tx: Tx, periodId: string, prices: Prices | undefined): Promise<void> {
  const list = prices === undefined ? null : JSON.stringify(prices);
  const changed =
    await sql`update bill_period set prices = ${list}::jsonb where id = ${periodId} and prices is distinct from ${list}::jsonb`.execute(tx);
  if (changed.numAffectedRows === 0n) return;
  const { amount, currency, isWithout } = priced(prices);
  await sql`
    update bill_line l set amount = n.amount, currency = n.currency,
      flags = array_remove(l.flags, 'no_tariffs') || case when n.is_without then array['no_tariffs'] else '{}' end
    from (
      select meter_id, ${amount} as amount, ${currency} as currency, ${isWithout} as is_without
      from bill_line join meter on meter.id = meter_id where period_id = ${periodId}
    ) n
    where l.period_id = ${periodId} and l.meter_id = n.meter_id`.execute(tx);
}

export const markCalculated = (tx: Tx | Db, periodId: string, userId: string, now: Date) =>
  sql`update bill_period set state = 'calculated', calculated_at = ${now}, calculated_by = ${userId}, version = version + 1
    where id = ${periodId}`.execute(tx);
