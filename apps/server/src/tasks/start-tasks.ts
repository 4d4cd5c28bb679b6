import type { Context } from '#platform/context.ts';
import { Dispatcher } from './dispatcher.ts';
import type { Operation, Reach } from './operation.ts';
import { Plans } from './plans.ts';
import { TopologyPoll } from './topology-poll.ts';
import { Refills } from './refills.ts';

export interface Tasks {
  stop(): Promise<void>;
}

/** Starts handing out work and running plans. The field's operations are handed in: the queue knows kinds, not meters. */
export async function startTasks(
  ctx: Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log' | 'settings'>,
  field: { operations: Record<string, Operation>; reach: Reach },
): Promise<Tasks> {
  const dispatcher = new Dispatcher(ctx, field);
  const plans = new Plans(ctx);
  const topologies = new TopologyPoll(ctx);
  const refills = new Refills(ctx);
  await dispatcher.start();
  plans.start();
  topologies.start();
  refills.start();
  return {
    async stop() {
      await refills.stop();
      await plans.stop();
      await topologies.stop();
      await dispatcher.stop();
    },
  };
}
