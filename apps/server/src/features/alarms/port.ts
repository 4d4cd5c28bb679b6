export { deleteOldAlarms } from './alarm-queries.ts';
export { startAlarms } from './engine.ts';
