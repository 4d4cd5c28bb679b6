import { startAnalysis } from '#features/balance/port.ts';
import { startDeliveries, type DeliveryReach } from '#features/deliveries/port.ts';
import type { Context } from '#db/context.ts';
import type { JobQueue } from '#jobs/job-queue.ts';
import type { Turns } from '#nodes/turns.ts';
import { startRetention } from './retention.ts';
import type { Stops } from './stops.ts';

interface AnalysisTools {
  jobs: JobQueue;
  turns: Turns;
  /** What senders may reach. */
  deliveries: DeliveryReach;
}

/** Starts the role `analysis`: jobs without devices, analysis of new readings, deliveries to other systems, and retention. */
export async function startAnalysisPart(ctx: Context, stops: Stops, { jobs, turns, deliveries: reach }: AnalysisTools): Promise<void> {
  const retention = startRetention(ctx, turns);
  stops.push(() => retention.stop());
  await jobs.start();
  const analysis = startAnalysis(ctx, turns);
  stops.push(() => analysis.stop());
  const deliveries = startDeliveries(ctx, turns, reach);
  stops.push(() => deliveries.stop());
}
