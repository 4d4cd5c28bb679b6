export { revokeSessions } from './queries.ts';
export { announceSessionEnd } from './service.ts';
