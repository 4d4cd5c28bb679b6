import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import type { StoredAlarm } from './alarm-queries.ts';
import { countMessages } from './message-state-queries.ts';

export interface AlarmDetail extends StoredAlarm {
  ruleName: string;
  /** Local day of a digest, YYYY-MM-DD. */
  dayText: string | null;
  levelIds: string[];
  nameEn: string | null;
  nameZh: string | null;
  meters: number;
  recovered: number;
  /** Meters of all affected DCUs. */
  metersOfDcus: number;
}

export async function findAlarmDetail(db: Db, id: string): Promise<AlarmDetail | undefined> {
  const { rows } = await sql<AlarmDetail>`
    select a.*, to_char(a.day, 'YYYY-MM-DD') as day_text, coalesce(a.rule_name, r.name) as rule_name, coalesce(coalesce(a.criteria, r.criteria)->'levelIds', '[]'::jsonb) as level_ids,
      c.name_en, c.name_zh, counts.meters, counts.recovered,
      (select count(*)::int from meter m where m.dcu_id = any(a.dcu_ids)) as meters_of_dcus
    from alarm a join alarm_rule r on r.id = a.rule_id left join event_code c on c.log = a.log and c.code = a.code
    cross join lateral (
      select count(distinct e.meter_id)::int as meters, count(e.recovered_at)::int as recovered
      from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id
    ) counts where a.id = ${id}`.execute(db);
  return rows[0];
}

const PLACES = 5;
const REPORTS = 3;

export interface Place {
  sn: string;
  transformer: string | null;
  affected: number;
  all: number;
}

/** The DCUs or direct meters with most affected meters. */
export async function findPlaces(db: Db, alarmId: string): Promise<Place[]> {
  const { rows } = await sql<Place>`
    select p.sn, t.name as transformer, count(distinct e.meter_id)::int as affected,
      (select count(*)::int from meter m where m.dcu_id = p.id) as "all"
    from alarm_event o join event e on e.id = o.event_id join endpoint p on p.id = e.dcu_id left join transformer t on t.id = p.transformer_id
    where o.alarm_id = ${alarmId} group by p.id, t.id order by 3 desc, p.sn limit ${PLACES}`.execute(db);
  return rows;
}

/** Messages of the newest events of the head-end itself. */
export async function findReports(db: Db, alarmId: string): Promise<string[]> {
  const { rows } = await sql<{ message: string }>`
    select e.message from alarm_event o join event e on e.id = o.event_id
    where o.alarm_id = ${alarmId} and e.device_kind = 'head_end' and e.message <> '' order by e.id desc limit ${REPORTS}`.execute(db);
  return rows.map(({ message }) => message);
}

export interface DigestCounts {
  online: number;
  dcus: number;
  serious: number;
  warnings: number;
  unacknowledged: number;
  alarms: number;
  sent: number;
  partly: number;
  failed: number;
  unknown: number;
  waiting: number;
}

/** Figures of a digest: connections now, events and messages since `since` before `until`, and alarms of the rules now. Levels limit the area. */
export async function countForDigest(
  db: Db,
  levelIds: readonly string[],
  { since, until }: { since: Date; until: Date },
): Promise<DigestCounts> {
  const within = sql`(cardinality(${[...levelIds]}::bigint[]) = 0 or exists (select from transformer t join network_level l on l.id = t.level_id
    where t.id = d.transformer_id and l.path && ${[...levelIds]}::bigint[]))`;
  const { rows } = await sql<DigestCounts>`
    select * from (select count(*) filter (where d.online_status = 'online')::int as online, count(*)::int as dcus from dcu d where ${within}) connections
    cross join (select count(*) filter (where e.abnormal_level = 'serious')::int as serious, count(*) filter (where e.abnormal_level = 'warning')::int as warnings,
        count(*) filter (where e.ack_at is null and not e.is_muted)::int as unacknowledged
      from event e left join endpoint d on d.id = e.dcu_id
      where e.occur_at >= ${since} and e.occur_at < ${until} and e.abnormal_level is not null and (e.dcu_id is null or ${within})) events
    cross join (select count(*)::int as alarms from alarm where log is not null and acknowledged_at is null and closed_at is null) open
    cross join (select ${countMessages} from alarm_message m where m.created_at >= ${since} and m.created_at < ${until}) messages`.execute(
    db,
  );
  return (
    rows[0] ?? {
      online: 0,
      dcus: 0,
      serious: 0,
      warnings: 0,
      unacknowledged: 0,
      alarms: 0,
      sent: 0,
      partly: 0,
      failed: 0,
      unknown: 0,
      waiting: 0,
    }
  );
}
