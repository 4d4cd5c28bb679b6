export { deleteLimits, passLimits } from './anomaly/limit-queries.ts';
export { worstAnomaly } from './anomaly/queries.ts';
export { findThresholds } from './balance/queries.ts';
export { listLosses } from './loss/service.ts';
export { arrivalJobs, startAnalysis } from './day/watch.ts';
