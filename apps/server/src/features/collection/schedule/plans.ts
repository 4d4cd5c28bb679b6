import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { nextRun } from '@hes/contract/schedule/runs.ts';
import type { Context } from '#db/context.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { insertDcuTasks } from './dcu-task-queries.ts';
import { inTransaction } from '#db/in-transaction.ts';
import { lockDuePlans, lockPlansOfFuture, notifyTasks, storePlanRun, type QueuedRun } from './plan-queries.ts';
import { queueRun } from './plan-queue.ts';
import { togetherKey, workOf, type StoredPlan } from './plan-work.ts';

const CHECK_EVERY_MS = 5_000;
const MAX_SPREAD_MS = 5_000;
/**
 * Delay of all runs of this process: plans that are due together stay together, and several head-ends in one network do not start in the same
 * second. It is drawn at the first run, because a simulation loads this module before it has a source of random numbers.
 */
let spreadMs: number | undefined;
const spreadOfProcess = (): number => (spreadMs ??= Math.floor(Math.random() * MAX_SPREAD_MS));

type PlanContext = Pick<Context, 'pool' | 'clock' | 'log' | 'settings'>;

/** Starts the periodic job that runs due plans. Plans with equal work share a task, so that one association reads a meter for all of them. */
export function watchPlans(context: PlanContext): PeriodicJob {
  const ctx = { ...context, log: context.log.child({ part: 'plans' }) };
  const plans = startPeriodicJob(
    CHECK_EVERY_MS,
    () => runDuePlans(ctx),
    (error) => ctx.log.warn('Due plans could not be run', { error }),
  );
  void plans.runNow();
  return plans;
}

/** Queues every due plan in the transaction that stores its next run, so that several servers run it only once. */
export async function runDuePlans(ctx: PlanContext): Promise<void> {
  await inTransaction(ctx.pool, async (client) => {
    const now = ctx.clock.now();
    const due = await lockDuePlans(client, new Date(now));
    const together = Map.groupBy(due, (plan) => togetherKey(plan, workOf(plan)));
    const order = { now, timeZone: ctx.settings.timeZone, trigger: 'schedule' as const, userId: null };
    for (const plans of together.values()) {
      const { queued, stillWaiting } = await queueRun(client, plans, order);
      for (const plan of plans.filter(({ execution }) => execution === 'dcu_task')) {
        const { id: planId, name, priority } = plan;
        await insertDcuTasks(client, { planId, name, priority, aims: [plan], userId: null });
      }
      const names = plans.map((plan) => plan.name).join(', ');
      if (queued === 0 && stillWaiting > 0)
        ctx.log.warn('A run was skipped: the previous is still running', { plans: names, stillWaiting });
    }
    const early = await lockPlansOfFuture(client, new Date(now));
    if (early.length > 0) ctx.log.warn('The clock was set back, and the next runs of plans were corrected', { plans: early.length });
    for (const plan of [...due, ...early])
      await storePlanRun(client, plan.id, { ranAt: new Date(now), nextRunAt: findNextRun(ctx, plan, now) });
    if (due.length > 0) await notifyTasks(client);
  });
}

/** Runs one plan for a user; its schedule is not affected. */
export async function runPlanNow(ctx: PlanContext, plan: StoredPlan, userId: string): Promise<QueuedRun> {
  return inTransaction(ctx.pool, async (client) => {
    const order = { now: ctx.clock.now(), timeZone: ctx.settings.timeZone, trigger: 'user' as const, userId };
    const queued = await queueRun(client, [plan], order);
    await notifyTasks(client);
    return queued;
  });
}

function findNextRun(ctx: PlanContext, plan: StoredPlan, now: number): Date | null {
  try {
    const next = nextRun(parseSchedule(plan.schedule), now, ctx.settings.timeZone);
    return next === undefined ? null : new Date(next + spreadOfProcess());
  } catch (error) {
    ctx.log.error('A plan with an invalid schedule was disabled', { error, plan: plan.name });
    return null;
  }
}
