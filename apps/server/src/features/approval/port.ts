export { holdCall } from './held-call/hold.ts';
