import { lockInTransaction } from './advisory-locks.ts';
import type { Db, Tx } from './context.ts';
import { canonical } from './canonical.ts';
import { GENESIS, hashOf, type HashedRow } from './hash-chain.ts';

const ROWS_PER_STATEMENT = 1000;

export interface CommandEntry {
  /** Null: no person, but a plan. */
  userId: string | null;
  /** What was ordered: `clock_sync`, `relay_disconnect`. */
  kind: string;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  reason?: string | null;
  workOrder?: string | null;
  request?: Record<string, unknown>;
  /** Null: it is ordered. Else `ok`, or the reason it failed. */
  result: string | null;
  taskId: string | null;
  taskItemId?: string | null;
  traceId?: string | null;
}

/** The content a row's hash covers, in a form that the database gives back unchanged. */
const contentOf = (row: Omit<Required<CommandEntry>, 'request'> & { at: Date; request: string }): string =>
  JSON.stringify([
    row.at.toISOString(),
    row.userId,
    row.kind,
    row.deviceKind,
    row.deviceId,
    row.reason,
    row.workOrder,
    row.request,
    row.result,
    row.taskId,
    row.taskItemId,
    row.traceId,
  ]);

/** Appends commands to the chain, in the transaction of what they order or report: both stand, or neither. */
export async function writeCommands(tx: Tx, entries: readonly CommandEntry[], now: number): Promise<void> {
  if (entries.length === 0) return;
  await lockInTransaction(tx, 'commandLog');
  const last = await tx.selectFrom('commandLog').select('hash').orderBy('id', 'desc').limit(1).executeTakeFirst();
  let prevHash: Buffer = last?.hash ?? GENESIS;
  const rows = entries.map((entry) => {
    const row = {
      at: new Date(now),
      userId: entry.userId,
      kind: entry.kind,
      deviceKind: entry.deviceKind,
      deviceId: entry.deviceId,
      reason: entry.reason ?? null,
      workOrder: entry.workOrder ?? null,
      request: canonical(entry.request ?? {}),
      result: entry.result,
      taskId: entry.taskId,
      taskItemId: entry.taskItemId ?? null,
      traceId: entry.traceId ?? null,
    };
    const hash = hashOf(tx, prevHash, contentOf(row));
    const chained = { ...row, prevHash, hash };
    prevHash = hash;
    return chained;
  });

  for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
    await tx
      .insertInto('commandLog')
      .values(rows.slice(at, at + ROWS_PER_STATEMENT))
      .execute();
}

/** Rows of the log behind this id, each with what its hash covers. */
export async function commandRowsAfter(db: Db, id: string, limit: number): Promise<HashedRow[]> {
  const rows = await db.selectFrom('commandLog').where('id', '>', id).selectAll().orderBy('id').limit(limit).execute();
  return rows.map((row) => ({ ...row, content: contentOf({ ...row, request: canonical(row.request) }) }));
}
