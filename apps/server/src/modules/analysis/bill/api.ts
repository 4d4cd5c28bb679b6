export { endCutOff } from './calculate.ts';
