export { CONSUMPTION_COLUMNS } from './consumption-columns.ts';
