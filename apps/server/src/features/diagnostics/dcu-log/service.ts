import { Readable } from 'node:stream';
import type { CaptureLevel, FrameFilters } from '@hes/contract/debug/dcu-log.ts';
import type { FileAnswer } from '@hes/contract/core/file.ts';
import { changedFields, writeAudit } from '#db/audit.ts';
import { capturesSwitched, commitChanges } from '#db/changes.ts';
import { checkRange } from '#features/readings/port.ts';
import { deleteFrames, setFrameNote } from '#field/capture-queries.ts';
import { ApiError, stale } from '#platform/api-error.ts';
import type { Context, User, Who } from '#db/context.ts';
import { placeOrder } from '#tasks/place-order.ts';
import { endCapture, findMetersOf, findVisibleOf, listCaptures, lockFrame, pieceOfFrames, setCapture } from './queries.ts';

const HOUR_MS = 3_600_000;
const PIECE = 1000;

export async function checkDcus(ctx: Context, user: User, ids: readonly string[]): Promise<void> {
  const known = new Set(await findVisibleOf(ctx.db, user, ids));
  const missing = ids.find((id) => !known.has(id));
  if (missing !== undefined) throw new ApiError('DCU_NOT_FOUND', { id: missing });
}

/** Rejects meters of other DCUs, whose frames would never be captured. */
async function checkMeters(ctx: Context, dcuIds: readonly string[], meterIds: readonly string[]): Promise<void> {
  const known = new Set(await findMetersOf(ctx.db, dcuIds, meterIds));
  const missing = meterIds.find((id) => !known.has(id));
  if (missing !== undefined) throw new ApiError('METER_NOT_FOUND', { id: missing });
}

export const checkDays = ({ from, to }: FrameFilters): void => {
  if (from !== undefined && to !== undefined) checkRange({ from, to });
};

export async function switchCapture(
  ctx: Context,
  { user, ip }: Who,
  order: { dcuIds: string[]; level: CaptureLevel; hours: number; direction: 'down' | 'up' | null; meterIds: string[] },
) {
  const { dcuIds, level, hours, direction, meterIds } = order;
  await checkDcus(ctx, user, dcuIds);
  await checkMeters(ctx, dcuIds, meterIds);
  const now = ctx.clock.now();
  return commitChanges(
    ctx,
    async (tx) => {
      if (level === 'off') await endCapture(tx, dcuIds);
      else await setCapture(tx, { dcuIds, level, endsAt: new Date(now + hours * HOUR_MS), direction, meterIds, userId: user.id });
      await writeAudit(
        tx,
        { userId: user.id, action: 'dcu_capture_set', entity: 'dcu', entityId: dcuIds[0] ?? null, detail: order, ip },
        now,
      );
      return { items: await listCaptures(tx, user) };
    },
    () => [capturesSwitched(dcuIds, level)],
  );
}

export async function clearLog(ctx: Context, { user, ip }: Who, dcuId: string): Promise<{ removed: number }> {
  await checkDcus(ctx, user, [dcuId]);
  return ctx.db.transaction().execute(async (tx) => {
    const removed = await deleteFrames(tx, dcuId);
    await writeAudit(
      tx,
      { userId: user.id, action: 'dcu_log_cleared', entity: 'dcu', entityId: dcuId, detail: { removed }, ip },
      ctx.clock.now(),
    );
    return { removed };
  });
}

/** Sets the note of a frame, which is deleted with the frame. */
export async function writeNote(
  ctx: Context,
  { user, ip }: Who,
  { id, note, before }: { id: string; note: string; before: string | null },
): Promise<void> {
  const text = note === '' ? null : note;
  await ctx.db.transaction().execute(async (tx) => {
    const frame = await lockFrame(tx, user, id);
    if (frame === undefined) throw new ApiError('NOT_FOUND');
    if (frame.note !== before) throw stale({ note: frame.note });
    await setFrameNote(tx, id, text);
    const detail = { frame: id, ...changedFields({ note: before }, { note: text }) };
    const entry = { userId: user.id, action: 'dcu_frame_noted', entity: 'dcu', entityId: frame.dcuId, detail, ip } as const;
    await writeAudit(tx, entry, ctx.clock.now());
  });
}

/** Orders the DCU's own log, which is read as its events. */
export async function readOwnLog(ctx: Context, who: Who, order: { dcuId: string; from: string; to: string }): Promise<{ taskId: string }> {
  checkRange(order);
  await checkDcus(ctx, who.user, [order.dcuId]);
  const { dcuId, from, to } = order;
  const items = [{ deviceKind: 'dcu' as const, dcuId, meterId: null }];
  return ctx.db.transaction().execute((tx) => placeOrder(tx, ctx, who, 'events', { params: { logs: ['dcu'], from, to }, items }));
}

/** Streams one JSON object per line, so that memory stays bounded. */
export function framesAsLines(ctx: Context, user: User, filter: FrameFilters): FileAnswer {
  checkDays(filter);
  async function* lines() {
    for (let after = '0'; ;) {
      const frames = await pieceOfFrames(ctx.db, user, filter, ctx.settings.timeZone, after, PIECE);
      for (const frame of frames) yield `${JSON.stringify(frame)}\n`;
      const last = frames.at(-1);
      if (last === undefined || frames.length < PIECE) return;
      after = last.id;
    }
  }
  return { name: `dcu-log-${filter.dcuId}.ndjson`, type: 'application/x-ndjson', content: Readable.from(lines(), { objectMode: false }) };
}
