import { MAX_RANGE_DAYS } from '@hes/contract/core/page.ts';
import type { EventCode, EventFilters, EventRow, MuteRow } from '@hes/contract/event/event.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { checkRange } from '#features/readings/port.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { dayNumberOf, Zone } from '@hes/contract/schedule/zone.ts';
import { applyCode, deleteMute, findCode, listMutes, setMuted, storeCode, upsertMute } from './code-queries.ts';
import { acknowledgeEvents, type EventSearch, findEvent, updateNote } from './queries.ts';

/** Converts local days to instants. Without days the range is the last 31 days, including tomorrow for clocks that are ahead. */
export function searchOf<F extends EventFilters>(ctx: Context, filters: F): Omit<F, 'from' | 'to'> & EventSearch {
  const { from, to } = filters;
  const zone = new Zone(ctx.settings.timeZone);
  const today = zone.dayOf(ctx.clock.now());
  if (from !== undefined && to !== undefined) checkRange({ from, to });
  // An incident has few members, so its events need no time range.
  if (filters.incidentId !== undefined && from === undefined) return { ...filters, from: undefined, to: undefined };
  const last = to === undefined ? (from === undefined ? today + 1 : dayNumberOf(from) + MAX_RANGE_DAYS - 1) : dayNumberOf(to);
  const first = from === undefined ? last - MAX_RANGE_DAYS + 1 : dayNumberOf(from);
  return { ...filters, from: new Date(zone.startOf(first)), to: new Date(zone.startOf(last + 1)) };
}

export async function getEvent(ctx: Context, user: User, id: string): Promise<EventRow> {
  const found = await findEvent(ctx.db, user, id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return found;
}

/** Acknowledges the unacknowledged events in the caller's area. */
export async function acknowledgeSelection(
  ctx: Context,
  { user, ip }: Who,
  { ids, incidentIds }: { ids: readonly string[]; incidentIds: readonly string[] },
): Promise<{ acknowledged: number }> {
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const done = await acknowledgeEvents(tx, user, { ids, incidentIds, at: new Date(now) });
    if (done.length === 0) throw new ApiError('NOTHING_TO_DO');
    const [first] = done;
    const detail = { ids: done.map((row) => row.id), incidentIds };
    const entityId = done.length === 1 && first !== undefined ? first.id : null;
    await writeAudit(tx, { userId: user.id, action: 'event_acknowledged', entity: 'event', entityId, detail, ip }, now);
    return { acknowledged: done.length };
  });
}

export async function writeNote(
  ctx: Context,
  { user, ip }: Who,
  { id, note, version }: { id: string; note: string; version: number },
): Promise<EventRow> {
  const before = await getEvent(ctx, user, id);
  const text = note === '' ? null : note;
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await updateNote(tx, { id, note: text, version }))) throw stale(await getEvent({ ...ctx, db: tx }, user, id));
    const detail = changedFields({ note: before.note }, { note: text });
    await writeAudit(tx, { userId: user.id, action: 'event_noted', entity: 'event', entityId: id, detail, ip }, ctx.clock.now());
  });
  return getEvent(ctx, user, id);
}

/** Mutes a code of a device: its events are stored without notification, including those not acknowledged yet. */
export async function muteCode(
  ctx: Context,
  { user, ip }: Who,
  { eventId, until, reason }: { eventId: string; until: string; reason: string },
): Promise<MuteRow> {
  const { deviceKind, meterId, dcuId, log, code } = await getEvent(ctx, user, eventId);
  const deviceId = meterId ?? dcuId;
  // Events of the HES itself cannot be muted.
  if (deviceKind === 'head_end' || deviceId === null) throw new ApiError('NOTHING_TO_DO');
  const now = ctx.clock.now();
  const id = await ctx.db.transaction().execute(async (tx) => {
    const values = { deviceKind, deviceId, log, code, until: new Date(until), reason, mutedBy: user.id };
    const muteId = await upsertMute(tx, values);
    await setMuted(tx, { deviceKind, deviceId, log, code }, true);
    await writeAudit(
      tx,
      { userId: user.id, action: 'event_muted', entity: 'event', entityId: eventId, detail: { log, code, until, reason }, ip },
      now,
    );
    return muteId;
  });
  return getMute(ctx, user, id);
}

async function getMute(ctx: Context, user: User, id: string): Promise<MuteRow> {
  const found = (await listMutes(ctx.db, user)).find((row) => row.id === id);
  if (found === undefined) throw new ApiError('NOT_FOUND');
  return found;
}

export async function unmuteCode(ctx: Context, { user, ip }: Who, id: string): Promise<void> {
  const found = await getMute(ctx, user, id);
  const { log, code, deviceSn } = found;
  await ctx.db.transaction().execute(async (tx) => {
    await deleteMute(tx, id);
    await setMuted(tx, found, false);
    const detail = { log, code, deviceSn };
    await writeAudit(tx, { userId: user.id, action: 'event_unmuted', entity: 'event', entityId: null, detail, ip }, ctx.clock.now());
  });
}

export async function saveCode(ctx: Context, { user, ip }: Who, wanted: EventCode): Promise<EventCode> {
  const { log, code, pairCode, version } = wanted;
  const before = await findCode(ctx.db, log, code);
  if (version === 0 && before !== undefined) throw new ApiError('DUPLICATE', { field: 'code', value: String(code) });
  if (pairCode !== null && (await findCode(ctx.db, log, pairCode)) === undefined) throw new ApiError('UNKNOWN_REFERENCE');
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await storeCode(tx, wanted))) {
      const current = await findCode(tx, log, code);
      throw current === undefined ? new ApiError('NOT_FOUND') : stale(current);
    }
    await applyCode(tx, wanted);
    const detail = changedFields({ ...before }, { ...wanted, version: version + 1 });
    const entry = { userId: user.id, action: 'event_code_saved', entity: 'event_code', entityId: `${log}:${code}`, detail, ip } as const;
    await writeAudit(tx, entry, ctx.clock.now());
  });
  return { ...wanted, version: version + 1 };
}
