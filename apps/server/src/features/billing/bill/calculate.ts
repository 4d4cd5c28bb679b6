import { bill } from '@hes/contract/analysis/bill.ts';
import type { PeriodKind } from '@hes/contract/states/bill.ts';
import { writeAudit } from '#db/audit.ts';
import { checkRange } from '#features/readings/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { addComputation, type Computation, type Progress } from '#features/computation/port.ts';
import { pricesAt } from '#features/billing/price/queries.ts';
import {
  addPeriod,
  findStale,
  lockPeriodOfDays,
  markCalculated,
  reprice,
  setPeriodTask,
  writeLines,
  type Billed,
} from './calculate-queries.ts';

/** Batch size: large enough for throughput, small enough for visible progress. */
const TRANSFORMERS_AT_ONCE = 20;

interface Order {
  kind: PeriodKind;
  from: string;
  to: string;
}

/** Throws unless a month is a calendar month and a day is a single day. */
function checkKind({ kind, from, to }: Order): void {
  checkRange({ from, to });
  const lastOfMonth = new Date(Date.UTC(Number(from.slice(0, 4)), Number(from.slice(5, 7)), 0)).toISOString().slice(0, 10);
  const fits = kind === 'custom' || (kind === 'day' ? from === to : from.endsWith('-01') && to === lastOfMonth);
  if (!fits) throw new ApiError('VALIDATION', {}, 'kind');
}

/** Locks the period for one calculation. Throws if it is published or being calculated. */
async function takePeriod(tx: Tx, { kind, from, to }: Order): Promise<string> {
  await addPeriod(tx, kind, from, to);
  const period = await lockPeriodOfDays(tx, from, to);
  if (period.state === 'published') throw new ApiError('PUBLISHED');
  if (period.taskState === 'running') throw new ApiError('PERIOD_BUSY');
  return period.id;
}

async function writeBill(ctx: Context, user: User, work: Billed, progress: Progress): Promise<void> {
  const { db, clock, settings } = ctx;
  const prices = await pricesAt(db, work.from);
  await db.transaction().execute(async (tx) => {
    await reprice(tx, work.periodId, prices);
    await progress.hold(tx);
  });
  const stale = await findStale(db, user, work);
  await progress.total(stale.reduce((sum, { meters }) => sum + meters, 0));
  for (let at = 0; at < stale.length; at += TRANSFORMERS_AT_ONCE) {
    const some = stale.slice(at, at + TRANSFORMERS_AT_ONCE);
    const ids = some.map(({ id }) => id);
    const meters = some.reduce((sum, one) => sum + one.meters, 0);
    await db.transaction().execute(async (tx) => {
      await writeLines(tx, work, ids, { zone: settings.timeZone, now: new Date(clock.now()), prices });
      await progress.done(meters, tx);
    });
    await progress.publish();
  }
  await db.transaction().execute(async (tx) => {
    await markCalculated(tx, work.periodId, user.id, new Date(clock.now()));
    await progress.hold(tx);
  });
}

/** A restarted calculation covers only transformers whose lines are missing or out of date. */
export const billComputation: Computation<Billed> = { kind: 'bill', right: bill.calculate.allow, run: writeBill };

/** Starts a calculation in the background. The task reports its progress. */
export async function calculateBill(ctx: Context, { user, ip }: Who, order: Order): Promise<{ taskId: string }> {
  checkKind(order);
  const { from, to } = order;
  const now = ctx.clock.now();
  const taskId = await ctx.db.transaction().execute(async (tx) => {
    const periodId = await takePeriod(tx, order);
    const id = await addComputation(ctx, tx, user, { kind: 'bill', title: `${from} – ${to}`, params: { periodId, from, to } });
    await setPeriodTask(tx, periodId, id);
    const detail = { from, to, kind: order.kind };
    await writeAudit(tx, { userId: user.id, action: 'bill_calculated', entity: 'bill_period', entityId: periodId, detail, ip }, now);
    return id;
  });
  ctx.jobs.wake('bill');
  return { taskId };
}
