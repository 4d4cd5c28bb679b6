import type { FeedKind } from '@hes/contract/delivery/feed.ts';
import { sql } from 'kysely';
import type { Db } from '#db/context.ts';
import { ApiError } from '#platform/api-error.ts';
import type { Cursor } from './cursor.ts';

/** A part of what one transaction wrote: one meter and day, one event, item or object. */
export interface Entry {
  /** Stable: row of the outbox and place within it. */
  id: string;
  revision: string;
  at: Date;
  subject: string | null;
  subjectId: string;
  /** Of a device that was moved: the transformer that it left. */
  left: string | null;
  /** Of readings: day since 1970-01-01, first and last slot in seconds after its UTC midnight. */
  day: number;
  first: number;
  last: number;
}

/** Rows of the outbox per statement; each has up to some thousand entries. */
const ROWS = 32;
/** Slots of readings per page, so that an answer stays below some megabytes. */
const MAX_SLOTS = 20_000;
/** Period by which slots are estimated: shorter ones are rare, and make an answer five times as large at most. */
const USUAL_PERIOD_S = 300;
/** A transaction may have begun this long before it became visible. */
const LONGEST_TRANSACTION_MS = 3_600_000;

interface KindState {
  epoch: number;
  beganAt: Date;
  clearedBefore: Date | null;
  snapshot: string;
  /** The cursor is of a database that had executed more transactions than this one: one from before a restore. */
  isAhead: boolean;
  now: Date;
}

async function findKind(db: Db, kind: FeedKind, snapshot: string | undefined): Promise<KindState> {
  const { rows } = await sql<KindState>`
    select epoch, began_at, nullif(cleared_before, '-infinity') as cleared_before, pg_current_snapshot()::text as snapshot, now() as now,
      coalesce(pg_snapshot_xmax(${snapshot ?? null}::pg_snapshot) > pg_snapshot_xmax(pg_current_snapshot()), false) as is_ahead
    from outbox_kind where kind = ${kind}`.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error(`The outbox does not know ${kind}`);
  return found;
}

/** A cursor that begins now: everything that is committed later follows it. The kind must have a reader already. */
export async function cursorFromNow(db: Db, kind: FeedKind): Promise<Cursor> {
  const { epoch, snapshot, now } = await findKind(db, kind, undefined);
  return { e: epoch, s: snapshot, n: 0, t: now.getTime() };
}

/**
 * A cursor that begins with the rows since an instant: its window ends now, so a transaction that is open now is in the next one, whatever its
 * ids. Throws `FEED_GONE` if some of the rows were deleted or never written.
 */
export async function cursorSince(db: Db, kind: FeedKind, since: Date): Promise<Cursor> {
  const { epoch, beganAt, clearedBefore, snapshot, now } = await findKind(db, kind, undefined);
  if (since < beganAt || (clearedBefore !== null && since < clearedBefore)) throw new ApiError('FEED_GONE');
  const { rows } = await sql<{ id: string | null }>`
    select min(id) as id from outbox where kind = ${kind} and at >= ${since} and pg_visible_in_snapshot(xid, ${snapshot}::pg_snapshot)`.execute(
    db,
  );
  const id = rows[0]?.id ?? undefined;
  if (id === undefined) return { e: epoch, s: snapshot, n: 0, t: now.getTime() };
  return { e: epoch, w: snapshot, i: id, n: 0, t: since.getTime() };
}

/** Whether a row became visible between the two snapshots of a cursor. */
const inWindow = ({ s, w }: Cursor) => sql<boolean>`
  (xid < pg_snapshot_xmax(${w}::pg_snapshot) and pg_visible_in_snapshot(xid, ${w}::pg_snapshot)
    and (${s ?? null}::pg_snapshot is null or not pg_visible_in_snapshot(xid, ${s ?? null}::pg_snapshot)))`;

/** Opens the window up to the present snapshot; undefined: it has no rows. */
async function openWindow(db: Db, kind: FeedKind, cursor: Cursor, snapshot: string): Promise<Cursor | undefined> {
  const opened = { ...cursor, w: snapshot };
  const { rows } = await sql<{ id: string | null }>`
    select min(id) as id from outbox where kind = ${kind} and xid >= pg_snapshot_xmin(${cursor.s ?? null}::pg_snapshot) and ${inWindow(opened)}`.execute(
    db,
  );
  const id = rows[0]?.id ?? undefined;
  return id === undefined ? undefined : { ...opened, i: id, n: 0 };
}

/** A row of the outbox with the part of its entries that the statement asked for. */
interface OutboxRow {
  id: string;
  at: Date;
  subject: string | null;
  /** Entries of the whole row, and those before the part. */
  size: number;
  skipped: number;
  ids: string[];
  lefts: (string | null)[] | null;
  days: number[] | null;
  firsts: number[] | null;
  lasts: number[] | null;
}

/** The entry at a place of the part. */
const entryOf = (row: OutboxRow, k: number): Entry => ({
  id: `${row.id}-${row.skipped + k}`,
  revision: row.id,
  at: row.at,
  subject: row.subject,
  subjectId: row.ids[k] ?? '0',
  left: row.lefts?.[k] ?? null,
  day: row.days?.[k] ?? 0,
  first: row.firsts?.[k] ?? 0,
  last: row.lasts?.[k] ?? 0,
});

const slotsOf = ({ first, last }: Entry): number => 1 + (last - first) / USUAL_PERIOD_S;

export interface Part {
  entries: Entry[];
  next: Cursor;
  /** Rows remain that could be read at once. */
  hasMore: boolean;
}

