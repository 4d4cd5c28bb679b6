import type { AttemptRow, GapFact, StatusEvent, TimelineRow } from '@hes/contract/status/meter-status.ts';
import { lossClassOf } from '@hes/contract/states/bill.ts';
import type { LossFacts } from '@hes/contract/status/meter-status.ts';
import type { AnomalyType } from '@hes/contract/states/anomaly.ts';
import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import { DAYS, lossKwhOf, lossPercentOf } from '#db/loss-percent.ts';
import { findThresholds } from '#features/balance/port.ts';
import { iso, isoOrNull } from '#db/paging.ts';

const ATTEMPTS_SHOWN = 8;
const EVENTS_SHOWN = 20;
const GAPS_SHOWN = 30;
const TIMELINE_SHOWN = 60;

interface Asked {
  meterId: string;
  dcuId: string | null;
  since: Date;
}

/** Attempts that ended since, newest first, alone or in an item shared with other meters of the DCU. */
export async function listAttempts(db: Db, { meterId, dcuId, since }: Asked, kinds: readonly string[]): Promise<AttemptRow[]> {
  const { rows } = await sql<Omit<AttemptRow, 'at'> & { at: Date }>`
    select * from (
      (select finished_at as at, kind, task_id, state, reason_code, reason_text from task_item
        where meter_id = ${meterId} and finished_at > ${since} and kind = any(${[...kinds]}::text[]) order by finished_at desc limit ${ATTEMPTS_SHOWN})
      union all
      (select i.finished_at, i.kind, i.task_id, i.state, i.reason_code, coalesce(i.details -> (array_position(i.meter_ids, ${meterId}::bigint) - 1) ->> 'reasonText', i.reason_text)
        from task_item i where i.dcu_id = ${dcuId}::bigint and i.meter_ids is not null and ${meterId}::bigint = any(i.meter_ids)
          and i.finished_at > ${since} and i.kind = any(${[...kinds]}::text[]) order by i.finished_at desc limit ${ATTEMPTS_SHOWN})
    ) as ended order by at desc limit ${ATTEMPTS_SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, at: iso(row.at) }));
}

/** Ended attempts to communicate with a DCU itself. */
export async function listDcuAttempts(db: Db, dcuId: string, since: Date, kinds: readonly string[]): Promise<AttemptRow[]> {
  const { rows } = await sql<Omit<AttemptRow, 'at'> & { at: Date }>`
    select finished_at as at, kind, task_id, state, reason_code, reason_text from task_item
    where dcu_id = ${dcuId} and device_kind = 'dcu' and finished_at > ${since} and kind = any(${[...kinds]}::text[])
    order by finished_at desc limit ${ATTEMPTS_SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, at: iso(row.at) }));
}

type StoredEvent = Omit<StatusEvent, 'at' | 'recoveredAt'> & { at: Date; recoveredAt: Date | null };

export async function listEventsOf(db: Db, meterId: string, since: Date): Promise<StatusEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select e.id, e.occur_at as at, e.log, e.code, c.name_en, c.name_zh, e.abnormal_level as level, e.direction, e.recovered_at
    from event e left join event_code c on c.log = e.log and c.code = e.code
    where e.meter_id = ${meterId} and e.occur_at > ${since} and e.abnormal_level is not null
    order by e.occur_at desc, e.id desc limit ${EVENTS_SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, at: iso(row.at), recoveredAt: isoOrNull(row.recoveredAt) }));
}

export async function listGapsOf(db: Db, meterId: string, since: Date): Promise<GapFact[]> {
  const { rows } = await sql<Omit<GapFact, 'triedAt' | 'nextTryAt'> & { triedAt: Date | null; nextTryAt: Date }>`
    select id, profile, day::text as day, missing, reason_code, tried_at, attempts, next_try_at, state from reading_gap
    where meter_id = ${meterId} and state in ('open', 'lost') and day >= ${since}::date order by day desc, profile limit ${GAPS_SHOWN}`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, triedAt: isoOrNull(row.triedAt), nextTryAt: iso(row.nextTryAt) }));
}

