export { identifyMeters } from './identify.ts';
