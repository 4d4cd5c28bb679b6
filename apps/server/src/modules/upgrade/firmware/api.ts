export { getFirmware } from './service.ts';
