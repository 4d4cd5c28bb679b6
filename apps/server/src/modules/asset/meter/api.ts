export { findMeter, findMetersForOrder } from './queries.ts';
