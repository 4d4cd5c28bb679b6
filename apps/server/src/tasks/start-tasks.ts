import type { Context } from '#db/context.ts';
import type { Turns } from '#nodes/turns.ts';
import type { PeriodicJob } from '#platform/periodic-job.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Operations, Ownership, Reach } from './operation.ts';

export interface Tasks {
  /** The queue, of which a node that drains stops the claims. */
  dispatcher: Dispatcher;
  stop(): Promise<void>;
}

/** Periodic jobs that place orders, such as collection plans. */
export type PeriodicJobs = (ctx: Pick<Context, 'db' | 'pool' | 'clock' | 'log' | 'settings'>, turns: Turns) => PeriodicJob[];

/** Starts the queue and the periodic jobs. The caller supplies operations and jobs, so the queue depends on no device and no feature. */
export async function startTasks(
  ctx: Pick<Context, 'db' | 'pool' | 'direct' | 'bus' | 'clock' | 'log' | 'settings'>,
  field: { operations: Operations; reach: Reach; node: Ownership },
  jobs: PeriodicJobs,
): Promise<Tasks> {
  const dispatcher = new Dispatcher(ctx, field);
  await dispatcher.start();
  const periodic = jobs(ctx, field.node);
  return {
    dispatcher,
    async stop() {
      await Promise.all(periodic.map((job) => job.stop()));
      await dispatcher.stop();
    },
  };
}
