export { CONSUMPTION_COLUMNS } from './bill/consumption-columns.ts';
