import type { BillPeriod } from '@hes/contract/analysis/bill.ts';
import type { FileAnswer } from '@hes/contract/core/file.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import { sql } from 'kysely';
import { writeAudit } from '#db/audit.ts';
import { dcuUnder, nodeOf, visible } from '#db/scope.ts';
import { checkRange } from '#modules/reading/reading/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, User, Who } from '#platform/context.ts';
import { pricesAt } from '#modules/analysis/price/api.ts';
import { daysOfMeter, findLine, findPeriod } from './queries.ts';
import { statementOf } from './statement.ts';

/** Approves a period for good. Who calculated it is not who approves it. */
export async function publishBill(ctx: Context, { user, ip }: Who, { id, version }: { id: string; version: number }): Promise<BillPeriod> {
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const period = await tx
      .selectFrom('billPeriod')
      .leftJoin('task', 'task.id', 'billPeriod.taskId')
      .where('billPeriod.id', '=', id)
      .selectAll('billPeriod')
      .select('task.state as taskState')
      .forUpdate('billPeriod')
      .executeTakeFirst();
    if (period === undefined) throw new ApiError('NOT_FOUND');
    if (period.state === 'published') throw new ApiError('PUBLISHED');
    if (period.state === 'open' || period.taskState === 'running') throw new ApiError('PERIOD_BUSY');
    if (period.version !== version) throw new ApiError('STALE');
    if (period.calculatedBy === user.id) throw new ApiError('SAME_USER');
    await sql`update bill_period set state = 'published', published_at = ${new Date(now)}, published_by = ${user.id}, version = version + 1 where id = ${id}`.execute(
      tx,
    );
    const detail = { from: period.firstDay, to: period.lastDay };
    await writeAudit(tx, { userId: user.id, action: 'bill_published', entity: 'bill_period', entityId: id, detail, ip }, now);
  });
  const period = await findPeriod(ctx.db, { id });
  if (period === undefined) throw new ApiError('NOT_FOUND');
  return period;
}

export async function getLine(ctx: Context, user: User, key: { id: string; meterId: string }) {
  const line = await findLine(ctx.db, user, key, ctx.settings.timeZone);
  if (line === undefined) throw new ApiError('NOT_FOUND');
  const { firstDay: _first, lastDay: _last, ...rest } = line;
  return rest;
}

export async function getStatement(ctx: Context, user: User, key: { id: string; meterId: string }, locale: Locale): Promise<FileAnswer> {
  const [line, period] = await Promise.all([findLine(ctx.db, user, key, ctx.settings.timeZone), findPeriod(ctx.db, { id: key.id })]);
  if (line === undefined || period === undefined) throw new ApiError('NOT_FOUND');
  const prices = await pricesAt(ctx.db, period.firstDay);
  const content = statementOf({ line, period, prices, locale, timeZone: ctx.settings.timeZone, now: ctx.clock.now() });
  return { name: `${line.sn}-${period.firstDay}-${period.lastDay}.pdf`, type: 'application/pdf', content };
}

interface TrendQuery {
  from: string;
  to: string;
  node?: string | undefined;
}

/** By day: of a meter and of a DCU from their freezes, of everything larger from the balances that are kept anyway. */
export async function trendOf(ctx: Context, user: User, query: TrendQuery) {
  checkRange(query);
  const { db } = ctx;
  const node = query.node === undefined ? undefined : nodeOf(query.node);
  if (node?.kind === 'meter') {
    const known = await db
      .selectFrom('meter')
      .where('id', '=', node.id)
      .where(visible('meter.transformerId', user))
      .select('id')
      .executeTakeFirst();
    const days = known ? await daysOfMeter(db, node.id, query.from, query.to) : [];
    return { items: days.map((day) => ({ ...day, metersData: day.plus === null ? 0 : 1 })) };
  }
  const condition =
    node?.kind === 'level'
      ? sql<boolean>`exists (select from network_level l where l.id = transformer.level_id and l.path @> array[${node.id}::bigint])`
      : node?.kind === 'transformer'
        ? sql<boolean>`transformer.id = ${node.id}`
        : node?.kind === 'dcu'
          ? sql<boolean>`transformer.id in (select dcu.transformer_id from dcu where ${dcuUnder(query.node)})`
          : sql<boolean>`true`;
  const { rows } = await sql<{ day: string; plus: number | null; minus: number | null; metersData: number }>`
    select d::date::text as day, (sum(b.plus_kwh) filter (where b.meters_data > 0))::float8 as plus,
      (sum(b.minus_kwh) filter (where b.meters_data > 0))::float8 as minus, coalesce(sum(b.meters_data), 0)::int as meters_data
    from generate_series(${query.from}::date, ${query.to}::date, interval '1 day') d
    left join (select energy_balance.* from energy_balance join transformer on transformer.id = energy_balance.transformer_id
      where energy_balance.day between ${query.from} and ${query.to} and ${visible('transformer.id', user)} and ${condition}) b on b.day = d::date
    group by d order by d`.execute(db);
  return { items: rows };
}
