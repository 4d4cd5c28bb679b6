import type { PeriodKind } from '@hes/contract/states/bill.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Prices } from '#modules/analysis/price/api.ts';
import type { Db, Tx, User } from '#platform/context.ts';

/** The period that is calculated. */
export interface Billed {
  periodId: string;
  from: string;
  to: string;
}

export const addPeriod = (tx: Tx, kind: PeriodKind, from: string, to: string) =>
  sql`insert into bill_period (kind, first_day, last_day) values (${kind}, ${from}, ${to}) on conflict (first_day, last_day) do nothing`.execute(
    tx,
  );

/** Where something changed since the lines were made: other readings near the boundaries, another meter, or no lines at all. */
export async function findStale(db: Db, user: User, work: Billed): Promise<{ id: string; meters: number }[]> {
  const { rows } = await sql<{ id: string; meters: number }>`
    select transformer.id, (select count(*)::int from meter m where m.transformer_id = transformer.id and m.inventory_state <> 'in_warehouse') as meters
    from transformer
    left join (select transformer_id, min(calculated_at) as at from bill_line where period_id = ${work.periodId} group by transformer_id) line
      on line.transformer_id = transformer.id
    where ${visible('transformer.id', user)} and (
      line.at is null
      or exists (select from meter m where m.transformer_id = transformer.id and m.updated_at > line.at)
      or exists (select from bill_line l where l.period_id = ${work.periodId} and l.transformer_id = transformer.id
        and not exists (select from meter m where m.id = l.meter_id and m.transformer_id = l.transformer_id))
      or exists (select from meter_exchange e where e.transformer_id = transformer.id and e.created_at > line.at)
      or exists (select from meter m join reading_daily r on r.meter_id = m.id where m.transformer_id = transformer.id
        and r.freeze_date between ${work.from}::date - 31 and ${work.to}::date + 32 and r.read_at > line.at))
    order by transformer.id`.execute(db);
  return rows;
}

/** Transformers with meters of which this period has no line, anywhere in the network: who sees a part of it calculates that part. */
export async function countUncalculated(tx: Tx, periodId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from transformer t
    where exists (select from meter m where m.transformer_id = t.id and m.inventory_state <> 'in_warehouse')
      and not exists (select from bill_line l where l.period_id = ${periodId} and l.transformer_id = t.id)`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** The lines of some transformers, from the freezes as they are now. */
export async function writeLines(tx: Tx | Db, work: Billed, transformers: string[], zone: string, now: Date): Promise<void> {
  await sql`delete from bill_line where period_id = ${work.periodId} and transformer_id = any(${transformers}::bigint[])`.execute(tx);
  await sql`
    insert into bill_line (period_id, meter_id, transformer_id, ratio, opening, closing, used, status, flags, opening_trace, closing_trace, parts, calculated_at)
    select ${work.periodId}, c.meter_id, c.transformer_id, c.ratio, c.opening, c.closing, c.used,
      case when c.used is null then 'missing' when c.is_estimated then 'estimated' when c.is_exchanged then 'exchanged'
        when c.has_rollover then 'rollover' else 'complete' end,
      array_remove(array[
        case when c.is_estimated then 'estimated' end, case when c.is_exchanged then 'exchanged' end, case when c.has_rollover then 'rollover' end,
        case when c.is_backwards then 'backwards' end,
        case when abs(coalesce(c.used[3], 0) + coalesce(c.used[4], 0) + coalesce(c.used[5], 0) + coalesce(c.used[6], 0) - c.used[1])
            > 0.1 * c.ratio + 0.001 * c.used[1] and num_nonnulls(c.used[3], c.used[4], c.used[5], c.used[6]) > 0 then 'tariff_sum' end
      ], null),
      c.opening_trace, c.closing_trace, c.parts, ${now}
    from consumption(${work.from}::date, ${work.to}::date, ${zone}, ${transformers}::bigint[]) as c
    on conflict do nothing`.execute(tx);
}

const isFlat = (prices: number[]): boolean => prices.every((price) => price === prices[0]);

/** What one direction costs: by tariff, or by the total where all tariffs cost the same. */
const worth = (prices: number[], total: number, firstTariff: number) =>
  isFlat(prices)
    ? sql`coalesce(l.used[${sql.lit(total)}], 0) * ${prices[0] ?? 0}::numeric`
    : sql`case when num_nonnulls(${sql.join(prices.map((_, k) => sql`l.used[${sql.lit(firstTariff + k)}]`))}) = 0 and coalesce(l.used[${sql.lit(total)}], 0) > 0 then null
        else ${sql.join(
          prices.map((price, k) => sql`coalesce(l.used[${sql.lit(firstTariff + k)}], 0) * ${price}::numeric`),
          sql` + `,
        )} end`;

/** Amounts follow the price list of the first day. What the customer gave is paid for; a master meter is nobody's bill. */
export async function writeAmounts(tx: Tx | Db, periodId: string, prices: Prices | undefined): Promise<void> {
  const amount = prices ? sql`round(${worth(prices.plus, 1, 3)} - (${worth(prices.minus, 2, 7)}), 2)` : sql`null::numeric`;
  await sql`
    update bill_line l set amount = n.amount, currency = n.currency,
      flags = array_remove(l.flags, 'no_tariffs') || case when n.is_without then array['no_tariffs'] else '{}' end
    from (
      select l.meter_id, case when m.is_master or l.used is null then null else ${amount} end as amount,
        case when m.is_master or l.used is null then null else ${prices?.currency ?? null} end as currency,
        ${prices !== undefined} and not m.is_master and l.used is not null and ${amount} is null as is_without
      from bill_line l join meter m on m.id = l.meter_id where l.period_id = ${periodId}
    ) n
    where l.period_id = ${periodId} and l.meter_id = n.meter_id
      and (l.amount, l.currency, 'no_tariffs' = any(l.flags)) is distinct from (n.amount, n.currency, n.is_without)`.execute(tx);
}

export const markCalculated = (tx: Tx, periodId: string, userId: string, now: Date) =>
  sql`update bill_period set state = 'calculated', calculated_at = ${now}, calculated_by = ${userId}, version = version + 1
    where id = ${periodId}`.execute(tx);
