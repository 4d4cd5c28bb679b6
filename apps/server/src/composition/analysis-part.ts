import { startAnalysis } from '#features/balance/port.ts';
import type { Context } from '#db/context.ts';
import type { JobQueue } from '#jobs/job-queue.ts';
import type { Turns } from '#nodes/turns.ts';
import { startRetention } from './retention.ts';
import type { Stops } from './stops.ts';

/** Starts the role `analysis`: jobs without devices, analysis of new readings, and retention. */
export async function startAnalysisPart(ctx: Context, stops: Stops, { jobs, turns }: { jobs: JobQueue; turns: Turns }): Promise<void> {
  const retention = startRetention(ctx, turns);
  stops.push(() => retention.stop());
  await jobs.start();
  const analysis = startAnalysis(ctx, turns);
  stops.push(() => analysis.stop());
}
