import { tryLockInTransaction } from '#db/advisory-locks.ts';
import { writeAudit } from '#db/audit.ts';
import { publishUpgrade } from '#features/upgrade/transfer/publish.ts';
import { isOpen } from '#features/upgrade/transfer/window.ts';
import { LONG_AGO, monotonicNow, msSince } from '#platform/clock.ts';
import type { Context, Tx } from '#db/context.ts';
import { startPeriodicJob, type PeriodicJob } from '#platform/periodic-job.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { beginRing } from './queries.ts';
import {
  endSilent,
  findRunning,
  finishJob,
  haltJob,
  hasOpenJobs,
  markRingDone,
  readSuccess,
  releaseDevices,
  waitForHand,
  type RingView,
} from './supervise-queries.ts';

const TICK_MS = 1_000;
const MINUTE_MS = 60_000;
/** The query reads a day of work of every upgraded meter, and the rate changes slowly. */
const READS_EVERY_MS = 30_000;

type SupervisorContext = Pick<Context, 'db' | 'pool' | 'bus' | 'clock' | 'log' | 'settings'>;

const percentOf = (count: number, of: number): number => Math.round((1000 * count) / Math.max(of, 1)) / 10;

/** Returns the cause for a halt, judged by all devices of the rings so far and not only by the first that ended. */
async function findHaltCause(tx: Tx, view: RingView, areReadsDue: boolean) {
  const { failures, silent, targets, haltRule } = view;
  const failed = { count: failures, of: targets, percent: percentOf(failures, targets), limit: haltRule.failPercent };
  if (failures > 0 && failed.percent > failed.limit) return { cause: 'failures' as const, detail: failed };
  const quiet = { count: silent, of: targets, percent: percentOf(silent, targets), limit: haltRule.silentPercent };
  if (silent > 0 && quiet.percent > quiet.limit) return { cause: 'silence' as const, detail: quiet };
  const read = view.readDropForgiven || !areReadsDue ? undefined : await readSuccess(tx, view.id);
  const drop = read === undefined ? 0 : Math.round((read.before - read.after) * 10) / 10;
  if (read === undefined || drop <= haltRule.readDropPercent) return undefined;
  return {
    cause: 'read_success' as const,
    detail: { count: Math.round(read.after), of: Math.round(read.before), percent: drop, limit: haltRule.readDropPercent },
  };
}

/** Halts an upgrade, ends its ring, begins the next ring or releases devices. Returns whether anything changed. */
async function superviseJob(ctx: SupervisorContext, tx: Tx, view: RingView, areReadsDue: boolean): Promise<boolean> {
  const now = ctx.clock.now();
  // A ring ends only after reading success was judged.
  const trouble = await findHaltCause(tx, view, areReadsDue || view.done === view.targets);
  if (trouble !== undefined) {
    await haltJob(tx, view.id, trouble.cause, trouble.detail);
    const entry = { userId: null, action: 'upgrade_halted', entity: 'upgrade_job', entityId: view.id } as const;
    await writeAudit(tx, { ...entry, detail: { cause: trouble.cause, ...trouble.detail } }, now);
    return true;
  }
  if (view.done === view.targets) return endRing(tx, view, now);
  if (!isOpen(view.window, now, new Zone(ctx.settings.timeZone))) return false;
  return (await releaseDevices(tx, view)) > 0;
}

async function endRing(tx: Tx, view: RingView, now: number): Promise<boolean> {
  if (view.ring >= view.rings) {
    await finishJob(tx, view.id, new Date(now));
    return true;
  }
  if (view.ringDoneAt === null) await markRingDone(tx, view.id, new Date(now));
  if (now - (view.ringDoneAt?.getTime() ?? now) < view.watchMinutes * MINUTE_MS) return view.ringDoneAt === null;
  await (view.continueBy === 'itself' ? beginRing(tx, view.id) : waitForHand(tx, view.id));
  return true;
}

async function look(ctx: SupervisorContext, areReadsDue: boolean): Promise<void> {
  if (!(await hasOpenJobs(ctx.db))) return;
  const changed = await ctx.db.transaction().execute(async (tx) => {
    const told: { jobId: string; records: string[] }[] = [];
    if (!(await tryLockInTransaction(tx, 'upgradeSupervision'))) return told;
    for (const view of await findRunning(tx)) {
      const records = await endSilent(tx, view.id);
      if ((await superviseJob(ctx, tx, view, areReadsDue)) || records.length > 0) told.push({ jobId: view.id, records });
    }
    return told;
  });
  for (const { jobId, records } of changed) publishUpgrade(ctx, jobId, records);
}

/** Starts the periodic job that supervises running upgrades. */
export function startSupervisor(ctx: SupervisorContext): PeriodicJob {
  let readsJudgedAt = LONG_AGO;
  const lookNow = (): Promise<void> => {
    const areReadsDue = msSince(readsJudgedAt) > READS_EVERY_MS;
    if (areReadsDue) readsJudgedAt = monotonicNow();
    return look(ctx, areReadsDue);
  };
  return startPeriodicJob(TICK_MS, lookNow, (error) => ctx.log.warn('Upgrades could not be supervised', { error }));
}
