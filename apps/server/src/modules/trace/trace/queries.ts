import { visible } from '#db/scope.ts';
import type { Db, User } from '#platform/context.ts';

/** A stored exchange; undefined when it is gone or outside the user's area. */
export const findTrace = (db: Db, user: User, id: string) =>
  db
    .selectFrom('trace')
    .leftJoin('dcu', 'dcu.id', 'trace.dcuId')
    .leftJoin('meter', 'meter.id', 'trace.meterId')
    .where('trace.id', '=', id)
    .where(visible('dcu.transformerId', user))
    .select([
      'trace.id',
      'trace.at',
      'trace.dcuId',
      'dcu.sn as dcuSn',
      'trace.meterId',
      'meter.sn as meterSn',
      'trace.frames',
      'trace.bytes',
      'trace.durationMs',
    ])
    .executeTakeFirst();
