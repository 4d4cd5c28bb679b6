export { orderReading, requireDcu } from './service.ts';
