import { commitChanges, devicesChanged } from '#db/changes.ts';
import { lockDcuInTransaction } from '#db/advisory-locks.ts';
import { rejudgeRecords } from '#features/archive/port.ts';
import { writeAudit } from '#db/audit.ts';
import { recordPhases } from '#features/assets/port.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, Who } from '#db/context.ts';
import { acceptProposed, findDcus, lockAccepted, markWritten, type Accepted, type Chosen } from './decide-queries.ts';
import { findPlace } from './queries.ts';

const SNS_KEPT = 50;

/** Accepts proposed phases. Uncertain phases require an inspection in the field. */
export async function accept(ctx: Context, { user, ip }: Who, chosen: Chosen): Promise<{ accepted: number }> {
  const now = new Date(ctx.clock.now());
  return ctx.db.transaction().execute(async (tx) => {
    if ('transformerId' in chosen) await findPlace(tx, user, chosen.transformerId);
    const sns = await acceptProposed(tx, user, chosen, now);
    if (sns.length === 0) throw new ApiError('NOTHING_TO_DO');
    const detail = { meters: sns.length, sns: sns.slice(0, SNS_KEPT) };
    const entityId = 'transformerId' in chosen ? chosen.transformerId : null;
    await writeAudit(tx, { userId: user.id, ip, action: 'phase_accepted', entity: 'transformer', entityId, detail }, now.getTime());
    return { accepted: sns.length };
  });
}

/** Makes accepted phases the recorded ones. Archive records with another phase become "not distributed" and wait for dispatch. */
export async function writeToArchive(ctx: Context, who: Who, meterIds: readonly string[]) {
  const now = new Date(ctx.clock.now());
  const { meters, changed } = await commitChanges(
    ctx,
    async (tx) => {
      const written = await writeInside(tx, who, [...new Set(meterIds)], now);
      return { meters: written, changed: written.filter((meter) => meter.before !== meter.after) };
    },
    (done) => [
      devicesChanged(
        'meter',
        done.changed.map((meter) => meter.id),
      ),
    ],
  );
  const dcus = Map.groupBy(
    changed.filter((meter) => meter.dcuId !== null),
    (meter) => meter.dcuId ?? '',
  );
  return { written: meters.length, dcus: [...dcus].map(([id, some]) => ({ id, sn: some[0]?.dcuSn ?? '', meters: some.length })) };
}

async function writeInside(tx: Tx, { user, ip }: Who, ids: readonly string[], now: Date): Promise<Accepted[]> {
  for (const dcuId of await findDcus(tx, ids)) await lockDcuInTransaction(tx, 'archive', dcuId);
  const rows = await lockAccepted(tx, user, ids);
  if (rows.length === 0) throw new ApiError('NOTHING_TO_DO');
  await markWritten(
    tx,
    rows.map((row) => row.id),
    now,
  );
  const changed = rows.filter((row) => row.before !== row.after);
  await recordPhases(tx, changed, now);
  for (const [dcuId, some] of Map.groupBy(changed, (row) => row.dcuId)) {
    if (dcuId !== null)
      await rejudgeRecords(
        tx,
        dcuId,
        some.map((row) => row.sn),
      );
    const detail = {
      meters: some.length,
      phases: Object.fromEntries(some.slice(0, SNS_KEPT).map((row) => [row.sn, `${row.before} → ${row.after}`])),
    };
    await writeAudit(tx, { userId: user.id, ip, action: 'phase_written', entity: 'archive', entityId: dcuId, detail }, now.getTime());
  }
  return rows;
}
