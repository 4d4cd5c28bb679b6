import { payloadOnWire } from '@hes/dlms/framing/annotate-wire.ts';
import type { CaptureRow, FrameFilters, FrameRow } from '@hes/contract/debug/dcu-log.ts';
import { sql } from 'kysely';
import { localDayBegins } from '#db/local-day.ts';
import { containing, countUpTo, iso, type PageQuery } from '#db/paging.ts';
import { visible } from '#db/scope.ts';
import { takeRows } from '#db/export-cursor.ts';
import type { Db, Tx, User } from '#db/context.ts';

type StoredFrame = Omit<FrameRow, 'at' | 'hex'> & { at: Date; wire: Buffer };

const framesIn = (user: User, filter: FrameFilters, timeZone: string) => sql`
  dcu_frame_log as f join dcu on dcu.id = f.dcu_id left join meter on meter.id = f.meter_id
  where f.dcu_id = ${filter.dcuId} and ${visible('dcu.transformerId', user)}
    and (${filter.from ?? null}::date is null or f.at >= ${localDayBegins(sql`${filter.from ?? null}::date`, timeZone)})
    and (${filter.to ?? null}::date is null or f.at < ${localDayBegins(sql`${filter.to ?? null}::date + 1`, timeZone)})
    and (${filter.direction ?? null}::text is null or f.direction = ${filter.direction ?? null})
    and (${filter.channel ?? null}::text[] is null or f.channel = any(${filter.channel ?? null}::text[]))
    and (${filter.service ?? null}::text is null or f.service ilike ${containing(filter.service ?? '')})
    and (${filter.failed !== true} or f.result is not null)
    and (${filter.meter ?? null}::text is null or meter.sn like ${containing((filter.meter ?? '').toUpperCase())})
    and (${filter.hex ?? null}::text is null or encode(f.octets, 'hex') like ${containing((filter.hex ?? '').replaceAll(/\s/g, '').toLowerCase())}
      or encode(f.plain, 'hex') like ${containing((filter.hex ?? '').replaceAll(/\s/g, '').toLowerCase())})`;

const COLUMNS = sql`f.id, f.dcu_id, dcu.sn as dcu_sn, f.at, f.direction, f.channel, f.meter_id, meter.sn as meter_sn, f.service, f.octets as wire,
  octet_length(f.octets) as octets, f.latency_ms, f.result, f.note, f.session_id, f.trace_id, f.task_id`;

const rowOf = ({ wire, at, ...row }: StoredFrame): FrameRow => ({ ...row, at: iso(at), hex: wire.toString('hex').toUpperCase() });

export async function listFrames(db: Db, user: User, query: FrameFilters & PageQuery, timeZone: string) {
  const rows = framesIn(user, query, timeZone);
  const [found, counted] = await Promise.all([
    takeRows(db, sql<StoredFrame>`select ${COLUMNS} from ${rows} order by f.at desc, f.id desc`, ['id'], query),
    countUpTo(db, sql`select from ${rows}`),
  ]);
  return { items: found.map(rowOf), ...counted, page: query.page, size: query.size };
}

/** A batch of frames for a file, oldest first. */
export async function pieceOfFrames(
  db: Db,
  user: User,
  filter: FrameFilters,
  timeZone: string,
  after: string,
  limit: number,
): Promise<FrameRow[]> {
  const { rows } = await sql<StoredFrame>`
    select ${COLUMNS} from ${framesIn(user, filter, timeZone)} and f.id > ${after} order by f.id limit ${limit}`.execute(db);
  return rows.map(rowOf);
}

const MOST_APDUS = 5000;

