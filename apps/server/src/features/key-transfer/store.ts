import { sql } from 'kysely';
import { logKeys } from '#db/key-log.ts';
import { writeKeys } from '#features/assets/port.ts';
import type { Db, Tx } from '#db/context.ts';

/** Keys of a meter, sealed for storage. */
export interface SealedKeys {
  ekSecret: Buffer;
  akSecret: Buffer;
}

/** Keys that were sent to a meter and are not confirmed; undefined when no transfer is pending. */
export const findSentKeys = (db: Db, meterId: string): Promise<SealedKeys | undefined> =>
  db.selectFrom('meterKeyTransfer').where('meterId', '=', meterId).select(['ekSecret', 'akSecret']).executeTakeFirst();

export const findMasterKey = async (db: Db, meterId: string): Promise<Buffer | null> =>
  (await db.selectFrom('meter').where('id', '=', meterId).select('masterKeySecret').executeTakeFirst())?.masterKeySecret ?? null;

interface SentKeys extends SealedKeys {
  meterId: string;
  sn: string;
  taskId: string;
}

/** Stores keys before they are sent. */
export async function storeSentKeys(db: Db, sent: SentKeys): Promise<void> {
  await db.insertInto('meterKeyTransfer').values(sent).execute();
}

export async function dropSentKeys(db: Db, meterId: string): Promise<void> {
  await db.deleteFrom('meterKeyTransfer').where('meterId', '=', meterId).execute();
}

/** Replaces the former keys by the sent ones after the meter has confirmed them. */
export async function useSentKeys(tx: Tx, meterId: string, now: Date): Promise<void> {
  const sent = await tx.deleteFrom('meterKeyTransfer').where('meterId', '=', meterId).returningAll().executeTakeFirst();
  if (sent === undefined) return;
  const { ekSecret, akSecret, taskId } = sent;
  await writeKeys(tx, 'meter', [{ id: meterId, ekSecret, akSecret }], now);
  const user = await sql<{ id: string | null }>`select created_by as id from task where id = ${taskId}`.execute(tx);
  const change = { ek: '', ak: '' };
  await logKeys(tx, { kind: 'meter', id: meterId, change, method: 'transferred', userId: user.rows[0]?.id ?? null }, now);
}
