import { sql } from 'kysely';
import type { Db, Tx, User } from '#db/context.ts';
import { visible } from '#db/scope.ts';
import type { PhotoType } from './photo-type.ts';

interface Exchange {
  /** The removed meter, or the one that was installed where there was none. */
  meterId: string;
  sn: string;
}

/** A replacement or installation at a transformer of the user's area. */
export async function findExchange(db: Db | Tx, user: User, id: string): Promise<Exchange | undefined> {
  const { rows } = await sql<Exchange>`
    select meter.id as meter_id, meter.sn from meter_exchange e join meter on meter.id = coalesce(e.old_meter_id, e.new_meter_id)
    left join transformer on transformer.id = e.transformer_id where e.id = ${id} and ${visible('transformer.id', user)}`.execute(db);
  return rows[0];
}

interface Photo {
  exchangeId: string;
  mediaType: PhotoType;
  octets: Buffer;
  takenBy: string;
  createdAt: Date;
}

/** Stores the photo unless the replacement has one; returns whether it was stored. */
export async function insertPhoto(tx: Tx, photo: Photo): Promise<boolean> {
  const stored = await tx
    .insertInto('meterExchangePhoto')
    .values(photo)
    .onConflict((conflict) => conflict.column('exchangeId').doNothing())
    .returning('exchangeId')
    .executeTakeFirst();
  return stored !== undefined;
}

export const findPhoto = (db: Db, exchangeId: string) =>
  db.selectFrom('meterExchangePhoto').where('exchangeId', '=', exchangeId).select(['mediaType', 'octets']).executeTakeFirst();
