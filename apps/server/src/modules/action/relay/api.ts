export { findGuard, spreadItems } from './queries.ts';
