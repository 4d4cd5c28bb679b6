export { holdCall } from './hold.ts';
