import type { Context } from '#db/context.ts';
import { arrivalJobs } from '#features/balance/port.ts';
import { billComputation } from '#features/billing/port.ts';
import { computationJobs } from '#features/computation/port.ts';
import { phaseComputation } from '#features/phases/port.ts';
import type { JobKind } from '#jobs/job-queue.ts';
import { exportJobs } from '#transfer/export/write-export.ts';

/** Everything that the job queue does. `unattended`: with the connections for work that no user waits for. */
export const everyJob = (ctx: Context, unattended: Context): JobKind[] => [
  exportJobs(ctx),
  computationJobs(ctx, billComputation),
  computationJobs(ctx, phaseComputation),
  arrivalJobs(unattended),
];
