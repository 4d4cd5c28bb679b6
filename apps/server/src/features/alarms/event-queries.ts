import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';
import type { SeenEvent } from './criteria.ts';

export const EVENTS_AT_ONCE = 2000;

export interface StoredEvent extends Omit<SeenEvent, 'occurAt' | 'level' | 'levelPath'> {
  occurAt: Date;
  level: SeenEvent['level'] | null;
  levelPath: string[] | null;
  isMuted: boolean;
  direction: 'occur' | 'recover';
}

/** Whether an event follows the mark, or there is no mark. Most looks find nothing, and need no transaction then. */
export async function hasNewEvents(db: Db): Promise<boolean> {
  const { rows } = await sql<{ hasNew: boolean }>`
    select coalesce((select exists (select from event where id > m.event_id) from alarm_mark m), true) as has_new`.execute(db);
  return rows[0]?.hasNew ?? true;
}

/** Locks the mark. Without one, rules begin behind the newest event. */
export async function lockMark(tx: Tx): Promise<string> {
  await sql`insert into alarm_mark (event_id) select coalesce(max(id), 0) from event on conflict do nothing`.execute(tx);
  const { rows } = await sql<{ eventId: string }>`select event_id from alarm_mark for update`.execute(tx);
  return rows[0]?.eventId ?? '0';
}

export const moveMark = (tx: Tx, eventId: string) => sql`update alarm_mark set event_id = ${eventId}`.execute(tx);

export async function newestEventId(tx: Tx): Promise<string> {
  const { rows } = await sql<{ id: string }>`select coalesce(max(id), 0)::text as id from event`.execute(tx);
  return rows[0]?.id ?? '0';
}

/** The next events behind the mark, in the order of their commits. */
export async function findEventsAfter(tx: Tx, mark: string): Promise<StoredEvent[]> {
  const { rows } = await sql<StoredEvent>`
    select e.id, e.device_kind, e.dcu_id, e.log, e.code, e.occur_at, e.abnormal_level as level, e.message, e.is_muted, e.direction,
      l.path::text[] as level_path
    from event e left join meter m on m.id = e.meter_id left join endpoint p on p.id = e.dcu_id
      left join transformer t on t.id = coalesce(m.transformer_id, p.transformer_id) left join network_level l on l.id = t.level_id
    where e.id > ${mark} order by e.id limit ${EVENTS_AT_ONCE}`.execute(tx);
  return rows;
}
