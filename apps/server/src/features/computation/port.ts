export { addComputation, runComputation, type Progress } from './computation.ts';
export { endCutOff, findRunning } from './queries.ts';
