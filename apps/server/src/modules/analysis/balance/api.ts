export { findThresholds } from './queries.ts';
