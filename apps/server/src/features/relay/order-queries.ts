import type { Insertable } from 'kysely';
import type { Tx } from '#db/context.ts';
import type { Database } from '#db/tables.ts';
import { holdItems } from './list-queries.ts';

/** The order that an earlier delivery of the same request created. */
export const findOrder = (tx: Tx, requestedBy: string, requestId: string) =>
  tx
    .selectFrom('relayOrder')
    .where('requestedBy', '=', requestedBy)
    .where('requestId', '=', requestId)
    .select(['taskId', 'needsApproval as requiresApproval'])
    .executeTakeFirst();

export async function insertOrder(tx: Tx, order: Insertable<Database['relayOrder']>): Promise<void> {
  await tx.insertInto('relayOrder').values(order).execute();
}

export async function insertCommands(tx: Tx, commands: Insertable<Database['relayCommand']>[]): Promise<void> {
  await tx.insertInto('relayCommand').values(commands).execute();
}

/** Holds the items of a task until it is approved; without approval they expire at `expiresAt`. */
export async function requestApproval(tx: Tx, taskId: string, requestedBy: string, expiresAt: Date): Promise<void> {
  await tx.updateTable('task').set({ state: 'waiting_approval' }).where('id', '=', taskId).execute();
  await holdItems(tx, taskId);
  await tx.insertInto('approval').values({ taskId, requestedBy, expiresAt }).execute();
}
