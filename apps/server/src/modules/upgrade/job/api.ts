export { ofJob, stopRecords } from './queries.ts';
export { queue } from './service.ts';
