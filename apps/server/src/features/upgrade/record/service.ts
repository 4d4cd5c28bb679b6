import type { AuditAction } from '@hes/contract/audit/actions.ts';
import { UPGRADE_ENDS, UPGRADE_FAILURES } from '@hes/contract/states/upgrade.ts';
import type { UpgradeRetry } from '@hes/contract/upgrade/record.ts';
import { writeAudit } from '#db/audit.ts';
import { publishUpgrade } from '#features/upgrade/transfer/publish.ts';
import { findRecordRows } from '#features/upgrade/transfer/row-queries.ts';
import { queueDevices } from '#features/upgrade/job/service.ts';
import { stopRecords } from '#features/upgrade/job/queries.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { byIds, findDetail, findFailed, listLog, reopenRecords, reopenJob, setWindow, lockRecords, type Chosen } from './queries.ts';

export async function getRecord(ctx: Context, user: User, id: string) {
  const detail = await findDetail(ctx.db, user, id);
  const [row] = detail === undefined ? [] : await findRecordRows(ctx.pool, [id]);
  if (detail === undefined || row === undefined) throw new ApiError('NOT_FOUND');
  return { ...row, ...detail };
}

export async function getLog(ctx: Context, user: User, id: string) {
  if ((await findDetail(ctx.db, user, id)) === undefined) throw new ApiError('NOT_FOUND');
  return listLog(ctx.db, id);
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

interface Work {
  action: AuditAction;
  fits(record: Chosen): boolean;
  detail: Record<string, unknown>;
  /** Returns the ids of the changed records. */
  apply(tx: Tx, jobId: string, records: readonly Chosen[]): Promise<readonly string[]>;
}

/** Record ids, or a query that finds them within the transaction. */
type Which = readonly string[] | ((tx: Tx) => Promise<readonly string[]>);

/** Applies an action to the chosen records job by job, with one audit entry each. Records in other states are left unchanged. */
async function applyToRecords(ctx: Context, who: Who, which: Which, work: Work): Promise<{ count: number }> {
  const now = ctx.clock.now();
  const changed = await ctx.db.transaction().execute(async (tx) => {
    const ids = typeof which === 'function' ? await which(tx) : which;
    const records = await lockRecords(tx, who.user, ids);
    if (records.length !== new Set(ids).size) throw new ApiError('NOT_FOUND');
    const done = new Map<string, readonly string[]>();
    for (const [jobId, ofJob] of groupBy(records.filter(work.fits), (record) => record.jobId)) {
      const touched = await work.apply(tx, jobId, ofJob);
      if (touched.length === 0) continue;
      done.set(jobId, touched);
      const detail = { ...work.detail, records: touched.length };
      await writeAudit(tx, { userId: who.user.id, action: work.action, entity: 'upgrade_job', entityId: jobId, detail, ip: who.ip }, now);
    }
    if (done.size === 0) throw new ApiError('NOTHING_TO_DO');
    return done;
  });
  for (const [jobId, touched] of changed) publishUpgrade(ctx, jobId, touched);
  return { count: [...changed.values()].reduce((sum, touched) => sum + touched.length, 0) };
}

export const retryRecords = (ctx: Context, who: Who, { ids, jobId = '0', from, window }: UpgradeRetry) =>
  applyToRecords(ctx, who, ids ?? ((tx) => findFailed(tx, who.user, jobId)), {
    action: 'upgrade_retried',
    fits: (record) => UPGRADE_FAILURES.includes(record.status),
    detail: { from, ...(window === undefined ? {} : { window }) },
    async apply(tx, ofJob, records) {
      const opened = new Set(
        await reopenRecords(
          tx,
          who.user.id,
          records.map((record) => record.id),
          from === 'start',
        ),
      );
      const again = records.filter((record) => opened.has(record.id));
      const first = again[0];
      if (first === undefined) return [];
      await reopenJob(tx, ofJob);
      if (window !== undefined) await setWindow(tx, ofJob, window);
      const targets = again.map(({ deviceId, dcuId, deviceKind }) => ({ id: deviceId, dcuId, isMeter: deviceKind === 'meter' }));
      await queueDevices(ctx, tx, who, ofJob, { title: first.jobName, reason: '', now: ctx.clock.now(), targets });
      return [...opened];
    },
  });

export const skipRecords = (ctx: Context, who: Who, ids: readonly string[], reason: string) =>
  applyToRecords(ctx, who, ids, {
    action: 'upgrade_skipped',
    fits: (record) => record.status === 'idle',
    detail: { reason },
    apply: (tx, _jobId, records) => stopRecords(tx, byIds(records.map((record) => record.id)), who.user.id, reason),
  });

export const stopChosen = (ctx: Context, who: Who, ids: readonly string[], reason: string) =>
  applyToRecords(ctx, who, ids, {
    action: 'upgrade_stopped',
    fits: (record) => !UPGRADE_ENDS.includes(record.status),
    detail: { reason },
    apply: (tx, _jobId, records) => stopRecords(tx, byIds(records.map((record) => record.id)), who.user.id, reason),
  });
