export { endCutOff } from './calculate-queries.ts';
