import type { Db } from '#db/context.ts';

export interface Reservation {
  userId: string;
  key: string;
  /** Of the call and its input. */
  digest: Buffer;
}

export const dropOlder = (db: Db, than: Date) => db.deleteFrom('idempotencyKey').where('createdAt', '<', than).execute();

/** Reserves a key. Returns false if another call has it. */
export async function reserve(db: Db, entry: Reservation, now: Date): Promise<boolean> {
  const reserved = await db
    .insertInto('idempotencyKey')
    .values({ ...entry, createdAt: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('key')
    .executeTakeFirst();
  return reserved !== undefined;
}

export const findReserved = (db: Db, { userId, key }: Reservation) =>
  db.selectFrom('idempotencyKey').where('userId', '=', userId).where('key', '=', key).select(['digest', 'answer']).executeTakeFirst();

export const storeAnswer = (db: Db, { userId, key }: Reservation, answer: string) =>
  db.updateTable('idempotencyKey').set({ answer }).where('userId', '=', userId).where('key', '=', key).execute();

export const release = (db: Db, { userId, key }: Reservation) =>
  db.deleteFrom('idempotencyKey').where('userId', '=', userId).where('key', '=', key).execute();
