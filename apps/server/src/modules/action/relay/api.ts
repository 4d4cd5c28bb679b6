export { spreadItems } from './queries.ts';
