import { sql } from 'kysely';
import type { Db, Tx } from '#db/context.ts';

export interface HeldCall {
  id: string;
  route: string;
  content: Buffer;
  devices: number;
  reason: string | null;
  requestedBy: string;
  requestedByName: string;
  createdAt: Date;
  expiresAt: Date;
  state: 'pending' | 'approved' | 'rejected' | 'failed';
  decidedByName: string | null;
  decidedAt: Date | null;
  comment: string | null;
}

const calls = (db: Db) =>
  db
    .selectFrom('heldCall as h')
    .innerJoin('appUser as asked', 'asked.id', 'h.requestedBy')
    .leftJoin('appUser as decider', 'decider.id', 'h.approverId')
    .select(['h.id', 'h.route', 'h.content', 'h.devices', 'h.reason', 'h.requestedBy', 'asked.name as requestedByName'])
    .select(['h.createdAt', 'h.expiresAt', 'h.state', 'decider.name as decidedByName', 'h.decidedAt', 'h.comment']);

export const listHeld = (db: Db, since: Date): Promise<HeldCall[]> =>
  calls(db).where('h.createdAt', '>', since).orderBy('h.id', 'desc').limit(500).execute();

export const findHeld = (db: Db, id: string): Promise<HeldCall | undefined> => calls(db).where('h.id', '=', id).executeTakeFirst();

export interface NewHeldCall {
  route: string;
  content: Buffer;
  digest: Buffer;
  devices: number;
  reason: string | null;
  requestedBy: string;
  createdAt: Date;
  expiresAt: Date;
}

/** Returns the id of the stored call; undefined when the same call is already pending. */
export async function insertHeld(tx: Tx, call: NewHeldCall): Promise<string | undefined> {
  await sql`lock table held_call in share row exclusive mode`.execute(tx);
  const same = await tx
    .selectFrom('heldCall')
    .where('digest', '=', call.digest)
    .where('requestedBy', '=', call.requestedBy)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', call.createdAt)
    .select('id')
    .executeTakeFirst();
  if (same !== undefined) return undefined;
  return (await tx.insertInto('heldCall').values(call).returning('id').executeTakeFirstOrThrow()).id;
}

export interface Decided {
  state: 'approved' | 'rejected';
  approverId: string;
  comment: string | null;
  decidedAt: Date;
}

/** Stores the decision if the call is still pending. Returns whether it was. */
export async function decideHeld(tx: Tx, id: string, decided: Decided): Promise<boolean> {
  const row = await tx
    .updateTable('heldCall')
    .set(decided)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expiresAt', '>', decided.decidedAt)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export const markFailed = (db: Db, id: string) => db.updateTable('heldCall').set({ state: 'failed' }).where('id', '=', id).execute();
