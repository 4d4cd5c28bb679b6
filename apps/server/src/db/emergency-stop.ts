import type { Db } from './context.ts';

/** Reason of the active emergency stop; undefined when it is not pressed. */
export async function findStopReason(db: Db): Promise<string | undefined> {
  const row = await db.selectFrom('relayStop').where('releasedAt', 'is', null).select('reason').executeTakeFirst();
  return row?.reason;
}

export const isStopPressed = async (db: Db): Promise<boolean> => (await findStopReason(db)) !== undefined;
