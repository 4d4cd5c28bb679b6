export { billComputation } from './bill/calculate.ts';
export { CONSUMPTION_COLUMNS } from './bill/consumption-columns.ts';