/** Takes entries of rows until a limit is reached; undefined as place: all rows were taken. */
function takeEntries(rows: readonly OutboxRow[], limit: number) {
  const entries: Entry[] = [];
  let slots = 0;
  for (const row of rows) {
    const placeOf = (n: number) => ({ entries, place: { i: row.id, n, t: row.at.getTime() } });
    for (let k = 0; k < row.ids.length; k++) {
      if (entries.length === limit || slots >= MAX_SLOTS) return placeOf(row.skipped + k);
      const entry = entryOf(row, k);
      slots += slotsOf(entry);
      entries.push(entry);
    }
    if (row.skipped + row.ids.length < row.size) return placeOf(row.skipped + row.ids.length);
  }
  return { entries, place: undefined };
}

/**
 * Rows from the place of a cursor on, of each only as many entries as a page has: a row may have thousands. Rows behind more entries than the
 * page has are left out, so a page is full wherever they are.
 */
async function findRows(db: Db, kind: FeedKind, cursor: Cursor, limit: number): Promise<OutboxRow[]> {
  const { i: place = '0', n } = cursor;
  const part = (column: string) => sql`${sql.ref(column)}[skipped + 1:skipped + ${limit}::int] as ${sql.ref(column)}`;
  const { rows } = await sql<OutboxRow>`
    select id, at, subject, cardinality(ids) as size, skipped, ${sql.join(['ids', 'lefts', 'days', 'firsts', 'lasts'].map(part))} from (
      select o.*, case when id = ${place} then ${n}::int else 0 end as skipped, sum(cardinality(ids)) over (order by id) - cardinality(ids) as earlier
      from (select * from outbox where kind = ${kind} and id >= ${place} and ${inWindow(cursor)} order by id limit ${ROWS}) as o) as o
    where earlier <= ${n + limit} order by id`.execute(db);
  return rows;
}

/**
 * Entries behind a cursor, in the order of their ids. No row is skipped whose transaction commits later than that of a row with a larger id.
 * Throws `FEED_GONE` if rows behind the cursor may have been deleted or were never written.
 */
export async function readOutbox(db: Db, kind: FeedKind, cursor: Cursor, limit: number): Promise<Part> {
  const { epoch, clearedBefore, snapshot, isAhead, now } = await findKind(db, kind, cursor.w ?? cursor.s);
  const isCleared = clearedBefore !== null && cursor.t < clearedBefore.getTime() + (cursor.s === undefined ? 0 : LONGEST_TRANSACTION_MS);
  if (cursor.e !== epoch || isAhead || isCleared) throw new ApiError('FEED_GONE');
  const caughtUp = (seen: string): Cursor => ({ e: epoch, s: seen, n: 0, t: now.getTime() });
  const open = cursor.w === undefined ? await openWindow(db, kind, cursor, snapshot) : cursor;
  if (open === undefined) return { entries: [], next: caughtUp(snapshot), hasMore: false };
  const rows = await findRows(db, kind, open, limit);
  const { entries, place } = takeEntries(rows, limit);
  if (place !== undefined) return { entries, next: { ...open, ...place }, hasMore: true };
  const last = rows.at(-1);
  if (rows.length < ROWS || last === undefined) return { entries, next: caughtUp(open.w ?? snapshot), hasMore: open.w !== snapshot };
  return { entries, next: { ...open, i: String(BigInt(last.id) + 1n), n: 0, t: last.at.getTime() }, hasMore: true };
}

/** Whether rows of a kind became visible after a snapshot, and the present snapshot. Without one: true. */
export async function findNewRows(db: Db, kind: FeedKind, since: string | undefined): Promise<{ snapshot: string; hasRows: boolean }> {
  const { rows } = await sql<{ snapshot: string; hasRows: boolean }>`
    select pg_current_snapshot()::text as snapshot, ${since ?? null}::pg_snapshot is null or exists (
      select from outbox where kind = ${kind} and xid >= pg_snapshot_xmin(${since ?? null}::pg_snapshot)
        and not pg_visible_in_snapshot(xid, ${since ?? null}::pg_snapshot)) as has_rows`.execute(db);
  return rows[0] ?? { snapshot: '', hasRows: true };
}

/** Entries behind a cursor, of all areas, and the age of the oldest in seconds. */
export async function measureLag(db: Db, kind: FeedKind, cursor: Cursor): Promise<{ waiting: number; lagSeconds: number }> {
  const { s, w, i, n } = cursor;
  const isVisible = (snapshot: string | undefined) => sql`coalesce(pg_visible_in_snapshot(xid, ${snapshot ?? null}::pg_snapshot), false)`;
  const isReadInWindow = sql`(id < ${i ?? '0'} and ${isVisible(w)})`;
  const from =
    s === undefined
      ? sql`(id >= ${i ?? '0'} or xid >= pg_snapshot_xmin(${w ?? null}::pg_snapshot))`
      : sql`xid >= pg_snapshot_xmin(${s}::pg_snapshot)`;
  const { rows } = await sql<{ waiting: number; lagSeconds: number }>`
    select greatest(0, coalesce(sum(cardinality(ids)), 0) - ${w === undefined ? 0 : n}::int)::int as waiting,
      coalesce(greatest(0, extract(epoch from now() - min(at))), 0)::int as lag_seconds
    from outbox where kind = ${kind} and ${from} and not ${isVisible(s)} and not ${isReadInWindow}`.execute(db);
  return rows[0] ?? { waiting: 0, lagSeconds: 0 };
}
