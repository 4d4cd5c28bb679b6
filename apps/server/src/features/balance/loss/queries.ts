import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { localDays } from '#db/local-day.ts';
import { holderOf, visible } from '#db/scope.ts';

export interface LossEvidence {
  unmeteredDevices: number;
  suspectedMeters: number;
  suspectedKwh: number;
  fraudMeters: number | null;
}

interface Range {
  from: string;
  to: string;
  zone: string;
}

const NONE: LossEvidence = { unmeteredDevices: 0, suspectedMeters: 0, suspectedKwh: 0, fraudMeters: null };

/** Found longer ago, a device may have left the network. */
const FOUND_WITHIN_DAYS = 30;

/** Evidence for losses by transformer. The transformers are those of a page, which are in the user's area. */
export async function findEvidence(
  db: Db,
  user: User,
  ids: readonly string[],
  { from, to, zone }: Range,
): Promise<(id: string) => LossEvidence> {
  if (ids.length === 0) return () => NONE;
  const { begins, ends } = localDays({ from, to }, zone);
  const viewer = holderOf(user, PAGE_PATH.events, 'view');
  const fraud =
    viewer === undefined
      ? sql`null::int`
      : sql`(select count(distinct e.meter_id)::int from event e join meter on meter.id = e.meter_id
          where meter.transformer_id = t.id and ${visible('meter.transformerId', viewer)} and e.log = 'fraud' and e.abnormal_level is not null
            and e.occur_at >= ${begins} and e.occur_at < ${ends})`;
  const { rows } = await sql<LossEvidence & { id: string }>`
    select t.id, ${fraud} as fraud_meters, coalesce(a.meters, 0) as suspected_meters, coalesce(a.kwh, 0)::float8 as suspected_kwh,
      (select count(*)::int from meter m where m.transformer_id = t.id and m.inventory_state = 'installed' and not m.is_master)
      + (select count(distinct f.sn)::int from dcu d join discovered_meter f on f.dcu_id = d.id
          where d.transformer_id = t.id and f.last_seen > now() - make_interval(days => ${FOUND_WITHIN_DAYS})
            and (f.ignored_until is null or f.ignored_until < now()) and not exists (select from meter m where m.sn = f.sn)) as unmetered_devices
    from unnest(${[...ids]}::bigint[]) as t (id)
    left join lateral (
      select count(distinct a.meter_id)::int as meters,
        sum(case a.type when 'reverse_electricity' then a.value_kwh else greatest(0, a.reference_kwh - a.value_kwh) end) as kwh
      from meter m join anomaly a on a.meter_id = m.id
      where m.transformer_id = t.id and a.day between ${from} and ${to} and a.state <> 'dismissed'
        and a.type in ('sudden_decrease', 'lower_limit', 'reverse_electricity')
    ) a on true`.execute(db);
  const byId = new Map(rows.map(({ id, ...evidence }) => [id, evidence]));
  return (id) => byId.get(id) ?? NONE;
}
