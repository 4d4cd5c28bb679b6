export { findRoleNames } from './queries.ts';
export { findGrantable, requireReach } from './reach.ts';
