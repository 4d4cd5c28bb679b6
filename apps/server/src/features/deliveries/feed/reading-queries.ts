import type { ReadingItem } from '@hes/contract/delivery/feed.ts';
import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import { dayText } from '@hes/contract/schedule/zone.ts';
import { INVALID_BITS } from '@hes/contract/states/reading.ts';
import { sql } from 'kysely';
import type { Db, User } from '#db/context.ts';
import { localDayBegins } from '#db/local-day.ts';
import { visible } from '#db/scope.ts';
import type { Entry } from './outbox-queries.ts';

type Slot = ReadingItem['slots'][number];
type StoredSlot = Omit<ReadingItem, 'id' | 'at' | 'revision' | 'readAt' | 'slots' | 'profile' | 'day'> & {
  k: number;
  readAt: Date;
  ts: Date;
  quality: Slot['quality'];
  statusWord: string | null;
} & Record<string, unknown>;

/** Entries as an SQL table: place, meter, profile, day, first and last second. */
const tableOf = (entries: readonly Entry[]) => sql`unnest(
  ${entries.map((_, k) => k)}::int[], ${entries.map(({ subjectId }) => subjectId)}::bigint[], ${entries.map(({ subject }) => subject)}::text[],
  ${entries.map(({ day }) => day)}::int[], ${entries.map(({ first }) => first)}::int[], ${entries.map(({ last }) => last)}::int[])
  as e (k, meter_id, profile, day, first_s, last_s)`;

const columnsOf = (table: string) => sql.join(CHANNELS.map(({ column }) => sql.ref(`${table}.${column}`)));
const names = sql.join(CHANNELS.map(({ column }) => sql.ref(column)));

/** Stored slots of profiles, in the order of the entries and of time. */
const findSlots = async (db: Db, user: User, entries: readonly Entry[]) =>
  (
    await sql<StoredSlot>`
    select e.k, meter.id as meter_id, meter.sn as meter_sn, r.source, r.read_at, r.trace_id, s.ts, u.status as status_word, ${columnsOf('u')},
      case when r.source in ('manual', 'estimated') then r.source when u.status & ${INVALID_BITS}::int <> 0 then 'invalid'
        when g.state = 'filled' and s.ts between g.from_at and g.to_at then 'refilled' else 'read' end as quality
    from ${tableOf(entries)} join meter on meter.id = e.meter_id
    cross join lateral (
      select * from day_of(e.meter_id, e.profile, date '1970-01-01' + e.day) limit 1
    ) as r
    left join reading_gap g on g.meter_id = e.meter_id and g.profile = e.profile and g.day = r.day
    cross join lateral unnest(r.status, ${columnsOf('r')}) with ordinality as u (status, ${names}, slot)
    cross join lateral (select r.lead_s + (u.slot - 1) * r.period_s as second) as o
    cross join lateral (select (r.day::timestamp at time zone 'UTC') + make_interval(secs => o.second) as ts) as s
    where ${visible('meter.transformerId', user)} and u.status is not null and o.second between e.first_s and e.last_s order by e.k, u.slot`.execute(
      db,
    )
  ).rows;

/** Stored freezes, in the order of the entries. */
const findFreezes = async (db: Db, user: User, entries: readonly Entry[], timeZone: string) =>
  (
    await sql<StoredSlot>`
    select e.k, meter.id as meter_id, meter.sn as meter_sn, r.source, r.read_at, r.trace_id, r.quality, r.status_word,
      ${localDayBegins(sql`r.freeze_date`, timeZone)} as ts, ${sql.join(DAILY_REGISTERS.map(({ column }) => sql.ref(`r.${column}`)))}
    from ${tableOf(entries)} join meter on meter.id = e.meter_id
    cross join lateral (
      select * from freeze_of(e.meter_id, date '1970-01-01' + e.day) limit 1
    ) as r
    where ${visible('meter.transformerId', user)} order by e.k`.execute(db)
  ).rows;

/** `e_plus_wh` as Kysely names it. */
const camel = (column: string): string => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Quantities of the API with their columns in a result. */
const REGISTERS = DAILY_REGISTERS.map(({ key, column }) => ({ key, name: camel(column), storedPerUnit: 1 }));
const CHANNEL_VALUES = CHANNELS.map(({ key, column, storedPerUnit }) => ({ key, name: camel(column), storedPerUnit }));

/** Present quantities of a row in the units of the API. */
function valuesOf(row: StoredSlot, isFreeze: boolean): Slot['values'] {
  return Object.fromEntries(
    (isFreeze ? REGISTERS : CHANNEL_VALUES).flatMap(({ key, name, storedPerUnit }) => {
      const stored = row[name];
      return stored === null || stored === undefined ? [] : [[key, Number(stored) / storedPerUnit]];
    }),
  );
}

/** The present values of entries within the area of the user; an entry without stored slots gives no item. */
export async function findReadings(db: Db, user: User, entries: readonly Entry[], timeZone: string): Promise<ReadingItem[]> {
  const [freezes, profiles] = [entries.filter(({ subject }) => subject === 'daily'), entries.filter(({ subject }) => subject !== 'daily')];
  const items = new Map<string, ReadingItem>();
  const add = (of: readonly Entry[], rows: readonly StoredSlot[], isFreeze: boolean) => {
    for (const row of rows) {
      const entry = of[row.k]!; // the statement numbers the entries that it was given
      const { meterId, meterSn, source, traceId } = row;
      const about = { id: entry.id, at: entry.at.toISOString(), revision: entry.revision, meterId, meterSn, source, traceId };
      // as: the outbox has profiles as subjects of readings
      const profile = entry.subject as ReadingItem['profile'];
      const item = items.get(entry.id) ?? { ...about, profile, day: dayText(entry.day), readAt: row.readAt.toISOString(), slots: [] };
      const statusWord = row.statusWord === null ? null : Number(row.statusWord);
      item.slots.push({ ts: row.ts.toISOString(), quality: row.quality, statusWord, values: valuesOf(row, isFreeze) });
      items.set(entry.id, item);
    }
  };
  if (profiles.length > 0) add(profiles, await findSlots(db, user, profiles), false);
  if (freezes.length > 0) add(freezes, await findFreezes(db, user, freezes, timeZone), true);
  return entries.flatMap(({ id }) => items.get(id) ?? []);
}