interface Days {
  from: string;
  to: string;
}

/** Loss of the transformer over the balanced days of a range. */
export async function findLoss(db: Db, transformerId: string, { from, to }: Days): Promise<LossFacts> {
  const { lossPercent: bounds } = await findThresholds(db);
  const { rows } = await sql<Pick<LossFacts, 'supply' | 'loss' | 'missing' | 'lossPercent'>>`
    select sum(supply_kwh)::float8 as supply, sum(missing_kwh)::float8 as missing, ${lossKwhOf(DAYS)} as loss,
      ${lossPercentOf(DAYS)} as loss_percent
    from energy_balance where transformer_id = ${transformerId} and day between ${from} and ${to} and supply_kwh is not null`.execute(db);
  const sums = rows[0] ?? { supply: null, loss: null, missing: null, lossPercent: null };
  return { from, to, ...sums, class: lossClassOf(sums.lossPercent, bounds) };
}

export async function listAnomaliesOf(db: Db, meterId: string, { from, to }: Days) {
  const { rows } = await sql<{ day: string; type: AnomalyType; value: number; reference: number }>`
    select day::text as day, type, value_kwh::float8 as value, reference_kwh::float8 as reference from anomaly
    where meter_id = ${meterId} and day between ${from} and ${to} and state <> 'dismissed' order by day desc`.execute(db);
  return rows;
}

/** Parts of the timeline that the user may see. */
export type Shown = Readonly<Record<'events' | 'relays' | 'topology' | 'clocks' | 'dcus', boolean>>;

/** What happened to a meter and its line since, newest first. */
export async function listTimeline(db: Db, { meterId, dcuId, since }: Asked, sn: string, shown: Shown): Promise<TimelineRow[]> {
  const { rows } = await sql<Omit<TimelineRow, 'at'> & { at: Date }>`
    select at, kind, code, state, name_en, name_zh from (
      (select e.occur_at as at, 'event' as kind, e.log || ':' || e.code as code, null as state, c.name_en, c.name_zh
        from event e left join event_code c on c.log = e.log and c.code = e.code
        where ${shown.events} and e.meter_id = ${meterId} and e.occur_at > ${since} order by e.occur_at desc limit ${TIMELINE_SHOWN})
      union all
      (select created_at, 'relay', operation, state, null, null from relay_command
        where ${shown.relays} and meter_id = ${meterId} and created_at > ${since})
      union all
      (select at, 'network', change, null, before, after from topology_delta
        where ${shown.topology} and dcu_id = ${dcuId}::bigint and sn = ${sn} and at > ${since} order by at desc limit ${TIMELINE_SHOWN})
      union all
      (select at, 'replacement', case when old_meter_id is null then 'first' when new_meter_id = ${meterId} then 'new' else 'old' end, null, null, null from meter_exchange
        where ${meterId} in (old_meter_id, new_meter_id) and at > ${since})
      union all
      (select last_sync_at, 'clock', coalesce(last_sync_method, ''), null, null, null from device_clock
        where ${shown.clocks} and device_kind = 'meter' and device_id = ${meterId} and last_sync_at > ${since})
      union all
      (select identified_at, 'connected', direction, null, null, null from dcu_session
        where ${shown.dcus} and dcu_id = ${dcuId}::bigint and identified_at > ${since} order by opened_at desc limit 20)
      union all
      (select closed_at, 'disconnected', coalesce(close_reason, ''), null, null, null from dcu_session
        where ${shown.dcus} and dcu_id = ${dcuId}::bigint and closed_at > ${since} and identified_at is not null order by opened_at desc limit 20)
    ) as happened order by at desc limit ${TIMELINE_SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, at: iso(row.at) }));
}
