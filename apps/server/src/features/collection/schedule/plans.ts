import { parseSchedule } from '@hes/contract/schedule/expression.ts';
import { nextRun } from '@hes/contract/schedule/runs.ts';
import type { PoolClient } from 'pg';
import type { Context } from '#db/context.ts';
import { watch, type Watch } from '#platform/watch.ts';
import { queueDcuTasks } from './dcu-tasks.ts';
import { queueRun, type QueuedRun } from './plan-queue.ts';
import { PLAN_COLUMNS, togetherKey, workOf, type StoredPlan } from './plan-work.ts';
import { TASK_CHANNEL } from '#tasks/store.ts';

const CHECK_EVERY_MS = 5_000;
const MAX_SPREAD_MS = 5_000;
/**
 * Delay of all runs of this process: plans that are due together stay together, and several head-ends in one network do not start in the same
 * second. It is drawn at the first run, because a simulation loads this module before it has a source of random numbers.
 */
let spreadMs: number | undefined;
const spreadOfProcess = (): number => (spreadMs ??= Math.floor(Math.random() * MAX_SPREAD_MS));

type PlanContext = Pick<Context, 'pool' | 'clock' | 'log' | 'settings'>;

/** Periodic job that starts due collection plans. Plans that are due together become one task, so that each meter is associated with once. */
export function watchPlans(context: PlanContext): Watch {
  const ctx = { ...context, log: context.log.child({ part: 'plans' }) };
  const plans = watch(
    CHECK_EVERY_MS,
    () => runDuePlans(ctx),
    (error) => ctx.log.warn('Due plans could not be started', { error }),
  );
  void plans.look();
  return plans;
}

/** Starts every due plan in one transaction with the moment of its next run, so that one of several head-ends starts it. */
export async function runDuePlans(ctx: PlanContext): Promise<void> {
  await inTransaction(ctx, async (client) => {
    const now = ctx.clock.now();
    const due = await client.query<StoredPlan>(
      `select ${PLAN_COLUMNS} from collect_plan p
       where enabled and (next_run_at is null or next_run_at <= $1) order by priority, id for update skip locked`,
      [new Date(now)],
    );
    const together = Map.groupBy(due.rows, (plan) => togetherKey(plan, workOf(plan)));
    const order = { now, timeZone: ctx.settings.timeZone, trigger: 'schedule' as const, userId: null };
    for (const plans of together.values()) {
      const { queued, stillWaiting } = await queueRun(client, plans, order);
      for (const plan of plans.filter(({ execution }) => execution === 'dcu_task')) {
        const { id: planId, name, priority } = plan;
        const { text, values } = queueDcuTasks({ planId, name, priority, aims: [plan], userId: null, now });
        await client.query(text, values);
      }
      const names = plans.map((plan) => plan.name).join(', ');
      if (queued === 0 && stillWaiting > 0)
        ctx.log.warn('A run was skipped: the previous is still running', { plans: names, stillWaiting });
    }
    for (const plan of due.rows) {
      await client.query(
        `update collect_plan set last_run_at = $2, next_run_at = $3::timestamptz, enabled = enabled and $3::timestamptz is not null where id = $1`,
        [plan.id, new Date(now), nextOf(ctx, plan, now)],
      );
    }
    if (due.rows.length > 0) await client.query('select pg_notify($1, $2)', [TASK_CHANNEL, '']);
  });
}

/** Starts one plan on request of a user; its schedule does not change. */
export async function runPlanNow(ctx: PlanContext, plan: StoredPlan, userId: string): Promise<QueuedRun> {
  return inTransaction(ctx, async (client) => {
    const order = { now: ctx.clock.now(), timeZone: ctx.settings.timeZone, trigger: 'user' as const, userId };
    const queued = await queueRun(client, [plan], order);
    await client.query('select pg_notify($1, $2)', [TASK_CHANNEL, '']);
    return queued;
  });
}

async function inTransaction<T>(ctx: Pick<PlanContext, 'pool'>, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await ctx.pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => (broken = failure));
    throw error;
  } finally {
    client.release(broken);
  }
}

function nextOf(ctx: PlanContext, plan: StoredPlan, now: number): Date | null {
  try {
    const next = nextRun(parseSchedule(plan.schedule), now, ctx.settings.timeZone);
    return next === undefined ? null : new Date(next + spreadOfProcess());
  } catch (error) {
    ctx.log.error('The schedule of a plan is not valid; the plan was disabled', { error, plan: plan.name });
    return null;
  }
}
