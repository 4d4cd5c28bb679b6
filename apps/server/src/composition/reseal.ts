import type { Db } from '#db/context.ts';
import { countRenewed } from '#db/master-keys.ts';
import type { Secrets } from '#platform/secrets.ts';
import { MAX_OPENER_LENGTH, renewOpener } from '#storage/frames.ts';
import {
  findFormerSecrets,
  findTraceHeads,
  replaceSecrets,
  replaceTraceKeys,
  SEALED_COLUMNS,
  SEALED_TRACES,
  type RenewedSecret,
  type RenewedTrace,
  type SealedColumn,
} from './reseal-queries.ts';

export interface ResealTools {
  db: Db;
  secrets: Secrets;
  /** Called between batches to yield to other work. Returns false when the server stops. */
  goOn(): Promise<boolean>;
}

export interface Resealed {
  renewed: number;
  /** Secrets that neither key opens: they are damaged, or another program wrote them. */
  unreadable: number;
}

function renewOrNothing<T>(renew: () => T): T | 'unreadable' {
  try {
    return renew();
  } catch {
    return 'unreadable';
  }
}

/** Reseals one batch of a column after the key `after`. Returns the last key of the batch, or undefined at the end of the table. */
async function resealColumn({ db, secrets }: ResealTools, column: SealedColumn, after: string, sum: Resealed): Promise<string | undefined> {
  const rows = await findFormerSecrets(db, column, { after, mark: secrets.mark });
  const changes: RenewedSecret[] = [];
  for (const row of rows) {
    const renewed = renewOrNothing(() => secrets.renew(row.sealed, row.purpose));
    if (renewed === 'unreadable') sum.unreadable += 1;
    else changes.push({ id: row.rowId, sealed: row.sealed, renewed });
  }
  if (changes.length > 0)
    await db.transaction().execute(async (tx) => {
      await replaceSecrets(tx, column, changes);
      await countRenewed(tx, changes.length);
    });
  sum.renewed += changes.length;
  return rows.at(-1)?.rowId;
}

/** Reseals the device keys in one batch of traces, like `resealColumn`. */
async function resealTraces(
  { db, secrets }: ResealTools,
  table: (typeof SEALED_TRACES)[number],
  after: string,
  sum: Resealed,
): Promise<string | undefined> {
  const rows = await findTraceHeads(db, table, { after, headBytes: MAX_OPENER_LENGTH });
  const changes: RenewedTrace[] = [];
  for (const { id, head } of rows) {
    const renewed = renewOrNothing(() => renewOpener(head, secrets));
    if (renewed === 'unreadable') sum.unreadable += 1;
    else if (renewed !== undefined) changes.push({ id, head: head.subarray(0, renewed.replaced), ...renewed });
  }
  if (changes.length > 0)
    await db.transaction().execute(async (tx) => {
      await replaceTraceKeys(tx, table, changes);
      await countRenewed(tx, changes.length);
    });
  sum.renewed += changes.length;
  return rows.at(-1)?.id;
}

/** Seals all stored secrets with the current key in batches. Returns undefined if the server stops; the next start continues. */
export async function resealAll(tools: ResealTools): Promise<Resealed | undefined> {
  const sum: Resealed = { renewed: 0, unreadable: 0 };
  const parts = [
    ...SEALED_COLUMNS.map((column) => ({ first: '0', batch: (after: string) => resealColumn(tools, column, after, sum) })),
    ...SEALED_TRACES.map((table) => ({
      first: '00000000-0000-0000-0000-000000000000',
      batch: (after: string) => resealTraces(tools, table, after, sum),
    })),
  ];
  for (const { first, batch } of parts) {
    for (let after: string | undefined = first; after !== undefined; after = await batch(after))
      if (!(await tools.goOn())) return undefined;
  }
  return sum;
}
