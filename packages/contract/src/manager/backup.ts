import { z } from 'zod';
import { instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** How the backups of the built-in database stand. */
export const backupState = z.object({
  /** `external`: the database is not built in. `off`: HES_BACKUP_FOLDER is empty. */
  kind: z.enum(['on', 'off', 'external']),
  folder: z.string().nullable(),
  /** End of the newest backup. */
  newestAt: instant.nullable(),
  /** End of the newest backup that was restored and started for a test. */
  verifiedAt: instant.nullable(),
  /** Why the last backup failed; null: it did not. */
  failure: z.string().nullable(),
  /** Since when no WAL is archived; null: it is. */
  archiveFailedSince: instant.nullable(),
  /** Whether the newest verified backup is older than three intervals of the schedule, or than a week without one. */
  isTooOld: z.boolean(),
});
export type BackupState = z.infer<typeof backupState>;

export const backup = {
  get: route({
    method: 'GET',
    path: '/manager/node/backup',
    summary: 'How old the newest and the newest verified backup of the built-in database are',
    allow: { page: PAGE_PATH.nodes, action: 'view' },
    response: backupState,
  }),
};
