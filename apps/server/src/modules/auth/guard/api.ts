export { refuseWhileStopped, requireGuard } from './act.ts';
