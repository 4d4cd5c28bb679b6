import type { AlarmMessage, AlarmRow } from '@hes/contract/alarm/alarm.ts';
import type { AlarmState } from '@hes/contract/states/alarm.ts';
import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import { containing, countUpTo, iso, isoOrNull } from '#db/paging.ts';
import { countMessages, MESSAGE_STATE } from './message-state-queries.ts';
import type { StoredOutcome } from './message-queries.ts';
import { waitingOutcome } from './outcomes.ts';

type Row = Omit<AlarmRow, 'openedAt' | 'lastAt' | 'acknowledgedAt' | 'nextStepAt' | 'messages'> &
  Record<'openedAt' | 'lastAt', Date> &
  Record<'acknowledgedAt' | 'nextStepAt', Date | null>;
type MessageRow = Omit<AlarmMessage, 'createdAt' | 'sentAt' | 'recipients' | 'outcomes'> & {
  alarmId: string;
  createdAt: Date;
  sentAt: Date | null;
  outcomes: StoredOutcome[];
  /** Recipients as they are now, for messages of an earlier version, which have no outcomes. */
  recipients: { id: string; name: string }[];
};

/** What became of the messages of the alarm `a`. */
const MESSAGES = sql`lateral (select ${countMessages}, count(*)::int as stored, max(m.step) filter (where m.sent_at is not null) as reached
  from alarm_message m where m.alarm_id = a.id) d`;
const DELIVERY = sql`case when d.stored = 0 then 'none' when d.waiting > 0 then 'waiting' when d.sent + d.partly > 0
  then case when d.partly + d.failed + d.unknown > 0 then 'partly' else 'sent' end
  when d.unknown > 0 then 'unknown' when d.failed > 0 then 'failed' else 'dropped' end`;
/** State of an alarm by what happened to it and to its messages. A digest is over when its messages have ended. */
const STATE = sql`case when a.acknowledged_at is not null then 'acknowledged' when a.closed_at is not null then 'closed'
  when d.reached is null then case when d.waiting = 0 and a.step > 0 and a.wait_seconds is null then 'failed' else 'waiting' end
  when d.reached = 1 then 'sent' else 'escalated' end`;

export interface AlarmSearch {
  state?: AlarmState | undefined;
  search?: string | undefined;
  page: number;
  size: number;
}

/** A page of alarms, newest first, with the messages of each. */
export async function findAlarmRows(db: Db, { state, search = '', page, size }: AlarmSearch) {
  const alarms = sql`from alarm a join alarm_rule r on r.id = a.rule_id left join event_code c on c.log = a.log and c.code = a.code`;
  const where = sql`where coalesce(a.rule_name, r.name) ilike ${containing(search)} ${state === undefined ? sql`` : sql`and ${STATE} = ${state}`}`;
  const from = sql`${alarms} cross join ${MESSAGES} ${where}`;
  // Messages are read for the rows of the page, and for a count by state only.
  const counted = state === undefined ? sql`${alarms} ${where}` : from;
  const { rows } = await sql<Row>`
    select a.id, coalesce(a.rule_name, r.name) as rule_name, case when a.log is null then 'digest' else 'alarm' end as kind, a.log, a.code, c.name_en, c.name_zh, a.level, ${STATE} as state, ${DELIVERY} as delivery,
      a.end_reason, a.opened_at, a.last_at, a.events,
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
  return { items, ...(await countUpTo(db, sql`select a.id ${counted}`)), page, size };
}

async function findMessages(db: Db, alarmIds: readonly string[]): Promise<Map<string, AlarmMessage[]>> {
  const { rows } = await sql<MessageRow>`
    select m.alarm_id, m.id, c.name as channel_name, m.step, ${MESSAGE_STATE} as state, m.attempts, m.created_at, m.sent_at,
      m.failure_code as failure, m.answer, m.outcomes,
      coalesce((select jsonb_agg(jsonb_build_object('id', p.id::text, 'name', p.name) order by p.name) from alarm_recipient p
        where p.id = any(m.recipient_ids)), '[]'::jsonb) as recipients
    from alarm_message m join alarm_channel c on c.id = m.channel_id where m.alarm_id = any(${[...alarmIds]}::bigint[]) order by m.id`.execute(
    db,
  );
  const byAlarm = Map.groupBy(rows, ({ alarmId }) => alarmId);
  return new Map([...byAlarm].map(([id, found]) => [id, found.map(messageOf)]));
}

/** A recipient without an outcome has that of its message. */
function messageOf({ alarmId: _alarmId, outcomes, recipients, createdAt, sentAt, ...message }: MessageRow): AlarmMessage {
  const state = message.state === 'partly' ? 'dropped' : message.state;
  const told = (outcomes.length > 0 ? outcomes : recipients.map(waitingOutcome)).map(({ id: _id, ...outcome }) =>
    outcome.state === 'waiting' ? { ...outcome, state } : outcome,
  );
  const names = told.map(({ name }) => name).toSorted();
  return { ...message, createdAt: iso(createdAt), sentAt: isoOrNull(sentAt), outcomes: told, recipients: names.join(', ') };
}

/** Name of the rule of an alarm. */
export async function findRuleName(db: Db, alarmId: string): Promise<string | undefined> {
  const { rows } = await sql<{
    name: string;
  }>`select coalesce(a.rule_name, r.name) as name from alarm a join alarm_rule r on r.id = a.rule_id where a.id = ${alarmId}`.execute(db);
  return rows[0]?.name;
}
