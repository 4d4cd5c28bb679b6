import type { PeriodKind } from '@hes/contract/states/bill.ts';
import { writeAudit } from '#db/audit.ts';
import { checkRange } from '#modules/reading/reading/api.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#platform/context.ts';
import { findTaskRows } from '#tasks/queries.ts';
import { pricesAt } from '#modules/analysis/price/api.ts';
import {
  addPeriod,
  advanceTask,
  endTask,
  findStale,
  markCalculated,
  startTask,
  writeAmounts,
  writeLines,
  type Billed,
} from './calculate-queries.ts';

/** Enough for the database to be busy, few enough for progress to be seen. */
const TRANSFORMERS_AT_ONCE = 20;
const BILL_PRIORITY = 7;

interface Order {
  kind: PeriodKind;
  from: string;
  to: string;
}

interface Work extends Billed {
  taskId: string;
}

/** A month is one of the calendar, a day is one. */
function checkKind({ kind, from, to }: Order): void {
  checkRange({ from, to });
  const lastOfMonth = new Date(Date.UTC(Number(from.slice(0, 4)), Number(from.slice(5, 7)), 0)).toISOString().slice(0, 10);
  const fits = kind === 'custom' || (kind === 'day' ? from === to : from.endsWith('-01') && to === lastOfMonth);
  if (!fits) throw new ApiError('VALIDATION', {}, 'kind');
}

/** Takes the period for one calculation: nobody else calculates or publishes it meanwhile. */
async function takePeriod(tx: Tx, { kind, from, to }: Order): Promise<string> {
  await addPeriod(tx, kind, from, to);
  const period = await tx
    .selectFrom('billPeriod')
    .leftJoin('task', 'task.id', 'billPeriod.taskId')
    .where('billPeriod.firstDay', '=', from)
    .where('billPeriod.lastDay', '=', to)
    .select(['billPeriod.id', 'billPeriod.state', 'task.state as taskState'])
    .forUpdate('billPeriod')
    .executeTakeFirstOrThrow();
  if (period.state === 'published') throw new ApiError('PUBLISHED');
  if (period.taskState === 'running') throw new ApiError('PERIOD_BUSY');
  return period.id;
}

async function tell(ctx: Context, taskId: string): Promise<void> {
  for (const data of await findTaskRows(ctx.pool, [taskId]))
    ctx.bus.publish(`task:${taskId}`, { type: 'task.progress', ts: new Date(ctx.clock.now()).toISOString(), id: taskId, data });
}

async function run(ctx: Context, user: User, work: Work): Promise<void> {
  const { db, clock, settings } = ctx;
  const stale = await findStale(db, user, work);
  const total = stale.reduce((sum, { meters }) => sum + meters, 0);
  await startTask(db, work.taskId, total);
  for (let at = 0; at < stale.length; at += TRANSFORMERS_AT_ONCE) {
    const some = stale.slice(at, at + TRANSFORMERS_AT_ONCE);
    const meters = some.reduce((sum, one) => sum + one.meters, 0);
    await db.transaction().execute(async (tx) => {
      await writeLines(
        tx,
        work,
        some.map(({ id }) => id),
        settings.timeZone,
        new Date(clock.now()),
      );
      await advanceTask(tx, work.taskId, meters);
    });
    await tell(ctx, work.taskId);
  }
  await db.transaction().execute(async (tx) => {
    await writeAmounts(tx, work.periodId, await pricesAt(tx, work.from));
    await markCalculated(tx, work.periodId, user.id, new Date(clock.now()));
    await endTask(tx, work.taskId, 'finished');
  });
  await tell(ctx, work.taskId);
}

/** Calculates in the background; the task tells how far it is. */
export async function calculateBill(ctx: Context, { user, ip }: Who, order: Order): Promise<{ taskId: string }> {
  checkKind(order);
  const { from, to } = order;
  const now = ctx.clock.now();
  const work = await ctx.db.transaction().execute(async (tx): Promise<Work> => {
    const periodId = await takePeriod(tx, order);
    const { id: taskId } = await tx
      .insertInto('task')
      .values({
        kind: 'bill',
        source: 'user',
        title: `Bill ${from} – ${to}`,
        params: JSON.stringify({ periodId, from, to }),
        state: 'running',
        priority: BILL_PRIORITY,
        createdBy: user.id,
        startedAt: new Date(now),
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    await tx.updateTable('billPeriod').set({ taskId }).where('id', '=', periodId).execute();
    const detail = { from, to, kind: order.kind };
    await writeAudit(tx, { userId: user.id, action: 'bill_calculated', entity: 'bill_period', entityId: periodId, detail, ip }, now);
    return { periodId, from, to, taskId };
  });
  run(ctx, user, work).catch(async (error: unknown) => {
    ctx.log.error('A bill could not be calculated', { error, ...work });
    await endTask(ctx.db, work.taskId, 'failed').catch(() => undefined);
    await tell(ctx, work.taskId).catch(() => undefined);
  });
  return { taskId: work.taskId };
}
