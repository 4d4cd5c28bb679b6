import type { FileAnswer } from '@hes/contract/core/file.ts';
import { RULES } from '@hes/contract/core/rules.ts';
import type { Locale } from '@hes/contract/core/text.ts';
import type { AuditAction } from '@hes/contract/audit/actions.ts';
import { usualRings, type UpgradeJobRow, type UpgradeOrder } from '@hes/contract/upgrade/job.ts';
import { writeAudit } from '#db/audit.ts';
import { publishUpgrade } from '#features/upgrade/transfer/publish.ts';
import { getFirmware } from '#features/upgrade/firmware/service.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { judgeTargets, readyOf } from './preflight.ts';
import {
  attachItems,
  beginRing,
  countByStatus,
  findFailures,
  findJob,
  acknowledgeFailures,
  insertBroadcasts,
  insertJob,
  insertRecords,
  lockJob,
  ofJob,
  setState,
  stopRecords,
  wakeRecords,
} from './queries.ts';
import { reportOf } from './report.ts';
import { ringCounts } from './rings.ts';

/** An upgrade may run only in nightly windows and take months. */
const EXPIRES_MS = 120 * 86_400_000;
const SHOWN_SNS = 1000;
const REPORTED_FAILURES = 500;

export async function getJob(ctx: Context, user: User, id: string): Promise<UpgradeJobRow> {
  const row = await findJob(ctx, user, id);
  if (row === undefined) throw new ApiError('NOT_FOUND');
  return row;
}

/** Builds the report as a file. The number of listed failures is limited. */
export async function getReport(ctx: Context, user: User, id: string, locale: Locale): Promise<FileAnswer> {
  const job = await getJob(ctx, user, id);
  const [byStatus, failures] = await Promise.all([countByStatus(ctx.db, user, id), findFailures(ctx, user, id, REPORTED_FAILURES)]);
  const content = await reportOf({ job, byStatus, failures, locale, timeZone: ctx.settings.timeZone, now: ctx.clock.now() });
  return { name: `upgrade-${id}.pdf`, type: 'application/pdf', content };
}

const audit = (tx: Tx, { user, ip }: Who, action: AuditAction, id: string, detail: Record<string, unknown>, now: number) =>
  writeAudit(tx, { userId: user.id, action, entity: 'upgrade_job', entityId: id, detail, ip }, now);

/** Starts an upgrade with approved firmware. The preflight check runs in the same transaction. */
export async function startJob(ctx: Context, who: Who, order: UpgradeOrder): Promise<{ jobId: string }> {
  const now = ctx.clock.now();
  if (order.activateAt !== null && Date.parse(order.activateAt) <= now)
    throw new ApiError('VALIDATION', {}, [{ field: 'activateAt', message: RULES.inFuture }]);
  const jobId = await ctx.db.transaction().execute(async (tx) => {
    const firmware = await getFirmware(tx, who.user, order.firmwareId);
    if (firmware.state !== 'approved') throw new ApiError('FIRMWARE_STATE', { name: firmware.name, version: firmware.version });
    const judged = await judgeTargets(tx, who.user, firmware, order.selection);
    const targets = readyOf(judged);
    if (judged.length === 0) throw new ApiError('NO_TARGETS');
    const refused = judged.filter((one) => one.line.isRefused).map((one) => one.line);
    if (targets.length === 0 || (refused.length > 0 && !order.leaveOutRefused))
      throw new ApiError(
        'PREFLIGHT',
        {},
        refused.slice(0, 20).map((line) => ({ field: 'selection', message: line.sn })),
      );
    const sizes = order.rings ?? usualRings(targets.length);
    const rings = ringCounts(targets.length, sizes);
    const id = await insertJob(tx, who.user.id, order, firmware, rings.length, new Date(now));
    const made = await insertRecords(tx, id, firmware, targets, rings);
    // Another upgrade has started with one of the targets since the preflight check.
    if (made !== targets.length) throw new ApiError('PREFLIGHT');
    const broadcasts = await insertBroadcasts(tx, id, firmware);
    await queueDevices(ctx, tx, who, id, {
      title: order.name,
      reason: order.reason,
      now,
      targets: [
        ...targets.map((target) => ({ ...target, isMeter: firmware.targetKind === 'meter' })),
        ...broadcasts.map(({ dcuId }) => ({ id: dcuId, dcuId, isMeter: false })),
      ],
    });
    const { selection: _, ...rest } = order;
    const detail = {
      ...rest,
      rings: sizes,
      firmware: `${firmware.name} ${firmware.version}`,
      sha256: firmware.sha256,
      targets: targets.length,
    };
    await audit(tx, who, 'upgrade_started', id, { ...detail, devices: targets.slice(0, SHOWN_SNS).map((target) => target.sn) }, now);
    return id;
  });
  publishUpgrade(ctx, jobId, []);
  return { jobId };
}

