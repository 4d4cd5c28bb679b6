export { revokeSession, revokeSessions } from './queries.ts';
export { announceSessionEnd } from './session-end.ts';
