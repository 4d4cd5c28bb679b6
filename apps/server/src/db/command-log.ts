import { lockInTransaction } from './advisory-locks.ts';
import type { Db, Tx } from './context.ts';
import { canonical } from './canonical.ts';
import { GENESIS, hashOf, type HashedRow } from './hash-chain.ts';

const ROWS_PER_STATEMENT = 1000;

export interface CommandEntry {
  /** Null: a plan gave the command, not a user. */
  userId: string | null;
  /** Kind of the command, such as `clock_sync` or `relay_disconnect`. */
  kind: string;
  deviceKind: 'dcu' | 'meter';
  deviceId: string;
  reason?: string | null;
  workOrder?: string | null;
  request?: Record<string, unknown>;
  /** Null when the command is given; afterwards `ok` or the reason of the failure. */
  result: string | null;
  taskId: string | null;
  taskItemId?: string | null;
  traceId?: string | null;
}

/** The content that the hash of a row covers, in a form that survives a round trip through the database. */
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

/** Appends commands to the chain, in the same transaction as the order or the result that they record. */
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

/** Rows of the log after this id, each with the content that its hash covers. */
export async function commandRowsAfter(db: Db, id: string, limit: number): Promise<HashedRow[]> {
  const rows = await db.selectFrom('commandLog').where('id', '>', id).selectAll().orderBy('id').limit(limit).execute();
  return rows.map((row) => ({ ...row, content: contentOf({ ...row, request: canonical(row.request) }) }));
}
