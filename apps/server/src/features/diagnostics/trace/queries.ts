import { sql } from 'kysely';
import { visibleDevice } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';

const COLUMNS = ['id', 'at', 'dcuId', 'meterId', 'frames', 'bytes', 'durationMs'] as const;

/** Traces of the last weeks, and older traces of commands. */
const exchanges = (db: Db) => db.selectFrom('trace').select(COLUMNS).unionAll(db.selectFrom('commandTrace').select(COLUMNS)).as('exchange');

/** A stored trace; undefined if it is deleted or outside the user's area. */
export const findTrace = (db: Db, user: User, id: string) =>
  db
    .selectFrom(exchanges(db))
    .leftJoin('dcu', 'dcu.id', 'exchange.dcuId')
    .leftJoin('meter', 'meter.id', 'exchange.meterId')
    .where('exchange.id', '=', id)
    .where(visibleDevice(user))
    .select([
      'exchange.id',
      'exchange.at',
      'exchange.dcuId',
      'dcu.sn as dcuSn',
      'exchange.meterId',
      'meter.sn as meterSn',
      'exchange.frames',
      'exchange.bytes',
      'exchange.durationMs',
    ])
    .executeTakeFirst();

export type FoundTrace = NonNullable<Awaited<ReturnType<typeof findTrace>>>;

/**
 * Shares, in percent and each once, of the head-ends that held devices at an instant. Clocks of head-ends differ, so the ones of a minute before and
 * after count. `other`: of those that did not write theirs, and when none is known.
 */
export async function findSharesAt(db: Db, atMs: number, other: number): Promise<number[]> {
  const { rows } = await sql<{ share: number }>`
    select distinct coalesce(trace_share, ${other}::float8) as share from node where 'field' = any(roles)
      and started_at <= to_timestamp(${atMs}::float8 / 1000) + interval '1 minute'
      and (ended_at is null or ended_at >= to_timestamp(${atMs}::float8 / 1000) - interval '1 minute')`.execute(db);
  return rows.length === 0 ? [other] : rows.map(({ share }) => share);
}
