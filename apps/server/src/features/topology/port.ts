export { watchTopologies } from './poll.ts';
export { historyOf, orderReading, requireDcu } from './service.ts';
