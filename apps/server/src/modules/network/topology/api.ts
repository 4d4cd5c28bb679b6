export { historyOf, orderReading, requireDcu } from './service.ts';
