export { refuseWhileStopped, requireGuard } from './guard/act.ts';
export { strengthenRecoveryCodes } from './second-factor/recovery.ts';
export { addStaff, removeStaff, type AddedStaff } from './staff/staff.ts';
export { revokeSession, revokeSessions } from './token/queries.ts';
export { lastEmergency } from './emergency/local-sign-in.ts';
