import { ORDERS } from '@hes/contract/orders/every-order.ts';
import type { Allow } from '@hes/contract/core/route.ts';
import { holderOf } from '#db/scope.ts';
import { findUserById } from '#http/access/queries.ts';
import type { Job, JobKind } from '#jobs/job-queue.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User } from '#db/context.ts';
import { findTaskRows } from '#tasks/queries.ts';
import { advance, begin, type ComputationKind, end, findOrdered, insertComputation, setTotal } from './queries.ts';

/** One computation needs a connection and the database's time. */
const WORKERS = 2;

export interface NewComputation {
  kind: ComputationKind;
  title: string;
  params: Record<string, string>;
  /** Steps; may be said later. */
  total?: number;
}

/** A user stopped the task: what is not committed is rolled back, and the job ends. */
class ComputationStopped extends Error {}

/** What the work says of itself while it is done. */
export interface Progress {
  total(count: number): Promise<void>;
  /** In the transaction of what was done, where there is one. Fails when another process has taken over. */
  done(count: number, tx?: Tx): Promise<void>;
  /** Before a transaction commits that says nothing of its progress. */
  hold(tx: Tx): Promise<void>;
  /** Tells who follows. After the commit. */
  tell(): Promise<void>;
}

/** Work that may be begun again at any time: what it wrote before a crash it finds, or replaces. */
export interface Computation<Params> {
  kind: ComputationKind;
  /** Of the call that orders it; its area is judged anew when the work begins. */
  right: Exclude<Allow, string>;
  run(ctx: Context, user: User, params: Params, progress: Progress): Promise<void>;
}

/** Work of the head-end itself, followed like work in the field. The caller wakes its kind after the commit. */
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

async function tell(ctx: Context, taskId: string): Promise<void> {
  for (const data of await findTaskRows(ctx.pool, [taskId]))
    ctx.bus.publish(`task:${taskId}`, { type: 'task.progress', ts: new Date(ctx.clock.now()).toISOString(), id: taskId, data });
}

function progressOf(ctx: Context, { subject: taskId, hold, signal }: Job): Progress {
  const advanceIn = async (tx: Tx, count: number) => {
    signal.throwIfAborted();
    if (!(await advance(tx, taskId, count))) throw new ComputationStopped();
    await hold(tx);
  };
  return {
    total: async (count) => void (await setTotal(ctx.db, taskId, count)),
    done: (count, tx) => (tx === undefined ? ctx.db.transaction().execute((own) => advanceIn(own, count)) : advanceIn(tx, count)),
    hold,
    tell: () => tell(ctx, taskId),
  };
}

async function compute<Params>(ctx: Context, { right, run }: Computation<Params>, job: Job): Promise<void> {
  const { subject: taskId, hold } = job;
  const ordered = await findOrdered(ctx.db, taskId);
  if (ordered === undefined) return;
  const found = await findUserById(ctx, ordered.createdBy, new Date(ctx.clock.now()));
  const user = found && holderOf(found, right.page, right.action);
  if (user === undefined) throw new ApiError('FORBIDDEN');
  await ctx.db.transaction().execute(async (tx) => {
    await begin(tx, taskId);
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
    await end(tx, taskId, 'finished');
    await hold(tx);
  });
  await progress.tell();
}

/** Does the work in the background, in any process. It ends as finished or failed, and who follows is told. */
export const computationJobs = <Params>(ctx: Context, computation: Computation<Params>): JobKind => ({
  name: computation.kind,
  workers: WORKERS,
  run: (job) => compute(ctx, computation, job),
  async giveUp(taskId, error) {
    ctx.log.error('A computation failed', { error, taskId });
    await end(ctx.db, taskId, 'failed');
    await tell(ctx, taskId);
  },
});
