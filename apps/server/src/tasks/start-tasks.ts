import type { Context } from '#platform/context.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Operation, Reach } from './operation.ts';
import { Plans } from './plans.ts';

export interface Tasks {
  stop(): Promise<void>;
}

/** Starts handing out work and running plans. The field's operations are handed in: the queue knows kinds, not meters. */
export async function startTasks(
  ctx: Pick<Context, 'pool' | 'bus' | 'clock' | 'log' | 'settings'>,
  field: { operations: Record<string, Operation>; reach: Reach },
): Promise<Tasks> {
  const dispatcher = new Dispatcher(ctx, field);
  const plans = new Plans(ctx);
  await dispatcher.start();
  plans.start();
  return {
    async stop() {
      await plans.stop();
      await dispatcher.stop();
    },
  };
}
