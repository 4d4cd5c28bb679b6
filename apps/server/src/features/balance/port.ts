export { worstAnomaly } from './anomaly/queries.ts';
export { startAnalysis } from './day/watch.ts';
