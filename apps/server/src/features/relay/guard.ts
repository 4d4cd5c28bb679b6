import { relay, type RelayLimitStatus, type RelayLimits } from '@hes/contract/action/relay.ts';
import { LOOSENING_HOURS, isSoloHour } from '@hes/contract/action/relay-rules.ts';
import { commitChanges, noticeOf } from '#db/changes.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { writeCommands } from '#db/command-log.ts';
import { hasHolder, requireIndependentApprover } from '#db/right-holders.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Who } from '#db/context.ts';
import { findLimits, insertApproval, insertLimits, limitsOf } from './limit-queries.ts';
import { findLimitStatus, findStopper, findSupplies, insertStop, releaseStop, setProtection } from './list-queries.ts';

const HOUR_MS = 3_600_000;
const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** Whether the new limits allow more switching, or with fewer approvals. */
const isLooser = (before: RelayLimits, after: RelayLimits): boolean =>
  after.maxMetersPerHour > before.maxMetersPerHour ||
  after.maxKwPerHour > before.maxKwPerHour ||
  after.maxMetersPerDay > before.maxMetersPerDay ||
  HOURS.some((hour) => isSoloHour(after, hour) && !isSoloHour(before, hour)) ||
  after.soloLimitPerHour > before.soloLimitPerHour ||
  after.spreadS < before.spreadS;

/**
 * Tighter limits apply at once. Looser ones need approval and a day, during which all users see them as pending. Limits that were
 * in force within the last day need approval only, so that an unintended tightening can be undone.
 */
export async function changeLimits(ctx: Context, { user, ip }: Who, limits: RelayLimits): Promise<RelayLimitStatus> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const { inForce: before, recent } = await findLimits(tx, ctx.secrets);
      const needsSecond = isLooser(before, limits);
      const waits = recent.every((line) => isLooser(line, limits));
      await insertLimits(tx, ctx.secrets, limits, { inHours: waits ? LOOSENING_HOURS : 0, needsSecond, changedBy: user.id });
      const detail = {
        ...changedFields({ ...before }, { ...limits }),
        inForce: waits ? new Date(now + LOOSENING_HOURS * HOUR_MS).toISOString() : 'now',
      };
      await writeAudit(tx, { userId: user.id, action: 'relay_limits_changed', entity: 'relay', entityId: null, detail, ip }, now);
    },
    () => [noticeOf('settings')],
  );
  return findLimitStatus(ctx);
}

/** Approves looser limits on behalf of a second user, never of the one who requested them. */
export async function approveLimits(ctx: Context, { user, ip }: Who, id: string): Promise<RelayLimitStatus> {
  const now = ctx.clock.now();
  await commitChanges(
    ctx,
    async (tx) => {
      const { pending } = await findLimits(tx, ctx.secrets);
      if (pending?.id !== id || pending.isApproved) throw new ApiError('NOTHING_TO_DO');
      const requester = { userId: pending.changedBy ?? '0', right: relay.changeLimits.allow };
      await requireIndependentApprover(tx, requester, { userId: user.id, right: relay.approveLimits.allow });
      if (!(await insertApproval(tx, ctx.secrets, { id, changedBy: pending.changedBy, givenBy: user.id })))
        throw new ApiError('NOTHING_TO_DO');
      const detail = { ...limitsOf(pending), changedBy: pending.changedBy };
      await writeAudit(tx, { userId: user.id, action: 'relay_limits_confirmed', entity: 'relay', entityId: id, detail, ip }, now);
    },
    () => [noticeOf('settings')],
  );
  return findLimitStatus(ctx);
}

export async function stopSwitching(ctx: Context, { user, ip }: Who, reason: string): Promise<RelayLimitStatus> {
  await commitChanges(
    ctx,
    async (tx) => {
      if (!(await insertStop(tx, user.id, reason))) return;
      const entry = { action: 'relay_stopped', entity: 'relay', entityId: null, detail: { reason }, ip } as const;
      await writeAudit(tx, { userId: user.id, ...entry }, ctx.clock.now());
    },
    () => [noticeOf('settings')],
  );
  return findLimitStatus(ctx);
}

/** Releases an emergency stop. A user other than the one who stopped must do it, if another one holds the right. */
export async function releaseSwitching(ctx: Context, { user, ip }: Who, reason: string): Promise<RelayLimitStatus> {
  await commitChanges(
    ctx,
    async (tx) => {
      if ((await findStopper(tx)) === user.id && (await hasHolder(tx, relay.release.allow, user.id))) throw new ApiError('SAME_USER');
      if (!(await releaseStop(tx, user.id))) return;
      const entry = { action: 'relay_released', entity: 'relay', entityId: null, detail: { reason }, ip } as const;
      await writeAudit(tx, { userId: user.id, ...entry }, ctx.clock.now());
    },
    () => [noticeOf('settings')],
  );
  return findLimitStatus(ctx);
}

/** Protects supplies, such as hospitals, from disconnection, or removes the protection. */
export async function protectSupplies(
  ctx: Context,
  { user, ip }: Who,
  change: { meterIds: readonly string[]; isProtected: boolean; reason: string },
): Promise<{ changed: number }> {
  const { isProtected, reason } = change;
  const unique = [...new Set(change.meterIds)];
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const supplies = await findSupplies(tx, user, unique);
    const known = new Set(supplies.map(({ id }) => id));
    const missing = unique.find((id) => !known.has(id));
    if (missing !== undefined) throw new ApiError('METER_NOT_FOUND', { id: missing });
    const changed = supplies.filter((supply) => supply.isProtected !== isProtected);
    if (changed.length === 0) return { changed: 0 };
    await setProtection(
      tx,
      changed.map(({ id }) => id),
      isProtected,
    );
    const action = isProtected ? ('supply_protected' as const) : ('supply_unprotected' as const);
    const detail = { reason, meters: changed.map(({ sn }) => sn) };
    await writeAudit(
      tx,
      { userId: user.id, action, entity: 'meter', entityId: changed.length === 1 ? (changed[0]?.id ?? null) : null, detail, ip },
      now,
    );
    const commands = changed.map(({ id }) => ({
      userId: user.id,
      kind: action,
      deviceKind: 'meter' as const,
      deviceId: id,
      reason,
      result: 'ok',
      taskId: null,
    }));
    await writeCommands(tx, commands, now);
    return { changed: changed.length };
  });
}
