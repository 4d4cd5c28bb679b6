export { watchPlans } from './schedule/plans.ts';
export { watchGaps } from './schedule/refills.ts';
