import type { AlarmMessage, AlarmRow } from '@hes/contract/alarm/alarm.ts';
import type { AlarmState } from '@hes/contract/states/alarm.ts';
import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import { containing, countUpTo, iso, isoOrNull } from '#db/paging.ts';

type Row = Omit<AlarmRow, 'openedAt' | 'lastAt' | 'acknowledgedAt' | 'nextStepAt' | 'messages'> &
  Record<'openedAt' | 'lastAt', Date> &
  Record<'acknowledgedAt' | 'nextStepAt', Date | null>;
type MessageRow = Omit<AlarmMessage, 'createdAt' | 'sentAt'> & { alarmId: string; createdAt: Date; sentAt: Date | null };

/** State of an alarm by its row. A digest is over when it was sent. */
const STATE = sql`case when a.acknowledged_at is not null then 'acknowledged' when a.closed_at is not null then 'closed'
  when a.step = 0 then 'waiting' when a.step = 1 then 'sent' else 'escalated' end`;

export interface AlarmSearch {
  state?: AlarmState | undefined;
  search?: string | undefined;
  page: number;
  size: number;
}

/** A page of alarms, newest first, with the messages of each. */
export async function findAlarmRows(db: Db, { state, search = '', page, size }: AlarmSearch) {
  const from = sql`from alarm a join alarm_rule r on r.id = a.rule_id left join event_code c on c.log = a.log and c.code = a.code
    where r.name ilike ${containing(search)} ${state === undefined ? sql`` : sql`and ${STATE} = ${state}`}`;
  const { rows } = await sql<Row>`
    select a.id, r.name as rule_name, r.kind, a.log, a.code, c.name_en, c.name_zh, a.level, ${STATE} as state, a.opened_at, a.last_at, a.events,
      (select count(distinct e.meter_id)::int from alarm_event o join event e on e.id = o.event_id where o.alarm_id = a.id) as meters,
      cardinality(a.dcu_ids) as dcus, a.acknowledged_at, (select u.name from app_user u where u.id = a.acknowledged_by) as acknowledged_by_name,
      case when a.closed_at is null then a.wait_since + make_interval(secs => a.wait_seconds) end as next_step_at
    ${from} order by a.id desc limit ${size} offset ${(page - 1) * size}`.execute(db);
  const messages = await findMessages(
    db,
    rows.map(({ id }) => id),
  );
  const items = rows.map((row): AlarmRow => ({
    ...row,
    openedAt: iso(row.openedAt),
    lastAt: iso(row.lastAt),
    acknowledgedAt: isoOrNull(row.acknowledgedAt),
    nextStepAt: isoOrNull(row.nextStepAt),
    messages: messages.get(row.id) ?? [],
  }));
  return { items, ...(await countUpTo(db, sql`select a.id ${from}`)), page, size };
}

async function findMessages(db: Db, alarmIds: readonly string[]): Promise<Map<string, AlarmMessage[]>> {
  const { rows } = await sql<MessageRow>`
    select m.alarm_id, m.id, c.name as channel_name, m.step, m.state, m.attempts, m.created_at, m.sent_at, m.failure_code as failure, m.answer,
      coalesce((select string_agg(p.name, ', ' order by p.name) from alarm_recipient p where p.id = any(m.recipient_ids)), '') as recipients
    from alarm_message m join alarm_channel c on c.id = m.channel_id where m.alarm_id = any(${[...alarmIds]}::bigint[]) order by m.id`.execute(
    db,
  );
  const messages = rows.map(({ createdAt, sentAt, ...row }) => ({ ...row, createdAt: iso(createdAt), sentAt: isoOrNull(sentAt) }));
  const byAlarm = Map.groupBy(messages, ({ alarmId }) => alarmId);
  return new Map([...byAlarm].map(([id, found]) => [id, found.map(({ alarmId: _alarmId, ...message }) => message)]));
}

/** Name of the rule of an alarm. */
export async function findRuleName(db: Db, alarmId: string): Promise<string | undefined> {
  const { rows } = await sql<{
    name: string;
  }>`select r.name from alarm a join alarm_rule r on r.id = a.rule_id where a.id = ${alarmId}`.execute(db);
  return rows[0]?.name;
}
