import type { Context } from '#platform/context.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Operations, Reach } from './operation.ts';
import { watchPlans } from './plans.ts';
import { watchGaps } from './refills.ts';
import { watchTopologies } from './topology-poll.ts';

export interface Tasks {
  stop(): Promise<void>;
}

/** Starts handing out work and running plans. The field's operations are handed in: the queue knows kinds, not meters. */
export async function startTasks(
  ctx: Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log' | 'settings'>,
  field: { operations: Operations; reach: Reach },
): Promise<Tasks> {
  const dispatcher = new Dispatcher(ctx, field);
  await dispatcher.start();
  const watches = [watchPlans(ctx), watchTopologies(ctx), watchGaps(ctx)];
  return {
    async stop() {
      await Promise.all(watches.map((watch) => watch.stop()));
      await dispatcher.stop();
    },
  };
}
