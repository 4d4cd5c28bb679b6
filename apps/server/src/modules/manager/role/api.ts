export { findRoleNames, isAdministrator } from './queries.ts';
export { findGrantable, requireReach } from './reach.ts';
