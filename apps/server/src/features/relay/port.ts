export { findLimits, renewLimits } from './limit-queries.ts';
export { spreadItems } from './list-queries.ts';
