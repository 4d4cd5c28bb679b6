import { ORDERS } from '@hes/contract/orders/every-order.ts';
import type { Allow } from '@hes/contract/core/route.ts';
import { holderOf } from '#db/scope.ts';
import { findUserById } from '#http/access/queries.ts';
import type { Job, JobKind } from '#jobs/job-queue.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User } from '#db/context.ts';
import { findTaskRows } from '#tasks/queries.ts';
import { addProgress, resetProgress, type ComputationKind, endTask, findOrdered, insertComputation, setTotal } from './queries.ts';

/** Limit per process and kind, because each computation occupies a connection and database time. */
const WORKERS = 2;

export interface NewComputation {
  kind: ComputationKind;
  title: string;
  params: Record<string, string>;
  /** Number of steps; can be set later by `Progress.total`. */
  total?: number;
}

/** A user stopped the task: the open transaction is rolled back and the job ends. */
class ComputationStopped extends Error {}

/** Progress reports of a computation. */
export interface Progress {
  total(count: number): Promise<void>;
  /** Counts finished steps, in the transaction of their results if there is one. Fails when another process has taken over. */
  done(count: number, tx?: Tx): Promise<void>;
  /** Call before committing a transaction that does not call `done`. */
  hold(tx: Tx): Promise<void>;
  /** Publishes the progress. Call after the commit. */
  publish(): Promise<void>;
}

/** A restartable computation: after a crash, a new run reuses or replaces the results of the former one. */
export interface Computation<Params> {
  kind: ComputationKind;
  /** Right required to order the computation. The user's area is determined again when the job runs. */
  right: Exclude<Allow, string>;
  run(ctx: Context, user: User, params: Params, progress: Progress): Promise<void>;
}

/** Inserts a task for a computation of the head-end. After the commit, the caller must call `jobs.wake` with its kind. */
export async function addComputation(
  ctx: Context,
  tx: Tx,
  user: User,
  { kind, title, params, total = 0 }: NewComputation,
): Promise<string> {
  const id = await insertComputation(tx, {
    kind,
    title,
    params: JSON.stringify(params),
    total,
    priority: ORDERS[kind].priority,
    createdBy: user.id,
    startedAt: new Date(ctx.clock.now()),
  });
  await ctx.jobs.order(tx, kind, id);
  return id;
}

async function publish(ctx: Context, taskId: string): Promise<void> {
  for (const data of await findTaskRows(ctx.pool, [taskId]))
    ctx.bus.publish(`task:${taskId}`, { type: 'task.progress', ts: new Date(ctx.clock.now()).toISOString(), id: taskId, data });
}

function progressOf(ctx: Context, { subject: taskId, hold, signal }: Job): Progress {
  const advanceIn = async (tx: Tx, count: number) => {
    signal.throwIfAborted();
    if (!(await addProgress(tx, taskId, count))) throw new ComputationStopped();
    await hold(tx);
  };
  return {
    total: async (count) => void (await setTotal(ctx.db, taskId, count)),
    done: (count, tx) => (tx === undefined ? ctx.db.transaction().execute((own) => advanceIn(own, count)) : advanceIn(tx, count)),
    hold,
    publish: () => publish(ctx, taskId),
  };
}

async function runComputation<Params>(ctx: Context, { right, run }: Computation<Params>, job: Job): Promise<void> {
  const { subject: taskId, hold } = job;
  const ordered = await findOrdered(ctx.db, taskId);
  if (ordered === undefined) return;
  const found = await findUserById(ctx, ordered.createdBy, new Date(ctx.clock.now()));
  const user = found && holderOf(found, right.page, right.action);
  if (user === undefined) throw new ApiError('FORBIDDEN');
  await ctx.db.transaction().execute(async (tx) => {
    await resetProgress(tx, taskId);
    await hold(tx);
  });
  const progress = progressOf(ctx, job);
  try {
    await run(ctx, user, ordered.params as Params, progress); // as: written by `addComputation` of the same kind
  } catch (error) {
    if (error instanceof ComputationStopped) return;
    throw error;
  }
  await ctx.db.transaction().execute(async (tx) => {
    await endTask(tx, taskId, 'finished');
    await hold(tx);
  });
  await progress.publish();
}

/** The background job of a computation. The task ends as finished or failed, and its end is published. */
export const computationJobs = <Params>(ctx: Context, computation: Computation<Params>): JobKind => ({
  name: computation.kind,
  workers: WORKERS,
  run: (job) => runComputation(ctx, computation, job),
  async giveUp(taskId, error) {
    ctx.log.error('A computation failed', { error, taskId });
    await endTask(ctx.db, taskId, 'failed');
    await publish(ctx, taskId);
  },
});
