import { VERY_SURE } from '@hes/contract/states/phase.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Db, Tx, User } from '#db/context.ts';
import { STATE } from './queries.ts';

export type Chosen = { meterIds: readonly string[] } | { transformerId: string };

/** Accepts proposed phases. Returns the serial numbers of their meters. */
export async function acceptProposed(tx: Tx, user: User, chosen: Chosen, now: Date): Promise<string[]> {
  const which =
    'transformerId' in chosen
      ? sql`r.transformer_id = ${chosen.transformerId} and r.confidence >= ${VERY_SURE}`
      : sql`r.meter_id = any(${[...chosen.meterIds]}::bigint[])`;
  const { rows } = await sql<{ sn: string }>`
    update phase_result r set accepted_at = ${now}, accepted_by = ${user.id} from meter
    where meter.id = r.meter_id and meter.transformer_id = r.transformer_id and ${which} and ${STATE} = 'proposed'
      and ${visible('meter.transformerId', user)} returning meter.sn`.execute(tx);
  return rows.map((row) => row.sn);
}

/** DCUs of meters in the order of ids, which prevents deadlocks. */
export async function findDcus(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ dcuId: string }>`
    select distinct meter.dcu_id as "dcuId" from meter where meter.id = any(${[...ids]}::bigint[]) and meter.dcu_id is not null order by 1`.execute(
    tx,
  );
  return rows.map((row) => row.dcuId);
}

export interface Accepted {
  id: string;
  sn: string;
  dcuId: string | null;
  dcuSn: string | null;
  before: string;
  after: string;
}

/** Accepted phases of these meters, locked until the transaction ends. */
export async function lockAccepted(tx: Tx, user: User, ids: readonly string[]): Promise<Accepted[]> {
  const { rows } = await sql<Accepted>`
    select meter.id, meter.sn, meter.dcu_id as "dcuId", dcu.sn as "dcuSn", meter.recorded_phase as before, r.final_phase as after
    from phase_result r join meter on meter.id = r.meter_id and meter.transformer_id = r.transformer_id left join dcu on dcu.id = meter.dcu_id
    where r.meter_id = any(${[...ids]}::bigint[]) and ${STATE} = 'accepted' and ${visible('meter.transformerId', user)}
    order by meter.id for update of meter, r`.execute(tx);
  return rows;
}

export interface Unsent {
  recordId: string;
  dcuId: string;
  dcuSn: string;
}

/** Archive records of meters whose phase is written but not distributed to their DCU. */
export async function findUnsent(db: Db, user: User, ids: readonly string[]): Promise<Unsent[]> {
  const { rows } = await sql<Unsent>`
    select a.id as "recordId", dcu.id as "dcuId", dcu.sn as "dcuSn"
    from phase_result r join meter on meter.id = r.meter_id and meter.transformer_id = r.transformer_id
    join archive_record a on a.meter_id = meter.id and a.dcu_id = meter.dcu_id and a.bind_state = 'bound' and a.dispatch_state = 'not_distributed'
    join dcu on dcu.id = a.dcu_id
    where r.meter_id = any(${[...ids]}::bigint[]) and ${STATE} = 'written' and ${visible('meter.transformerId', user)}
    order by dcu.id, a.id`.execute(db);
  return rows;
}

export const markWritten = (tx: Tx, ids: string[], now: Date) =>
  sql`update phase_result set written_at = ${now} where meter_id = any(${ids}::bigint[])`.execute(tx);
