export { pricesAt, type Prices } from './queries.ts';
