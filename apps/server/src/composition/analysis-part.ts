import { startAlarms } from '#features/alarms/port.ts';
import { startAnalysis } from '#features/balance/port.ts';
import { startDeliveries, type DeliveryReach } from '#features/deliveries/port.ts';
import type { Context } from '#db/context.ts';
import type { JobQueue } from '#jobs/job-queue.ts';
import type { Node } from '#nodes/node.ts';
import { startRetention } from './retention.ts';
import type { Stops } from './stops.ts';

interface AnalysisTools {
  jobs: JobQueue;
  /** Gives the turns of periodic jobs. While it drains, it has none, and no job is begun. */
  node: Pick<Node, 'takeTurn' | 'isDraining' | 'onDrain'>;
  /** What senders and alarms may reach. */
  deliveries: DeliveryReach;
}

/** Starts the role `analysis`: jobs without devices, analysis of new readings, deliveries to other systems, alarms, and retention. */
export async function startAnalysisPart(ctx: Context, stops: Stops, { jobs, node, deliveries: reach }: AnalysisTools): Promise<void> {
  const retention = startRetention(ctx, node);
  stops.push(() => retention.stop());
  await jobs.start();
  const pause = (isPaused: boolean) =>
    void jobs.pause(isPaused).catch((error: unknown) => ctx.log.error('Jobs could not be paused or resumed', { error }));
  if (node.isDraining) pause(true);
  stops.push(node.onDrain(pause));
  const analysis = startAnalysis(ctx, node);
  stops.push(() => analysis.stop());
  const deliveries = startDeliveries(ctx, node, reach);
  stops.push(() => deliveries.stop());
  const alarms = startAlarms(ctx, node, reach.networks);
  stops.push(() => alarms.stop());
}
