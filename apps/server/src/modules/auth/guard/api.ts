export { requireGuard } from './act.ts';
