import type { Pace } from '../../src/tasks/worker.ts';

/** A queue that does in a test what it does in the field, without the waiting between. */
export const HURRY: Pace = { sweepMs: 300, offlineGraceS: 1, unreachableMs: 300, retryWait: 0.1, fairMs: 300 };