interface Queued {
  title: string;
  reason: string;
  now: number;
  targets: readonly { id: string; dcuId: string | null; isMeter: boolean }[];
}

/** Queues task items for devices of an upgrade; the supervisor releases them. */
export async function queueDevices(ctx: Context, tx: Tx, who: Who, jobId: string, { title, reason, now, targets }: Queued): Promise<void> {
  const items = targets.map(({ id, dcuId, isMeter }) => ({
    deviceKind: isMeter ? ('meter' as const) : ('dcu' as const),
    dcuId: dcuId ?? id,
    meterId: isMeter ? id : null,
  }));
  const { taskId } = await placeOrder(tx, ctx, who, 'upgrade', {
    title,
    params: { jobId },
    reason,
    expiresAt: new Date(now + EXPIRES_MS),
    items,
  });
  await attachItems(tx, jobId, taskId);
}

interface Turn {
  action: AuditAction;
  from: readonly UpgradeJobRow['state'][];
  apply(tx: Tx, id: string, who: Who, now: Date): Promise<unknown>;
}

const TURNS = {
  pause: {
    action: 'upgrade_paused',
    from: ['running', 'waiting_ring'],
    apply: (tx, id, _who, now) => setState(tx, id, 'paused', now),
  },
  resume: {
    action: 'upgrade_resumed',
    from: ['paused', 'halted'],
    async apply(tx, id, _who, now) {
      await acknowledgeFailures(tx, id);
      await setState(tx, id, 'running', now);
      await wakeRecords(tx, id);
    },
  },
  stop: {
    action: 'upgrade_stopped',
    from: ['running', 'waiting_ring', 'paused', 'halted'],
    async apply(tx, id, who, now) {
      await stopRecords(tx, ofJob(id), who.user.id, null);
      await setState(tx, id, 'stopped', now);
    },
  },
  continueRing: {
    action: 'upgrade_ring_continued',
    from: ['waiting_ring', 'running', 'halted'],
    async apply(tx, id) {
      await acknowledgeFailures(tx, id);
      await beginRing(tx, id);
    },
  },
} as const satisfies Record<string, Turn>;

/** Pauses, resumes, stops or continues an upgrade, from the states that allow it, with an audit entry. */
export async function turnJob(ctx: Context, who: Who, id: string, verb: keyof typeof TURNS): Promise<UpgradeJobRow> {
  const turn: Turn = TURNS[verb];
  const now = ctx.clock.now();
  await ctx.db.transaction().execute(async (tx) => {
    const job = await lockJob(tx, who.user, id);
    if (job === undefined) throw new ApiError('NOT_FOUND');
    if (!turn.from.includes(job.state) || (verb === 'continueRing' && job.ring >= job.rings)) throw new ApiError('NOTHING_TO_DO');
    await turn.apply(tx, id, who, new Date(now));
    await audit(tx, who, turn.action, id, { from: job.state, ring: job.ring }, now);
  });
  publishUpgrade(ctx, id, []);
  return getJob(ctx, who.user, id);
}
