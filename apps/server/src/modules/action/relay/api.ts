export { findGuard } from './queries.ts';
export { spreadItems } from './service.ts';
