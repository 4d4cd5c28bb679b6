export { proveClock } from './operation.ts';
export { storeClock } from './store.ts';
export { readClock } from './read-clock.ts';
