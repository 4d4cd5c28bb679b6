export { deleteLoadedRuns, insertLoadedRun, type LoadedItem } from './schedule/loaded-run-queries.ts';
export { watchPlans } from './schedule/plans.ts';
export { watchGaps } from './schedule/refills.ts';
