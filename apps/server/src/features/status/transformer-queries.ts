import type { TransformerFacts } from '@hes/contract/status/transformer-status.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { DAY, lossKwhOf, lossPercentOf } from '#db/loss-percent.ts';
import { iso, isoOrNull, numberOrNull } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import { isSilent } from './silence-queries.ts';

const SHOWN = 20;
const FOUND_WITHIN_DAYS = 30;
type Days = Pick<TransformerFacts, 'from' | 'to'>;

interface Stored {
  id: string;
  name: string;
  code: string;
  address: string | null;
  levelName: string;
  capacityKva: string | null;
  masterId: string | null;
  masterSn: string | null;
  masterReadAt: Date | null;
  meters: number;
  silent: number;
}
type Record = Pick<TransformerFacts, 'id' | 'name' | 'code' | 'address' | 'levelName' | 'capacityKva' | 'master' | 'meters' | 'silent'>;

/** The record of a transformer in the user's area. */
export async function findTransformerRecord(db: Db, user: User, id: string): Promise<Record | undefined> {
  const { rows } = await sql<Stored>`
    select transformer.id, transformer.name, transformer.code, transformer.address, l.name as level_name, transformer.capacity_kva,
      m.id as master_id, m.sn as master_sn, m.last_read_at as master_read_at, c.meters, c.silent
    from transformer join network_level l on l.id = transformer.level_id left join meter m on m.id = transformer.master_meter_id
    cross join lateral (
      select count(*)::int as meters, count(*) filter (where ${isSilent('meter')})::int as silent
      from meter where meter.transformer_id = transformer.id and meter.inventory_state = 'active'
    ) c
    where transformer.id = ${id} and ${visible('transformer.id', user)}`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { masterId, masterSn, masterReadAt, capacityKva, ...rest } = row;
  const master = masterId === null ? null : { meterId: masterId, sn: masterSn ?? '', lastReadAt: isoOrNull(masterReadAt) };
  return { ...rest, capacityKva: numberOrNull(capacityKva), master };
}

export async function listDcusOf(db: Db, transformerId: string): Promise<TransformerFacts['dcus']> {
  const { rows } = await sql<Omit<TransformerFacts['dcus'][number], 'lastCommAt'> & { lastCommAt: Date | null }>`
    select dcu.id, dcu.sn, dcu.online_status, dcu.last_comm_at, count(m.id)::int as meters,
      count(m.id) filter (where ${isSilent('m')})::int as silent
    from dcu left join meter m on m.dcu_id = dcu.id and m.inventory_state = 'active' and m.transformer_id = dcu.transformer_id
    where dcu.transformer_id = ${transformerId} group by dcu.id, dcu.sn, dcu.online_status, dcu.last_comm_at order by dcu.sn limit ${SHOWN}`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, lastCommAt: isoOrNull(row.lastCommAt) }));
}

export async function listDaysOf(db: Db, transformerId: string, { from, to }: Days): Promise<NonNullable<TransformerFacts['days']>> {
  const { rows } = await sql<NonNullable<TransformerFacts['days']>[number]>`
    select day::text as day, supply_kwh::float8 as supply, ${lossKwhOf(DAY)} as loss, ${lossPercentOf(DAY)} as loss_percent
    from energy_balance where transformer_id = ${transformerId} and day between ${from} and ${to} order by day desc`.execute(db);
  return rows;
}

/** Meters without a freeze at the end of a day of the range, so that the energy of the day is estimated. */
export async function listWithoutData(
  db: Db,
  transformerId: string,
  { from, to }: Days,
): Promise<NonNullable<TransformerFacts['withoutData']>> {
  const { rows } = await sql<{ meterId: string; sn: string; days: number; lastReadAt: Date | null }>`
    select m.id as meter_id, m.sn, m.last_read_at, count(*)::int as days
    from meter m cross join generate_series(${from}::date, ${to}::date, interval '1 day') as d
    left join freezes_of_meters(array(select id from meter where transformer_id = ${transformerId}), ${from}::date + 1, ${to}::date + 1) r
      on r.meter_id = m.id and r.freeze_date = d::date + 1 and r.e_plus is not null and r.quality <> 'invalid'
    where m.transformer_id = ${transformerId} and m.inventory_state = 'active' and not m.is_master and coalesce(m.installed_at, m.created_at) < d
      and r.meter_id is null
    group by m.id order by days desc, m.sn limit ${SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, lastReadAt: isoOrNull(row.lastReadAt) }));
}

export async function listSuspects(db: Db, transformerId: string, { from, to }: Days): Promise<NonNullable<TransformerFacts['suspects']>> {
  const { rows } = await sql<NonNullable<TransformerFacts['suspects']>[number]>`
    select m.id as meter_id, m.sn, a.day::text as day, a.type, a.value_kwh::float8 as value, a.reference_kwh::float8 as reference
    from meter m join anomaly a on a.meter_id = m.id
    where m.transformer_id = ${transformerId} and a.day between ${from} and ${to} and a.state <> 'dismissed'
      and a.type in ('sudden_decrease', 'lower_limit', 'reverse_electricity')
    order by greatest(a.reference_kwh - a.value_kwh, 0) desc, a.day desc, m.sn limit ${SHOWN}`.execute(db);
  return rows;
}

/** Devices that draw energy and are not billed: found without a record, or installed and not in service. */
export async function listUnmetered(db: Db, transformerId: string): Promise<NonNullable<TransformerFacts['unmetered']>> {
  const { rows } = await sql<{ sn: string; dcuSn: string | null; lastSeenAt: Date | null }>`
    select * from (
      (select distinct on (f.sn) f.sn, d.sn as dcu_sn, f.last_seen as last_seen_at from dcu d join discovered_meter f on f.dcu_id = d.id
        where d.transformer_id = ${transformerId} and f.last_seen > now() - make_interval(days => ${FOUND_WITHIN_DAYS})
          and (f.ignored_until is null or f.ignored_until < now()) and not exists (select from meter m where m.sn = f.sn) order by f.sn, f.last_seen desc)
      union all
      (select m.sn, d.sn, m.last_comm_at from meter m left join dcu d on d.id = m.dcu_id and d.transformer_id = m.transformer_id
        where m.transformer_id = ${transformerId} and m.inventory_state = 'installed' and not m.is_master)
    ) as unmetered order by sn limit ${SHOWN}`.execute(db);
  return rows.map((row) => ({ ...row, lastSeenAt: row.lastSeenAt === null ? null : iso(row.lastSeenAt) }));
}
