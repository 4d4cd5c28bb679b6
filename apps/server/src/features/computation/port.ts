export { addComputation, computationJobs, type Computation, type Progress } from './computation.ts';
export { findRunning } from './queries.ts';
