import type { AuditOrder } from '@hes/contract/reading/reading.ts';
import { sql } from 'kysely';
import { visible } from '#db/scope.ts';
import type { Db, User } from '#db/context.ts';

interface Chosen {
  id: string;
  dcuId: string;
}

/** Bound meters for an audit: a sample drawn by the seed, or the named meter. */
export async function chooseMeters(db: Db, user: User, order: AuditOrder): Promise<Chosen[]> {
  const meters = db.selectFrom('meter').where('dcuId', 'is not', null).where(visible('meter.transformerId', user));
  const drawn =
    'sample' in order
      ? meters
          .where('inventoryState', '=', 'active')
          .orderBy(sql`md5(meter.id::text || ${`/${order.seed}`})`)
          .limit(order.sample)
      : meters.where('sn', '=', order.meterSn.toUpperCase());
  const rows = await drawn.select(['id', 'dcuId']).execute();
  return rows.flatMap(({ id, dcuId }) => (dcuId === null ? [] : { id, dcuId }));
}
