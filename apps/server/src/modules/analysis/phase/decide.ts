import { VERY_SURE } from '@hes/contract/states/phase.ts';
import { sql } from 'kysely';
import { judgeAgain, lockArchive } from '#db/archive-rows.ts';
import { writeAudit } from '#db/audit.ts';
import { visible } from '#db/scope.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Context, Tx, Who } from '#platform/context.ts';
import { announceDevices } from '#platform/device-changes.ts';
import { findPlace, STATE } from './queries.ts';

const SNS_KEPT = 50;

export type Chosen = { meterIds: readonly string[] } | { transformerId: string };

/** Accepts what is proposed; what is unsure needs somebody who looks at the pole. */
export async function accept(ctx: Context, { user, ip }: Who, chosen: Chosen): Promise<{ accepted: number }> {
  const now = new Date(ctx.clock.now());
  return ctx.db.transaction().execute(async (tx) => {
    if ('transformerId' in chosen) await findPlace(tx, user, chosen.transformerId);
    const which =
      'transformerId' in chosen
        ? sql`r.transformer_id = ${chosen.transformerId} and r.confidence >= ${VERY_SURE}`
        : sql`r.meter_id = any(${[...chosen.meterIds]}::bigint[])`;
    const { rows } = await sql<{ sn: string }>`
      update phase_result r set accepted_at = ${now}, accepted_by = ${user.id} from meter
      where meter.id = r.meter_id and meter.transformer_id = r.transformer_id and ${which} and ${STATE} = 'proposed'
        and ${visible('meter.transformerId', user)} returning meter.sn`.execute(tx);
    if (rows.length === 0) throw new ApiError('NOTHING_TO_DO');
    const detail = { meters: rows.length, sns: rows.slice(0, SNS_KEPT).map((row) => row.sn) };
    const entityId = 'transformerId' in chosen ? chosen.transformerId : null;
    await writeAudit(tx, { userId: user.id, ip, action: 'phase_accepted', entity: 'transformer', entityId, detail }, now.getTime());
    return { accepted: rows.length };
  });
}

interface Accepted {
  id: string;
  sn: string;
  dcuId: string | null;
  dcuSn: string | null;
  before: string;
  after: string;
}

/** Accepted phases become what is recorded. Records of DCUs that know another one are not distributed any more, and wait to be dispatched. */
export async function writeToArchive(ctx: Context, who: Who, meterIds: readonly string[]) {
  const now = new Date(ctx.clock.now());
  const meters = await ctx.db.transaction().execute((tx) => writeInside(tx, who, [...new Set(meterIds)], now));
  const changed = meters.filter((meter) => meter.before !== meter.after);
  announceDevices(
    ctx,
    'meter',
    changed.map((meter) => meter.id),
  );
  const dcus = Map.groupBy(
    changed.filter((meter) => meter.dcuId !== null),
    (meter) => meter.dcuId ?? '',
  );
  return { written: meters.length, dcus: [...dcus].map(([id, some]) => ({ id, sn: some[0]?.dcuSn ?? '', meters: some.length })) };
}

async function writeInside(tx: Tx, { user, ip }: Who, ids: readonly string[], now: Date): Promise<Accepted[]> {
  const dcuIds = await sql<{ dcuId: string }>`
    select distinct meter.dcu_id as "dcuId" from meter where meter.id = any(${[...ids]}::bigint[]) and meter.dcu_id is not null order by 1`.execute(
    tx,
  );
  for (const { dcuId } of dcuIds.rows) await lockArchive(tx, dcuId);
  const { rows } = await sql<Accepted>`
    select meter.id, meter.sn, meter.dcu_id as "dcuId", dcu.sn as "dcuSn", meter.recorded_phase as before, r.final_phase as after
    from phase_result r join meter on meter.id = r.meter_id and meter.transformer_id = r.transformer_id left join dcu on dcu.id = meter.dcu_id
    where r.meter_id = any(${[...ids]}::bigint[]) and ${STATE} = 'accepted' and ${visible('meter.transformerId', user)}
    order by meter.id for update of meter, r`.execute(tx);
  if (rows.length === 0) throw new ApiError('NOTHING_TO_DO');
  await sql`update phase_result set written_at = ${now} where meter_id = any(${rows.map((row) => row.id)}::bigint[])`.execute(tx);
  const changed = rows.filter((row) => row.before !== row.after);
  await sql`
    update meter set recorded_phase = n.phase, updated_at = ${now}, version = version + 1
    from unnest(${changed.map((row) => row.id)}::bigint[], ${changed.map((row) => row.after)}::text[]) as n (id, phase) where meter.id = n.id`.execute(
    tx,
  );
  for (const [dcuId, some] of Map.groupBy(changed, (row) => row.dcuId)) {
    if (dcuId !== null)
      await judgeAgain(
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