/** The newest captured APDUs in plain text with their devices, oldest first. */
export async function findApdus(db: Db, dcuId: string, meter: string | undefined) {
  const { rows } = await sql<{ sn: string; direction: 'down' | 'up'; octets: Buffer; plain: Buffer | null }>`
    select * from (
      select f.id, coalesce(meter.sn, dcu.sn) as sn, f.direction, f.octets, f.plain
      from dcu_frame_log f join dcu on dcu.id = f.dcu_id left join meter on meter.id = f.meter_id
      where f.dcu_id = ${dcuId} and f.channel <> 'P' and (${meter ?? null}::text is null or meter.sn = upper(${meter ?? null}))
      order by f.id desc limit ${MOST_APDUS}
    ) newest order by id`.execute(db);
  return rows.map(({ sn, direction, octets, plain }) => ({ sn, direction, apdu: plain ?? payloadOnWire(octets) }));
}

export async function findFrame(db: Db, user: User, id: string) {
  const { rows } = await sql<{ at: Date; direction: 'down' | 'up'; octets: Buffer; plain: Buffer | null; note: string | null }>`
    select f.at, f.direction, f.octets, f.plain, f.note from dcu_frame_log f join dcu on dcu.id = f.dcu_id
    where f.id = ${id} and ${visible('dcu.transformerId', user)}`.execute(db);
  return rows[0];
}

/** Locks a frame in the user's area for a change of its note. */
export async function lockFrame(tx: Tx, user: User, id: string) {
  const { rows } = await sql<{ dcuId: string; note: string | null }>`
    select f.dcu_id, f.note from dcu_frame_log f join dcu on dcu.id = f.dcu_id
    where f.id = ${id} and ${visible('dcu.transformerId', user)} for update of f`.execute(tx);
  return rows[0];
}

export async function listCaptures(db: Db | Tx, user: User) {
  const { rows } = await sql<Omit<CaptureRow, 'endsAt'> & { endsAt: Date }>`
    select c.dcu_id, c.level, c.ends_at, c.direction, c.meter_ids, u.name as set_by,
      array(select m.sn from meter m where m.id = any(c.meter_ids) order by m.sn) as meter_sns
    from dcu_capture c join dcu on dcu.id = c.dcu_id left join app_user u on u.id = c.set_by
    where c.ends_at > now() and ${visible('dcu.transformerId', user)} order by c.ends_at`.execute(db);
  return rows.map(({ endsAt, ...row }) => ({ ...row, endsAt: iso(endsAt) }));
}

export async function findVisibleOf(db: Db, user: User, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{
    id: string;
  }>`select dcu.id from dcu where dcu.id = any(${[...ids]}::bigint[]) and ${visible('dcu.transformerId', user)}`.execute(db);
  return rows.map(({ id }) => id);
}

/** Those of these meters that are bound to one of the DCUs. */
export async function findMetersOf(db: Db, dcuIds: readonly string[], meterIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from meter where id = any(${[...meterIds]}::bigint[]) and dcu_id = any(${[...dcuIds]}::bigint[])`.execute(db);
  return rows.map(({ id }) => id);
}

export async function setCapture(
  tx: Tx,
  order: {
    dcuIds: readonly string[];
    level: 'errors' | 'all';
    endsAt: Date;
    direction: 'down' | 'up' | null;
    meterIds: readonly string[];
    userId: string;
  },
): Promise<void> {
  await sql`
    insert into dcu_capture (dcu_id, level, ends_at, direction, meter_ids, set_by)
    select id, ${order.level}, ${order.endsAt}, ${order.direction}, ${[...order.meterIds]}::bigint[], ${order.userId} from unnest(${[...order.dcuIds]}::bigint[]) as n (id)
    on conflict (dcu_id) do update set level = excluded.level, ends_at = excluded.ends_at, direction = excluded.direction, meter_ids = excluded.meter_ids, set_by = excluded.set_by, set_at = now()`.execute(
    tx,
  );
}

export const endCapture = (tx: Tx, dcuIds: readonly string[]) =>
  sql`delete from dcu_capture where dcu_id = any(${[...dcuIds]}::bigint[])`.execute(tx);
