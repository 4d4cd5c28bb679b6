import { createHash, createHmac } from 'node:crypto';
import type { Chain } from '@hes/contract/audit/actions.ts';
import type { Db } from './context.ts';
import { keysOf } from './handle-keys.ts';

/** What the first row of a chain follows. */
export const GENESIS = Buffer.alloc(32);

/** The hash of a row: HMAC-SHA-256 over the hash before it and its content, so that rows cannot be chained without the key. */
export const hashOf = (db: Db, previous: Buffer, content: string): Buffer => keyedHashOf(keysOf(db).chains, previous, content);

const keyedHashOf = (key: Buffer, previous: Buffer, content: string): Buffer =>
  createHmac('sha256', key).update(previous).update(content).digest();

/** The key of a row: that of the master key of its time. */
function keyOfRow(db: Db, chain: Chain, id: string): Buffer {
  const { chains, retired } = keysOf(db);
  return retired.find(({ through }) => BigInt(id) <= BigInt(through[chain]))?.key ?? chains;
}

/** The same without a key, as older versions wrote it. */
const keylessHashOf = (previous: Buffer, content: string): Buffer => createHash('sha256').update(previous).update(content).digest();

/** A row of a chain with what its hash covers. */
export interface HashedRow {
  id: string;
  prevHash: Buffer;
  hash: Buffer;
  content: string;
}

interface Link {
  chain: Chain;
  /** Hash of the row before. */
  previous: Buffer;
  /** Only rows before it may have been written without a key. */
  keyedFrom: string;
}

/** Whether a row follows from the one before it. */
export function follows(db: Db, { chain, previous, keyedFrom }: Link, row: HashedRow): boolean {
  if (!row.prevHash.equals(previous)) return false;
  if (row.hash.equals(keyedHashOf(keyOfRow(db, chain, row.id), previous, row.content))) return true;
  return BigInt(row.id) < BigInt(keyedFrom) && row.hash.equals(keylessHashOf(previous, row.content));
}
