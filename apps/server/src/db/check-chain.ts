import type { Chain } from '@hes/contract/audit/actions.ts';
import type { Db } from './context.ts';
import { auditRowsAfter } from './audit.ts';
import { commandRowsAfter } from './command-log.ts';
import { continuesChain, GENESIS, type HashedRow } from './hash-chain.ts';

const ROWS_AFTER: Record<Chain, (db: Db, id: string, limit: number) => Promise<HashedRow[]>> = {
  audit: auditRowsAfter,
  commands: commandRowsAfter,
};

interface Part {
  /** Only rows after this one; undefined: from the beginning. */
  after?: string | undefined;
  limit: number;
  /** Rows before it may have a hash without a key; undefined: all hashes need the key. */
  keyedFrom?: string | undefined;
}

export interface ChainCheck {
  checked: number;
  /** The first row that does not follow from the one before it. */
  brokenId: string | null;
  /** Its content was changed, or rows before it are missing. Null: no row is broken. */
  brokenBy: 'changed' | 'missing' | null;
  /** The last checked row that continues the chain. */
  last: Pick<HashedRow, 'id' | 'hash'> | null;
  isEnd: boolean;
}

/** Checks a part of a chain; undefined when the row `after` does not exist. */
export async function checkChain(db: Db, chain: Chain, { after, limit, keyedFrom = '1' }: Part): Promise<ChainCheck | undefined> {
  const rowsAfter = ROWS_AFTER[chain];
  const [start] = after === undefined ? [] : await rowsAfter(db, String(BigInt(after) - 1n), 1);
  if (start?.id !== after) return undefined;
  let last: ChainCheck['last'] = start ?? null;
  let checked = 0;
  const rows = await rowsAfter(db, after ?? '0', limit);
  for (const row of rows) {
    const previous = last?.hash ?? GENESIS;
    if (!continuesChain(db, { chain, previous, keyedFrom }, row))
      return { checked, brokenId: row.id, brokenBy: row.prevHash.equals(previous) ? 'changed' : 'missing', last, isEnd: false };
    last = row;
    checked += 1;
  }
  return { checked, brokenId: null, brokenBy: null, last, isEnd: rows.length < limit };
}
