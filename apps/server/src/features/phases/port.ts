export { phaseComputation } from './identify.ts';
