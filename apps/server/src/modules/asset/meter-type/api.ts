export { listUnsupported } from './unsupported-queries.ts';
