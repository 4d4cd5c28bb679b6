export { isFixed } from './fixed.ts';
export { listModules } from './queries.ts';
