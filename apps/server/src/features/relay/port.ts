export { findLimits, renewLimits } from './limits.ts';
export { spreadItems } from './list-queries.ts';
