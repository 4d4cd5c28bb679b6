export { identifyMeters } from './identify.ts';
export { runScript } from './operation.ts';
