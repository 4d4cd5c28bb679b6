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
type About = Pick<ReadingItem, 'meterId' | 'meterSn' | 'source' | 'traceId'> & { k: number; readAt: Date };
type StoredFreeze = About & { ts: Date; quality: Slot['quality']; statusWord: string | null } & Record<string, unknown>;

/** The slots of an entry as they are stored: an array for each channel, null for one without values. */
type StoredSlots = About & {
  /** UTC midnight, and the first of the slots in seconds after it. */
  midnight: Date;
  begins: number;
  periodS: number;
  /** Null where nothing is stored. */
  status: (number | null)[];
  /** Slots of a gap that was filled later; null: there was none. */
  filledFrom: Date | null;
  filledTo: Date | null;
} & Record<string, unknown>;

/** Entries as an SQL table: place, meter, profile, day, first and last second. */
const tableOf = (entries: readonly Entry[]) => sql`unnest(
  ${entries.map((_, k) => k)}::int[], ${entries.map(({ subjectId }) => subjectId)}::bigint[], ${entries.map(({ subject }) => subject)}::text[],
  ${entries.map(({ day }) => day)}::int[], ${entries.map(({ first }) => first)}::int[], ${entries.map(({ last }) => last)}::int[])
  as e (k, meter_id, profile, day, first_s, last_s)`;

/** The part of a day's array that an entry stands for, as JSON: it is parsed many times faster than a row for each slot. */
const partOf = (column: string) => sql`to_json(${sql.ref(`r.${column}`)}[part.lo + 1:part.hi + 1]) as ${sql.ref(column)}`;

/** Stored slots of profiles, in the order of the entries. */
const findSlots = async (db: Db, user: User, entries: readonly Entry[]) =>
  (
    await sql<StoredSlots>`
    select e.k, meter.id as meter_id, meter.sn as meter_sn, r.source, r.read_at, r.trace_id, r.period_s,
      r.day::timestamp at time zone 'UTC' as midnight, r.lead_s + part.lo * r.period_s as begins,
      ${partOf('status')}, ${sql.join(CHANNELS.map(({ column }) => partOf(column)))},
      case when g.state = 'filled' then g.from_at end as filled_from, case when g.state = 'filled' then g.to_at end as filled_to
    from ${tableOf(entries)} join meter on meter.id = e.meter_id
    cross join lateral (
      select * from day_of(e.meter_id, e.profile, date '1970-01-01' + e.day) limit 1
    ) as r
    cross join lateral (
      select greatest(0, ceil((e.first_s - r.lead_s)::float8 / r.period_s))::int as lo, floor((e.last_s - r.lead_s)::float8 / r.period_s)::int as hi
    ) as part
    left join reading_gap g on g.meter_id = e.meter_id and g.profile = e.profile and g.day = r.day
    where ${visible('meter.transformerId', user)} order by e.k`.execute(db)
  ).rows;

/** Stored freezes, in the order of the entries. */
const findFreezes = async (db: Db, user: User, entries: readonly Entry[], timeZone: string) =>
  (
    await sql<StoredFreeze>`
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
const REGISTERS = DAILY_REGISTERS.map(({ key, column }) => ({ key, name: camel(column) }));
const CHANNEL_VALUES = CHANNELS.map(({ key, column, storedPerUnit }) => ({ key, name: camel(column), storedPerUnit }));

const slotOfFreeze = (row: StoredFreeze): Slot => ({
  ts: row.ts.toISOString(),
  quality: row.quality,
  statusWord: row.statusWord === null ? null : Number(row.statusWord),
  values: Object.fromEntries(REGISTERS.flatMap(({ key, name }) => (row[name] === null ? [] : [[key, Number(row[name])]]))),
});

function qualityOf({ source, filledFrom, filledTo }: StoredSlots, status: number, at: number): Slot['quality'] {
  if (source === 'manual' || source === 'estimated') return source;
  if ((status & INVALID_BITS) !== 0) return 'invalid';
  const isRefilled = filledFrom !== null && filledTo !== null && at >= filledFrom.getTime() && at <= filledTo.getTime();
  return isRefilled ? 'refilled' : 'read';
}

/** Texts of instants. The meters of a page have the same ones, and to write one takes longer than to find it. */
function instantTexts(): (at: number) => string {
  const texts = new Map<number, string>();
  return (at) => {
    let text = texts.get(at);
    if (text === undefined) texts.set(at, (text = new Date(at).toISOString()));
    return text;
  };
}

/** The slots with a status, oldest first, with the present quantities in the units of the API. */
function slotsOf(row: StoredSlots, textOf: (at: number) => string): Slot[] {
  const channels = CHANNEL_VALUES.flatMap(({ key, name, storedPerUnit }) => {
    const values = row[name] as (number | null)[] | null; // as: the statement reads arrays of numbers
    return values === null ? [] : [{ key, values, storedPerUnit }];
  });
  const slots: Slot[] = [];
  let at = row.midnight.getTime() + (row.begins - row.periodS) * 1000;
  for (const [index, status] of row.status.entries()) {
    at += row.periodS * 1000;
    if (status === null) continue;
    const values: Slot['values'] = {};
    for (const channel of channels) {
      const stored = channel.values[index] ?? null;
      if (stored !== null) values[channel.key] = stored / channel.storedPerUnit;
    }
    slots.push({ ts: textOf(at), quality: qualityOf(row, status, at), statusWord: status, values });
  }
  return slots;
}

/** The present values of entries within the area of the user; an entry without stored slots gives no item. */
export async function findReadings(db: Db, user: User, entries: readonly Entry[], timeZone: string): Promise<ReadingItem[]> {
  const [freezes, profiles] = [entries.filter(({ subject }) => subject === 'daily'), entries.filter(({ subject }) => subject !== 'daily')];
  const items = new Map<string, ReadingItem>();
  const add = ({ id, at, revision, subject, day }: Entry, { meterId, meterSn, source, traceId, readAt }: About, slots: Slot[]) => {
    const about = { id, at: at.toISOString(), revision, meterId, meterSn, source, traceId, readAt: readAt.toISOString() };
    // as: the outbox has profiles as subjects of readings
    if (slots.length > 0) items.set(id, { ...about, profile: subject as ReadingItem['profile'], day: dayText(day), slots });
  };
  const textOf = instantTexts();
  // !: the statement numbers the entries that it was given
  if (profiles.length > 0) for (const row of await findSlots(db, user, profiles)) add(profiles[row.k]!, row, slotsOf(row, textOf));
  if (freezes.length > 0)
    // !: as above
    for (const row of await findFreezes(db, user, freezes, timeZone)) add(freezes[row.k]!, row, [slotOfFreeze(row)]);
  return entries.flatMap(({ id }) => items.get(id) ?? []);
}
