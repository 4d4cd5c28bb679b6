export { readParameter, writeParameter } from './wire.ts';
