import type { Pace } from '../../src/tasks/worker.ts';

/** Queue options without delays. */
export const HURRY: Pace = { maintenanceMs: 300, offlineGraceS: 1, unreachableMs: 300, retryWait: 0.1, fairMs: 300 };
