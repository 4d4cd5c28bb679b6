export { proveClock } from './operation.ts';
export { readClock } from './read-clock.ts';
