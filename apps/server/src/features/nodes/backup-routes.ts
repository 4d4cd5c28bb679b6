import { backup, type BackupState } from '@hes/contract/manager/backup.ts';
import { implement } from '#http/implement.ts';

/** State for a database that is not the built-in one, and for tests. */
export const EXTERNAL_BACKUP: BackupState = {
  kind: 'external',
  folder: null,
  newestAt: null,
  verifiedAt: null,
  failure: null,
  archiveFailedSince: null,
  isTooOld: false,
};

export const routesOfBackups = (stateOf: () => BackupState) => implement(backup, { get: () => stateOf() });
