import { ORDERS } from '@hes/contract/orders/every-order.ts';
import type { Context, Tx, User } from '#db/context.ts';
import { findTaskRows } from '#tasks/queries.ts';
import { advance, end, setTotal, type ComputationKind } from './queries.ts';

export interface NewComputation {
  kind: ComputationKind;
  title: string;
  params: Record<string, string>;
  /** Steps; may be said later. */
  total?: number;
}

/** What the work says of itself while it is done. */
export interface Progress {
  total(count: number): Promise<void>;
  /** In the transaction of what was done, where there is one. */
  done(count: number, tx?: Tx): Promise<void>;
  /** Tells who follows. After the commit. */
  tell(): Promise<void>;
}

/** Work of the head-end itself, followed like work in the field. */
export async function addComputation(tx: Tx, user: User, { kind, title, params, total = 0 }: NewComputation, now: number): Promise<string> {
  const { id } = await tx
    .insertInto('task')
    .values({
      kind,
      source: 'user',
      title,
      params: JSON.stringify(params),
      state: 'running',
      total,
      priority: ORDERS[kind].priority,
      createdBy: user.id,
      startedAt: new Date(now),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function tell(ctx: Context, taskId: string): Promise<void> {
  for (const data of await findTaskRows(ctx.pool, [taskId]))
    ctx.bus.publish(`task:${taskId}`, { type: 'task.progress', ts: new Date(ctx.clock.now()).toISOString(), id: taskId, data });
}

/** Does the work in the background. It ends as finished or failed, and who follows is told. */
export function runComputation(ctx: Context, taskId: string, work: (progress: Progress) => Promise<void>): void {
  const progress: Progress = {
    total: async (count) => void (await setTotal(ctx.db, taskId, count)),
    done: async (count, tx) => void (await advance(tx ?? ctx.db, taskId, count)),
    tell: () => tell(ctx, taskId),
  };
  work(progress)
    .then(() => end(ctx.db, taskId, 'finished'))
    .then(progress.tell)
    .catch(async (error: unknown) => {
      ctx.log.error('A computation failed', { error, taskId });
      await end(ctx.db, taskId, 'failed').catch(() => undefined);
      await progress.tell().catch(() => undefined);
    });
}
