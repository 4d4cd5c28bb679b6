export { revokeOtherSessions } from './queries.ts';
export { announceSessionEnd } from './service.ts';
