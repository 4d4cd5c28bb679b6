export { worstAnomaly } from './anomaly/queries.ts';
export { arrivalJobs, startAnalysis } from './day/watch.ts';
