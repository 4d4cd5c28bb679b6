export { identify } from './identify.ts';
export { runScript } from './operation.ts';
