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
