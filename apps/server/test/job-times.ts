import type { JobQueueOptions } from '../src/jobs/job-queue.ts';

/** The shortest lease that the queue allows. */
export const QUICK: JobQueueOptions = { leaseSeconds: 10, superviseSeconds: 1, pollSeconds: 0.5 };
