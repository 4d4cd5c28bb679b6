export { findRunningTasks } from './queries.ts';
