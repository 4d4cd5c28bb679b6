import { health } from '@hes/contract/health/health.ts';
import type { BackupState } from '@hes/contract/manager/backup.ts';
import type { ReadinessPart } from '@hes/contract/core/errors.ts';
import type { NodeRole } from '@hes/contract/states/node.ts';
import type { Context } from '#db/context.ts';
import { listMigrations, newestExpansion, type Migration } from '#db/migration.ts';
import { implement } from '#http/implement.ts';
import { ApiError } from '#platform/api-error.ts';
import { processAgeMs } from '#platform/clock.ts';
import { within } from '#platform/within.ts';
import { askDatabase, findNewestMigration } from './queries.ts';

/** A balancer asks every few seconds, so a database that needs longer counts as away. */
const DATABASE_WITHIN_MS = 2_000;

/** Reasons of the database; a schema that is newer than this program does not count. */
async function missingOfDatabase({ db }: Pick<Context, 'db'>, newest: string): Promise<ReadinessPart[]> {
  try {
    const found = await within(findNewestMigration(db), DATABASE_WITHIN_MS, 'late');
    if (found === 'late') return ['database'];
    return found === undefined || found < newest ? ['migrations'] : [];
  } catch {
    return ['database'];
  }
}

export interface Health {
  /** True once every part has started. */
  isReady(): boolean;
  /** Parts of this process that take no work. Absent: none. */
  missingParts?(): ReadinessPart[];
  /** Roles that no head-end on the database has. Absent: none. */
  unfilledRoles?(): NodeRole[];
  /** Migrations of this program. Absent: all. */
  migrations?: readonly Migration[];
  /** How backups stand. Absent: there are none. */
  backups?(): BackupState;
}

function healthOfBackups(state: BackupState | undefined, nowMs: number) {
  if (state?.kind !== 'on') return {};
  const age = (at: string | null) => (at === null ? null : Math.max(0, Math.round((nowMs - Date.parse(at)) / 1000)));
  const { newestAt, verifiedAt, failure, isTooOld } = state;
  return { backup: { newestAgeSeconds: age(newestAt), verifiedAgeSeconds: age(verifiedAt), hasFailed: failure !== null, isTooOld } };
}

export function healthRoutes({
  isReady,
  missingParts = () => [],
  unfilledRoles = () => [],
  migrations = listMigrations(),
  backups,
}: Health) {
  const newest = newestExpansion(migrations);
  return implement(health, {
    get: async ({ ctx }) => {
      if (!isReady()) throw new ApiError('UNAVAILABLE');
      await askDatabase(ctx.db);
      return { status: 'ok' as const, uptimeSeconds: Math.round(processAgeMs() / 1000), ...healthOfBackups(backups?.(), ctx.clock.now()) };
    },
    live: () => ({ status: 'ok' as const }),
    ready: async ({ ctx }) => {
      const reasons = [...(isReady() ? [] : ['starting' as const]), ...missingParts(), ...(await missingOfDatabase(ctx, newest))];
      if (reasons.length === 0)
        return unfilledRoles().length === 0 ? { status: 'ok' as const } : { status: 'ok' as const, unfilledRoles: unfilledRoles() };
      const refusal = new ApiError('NOT_READY');
      refusal.missing = reasons;
      throw refusal;
    },
  });
}
