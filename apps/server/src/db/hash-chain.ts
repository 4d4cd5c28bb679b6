import { createHash, createHmac } from 'node:crypto';
import type { Chain } from '@hes/contract/audit/actions.ts';
import type { Db } from './context.ts';
import { keysOf } from './handle-keys.ts';

/** Previous hash of the first row of a chain. */
export const GENESIS = Buffer.alloc(32);

/** HMAC-SHA-256 over the previous hash and the content of a row: without the key, no valid row can be appended. */
export const hashOf = (db: Db, previous: Buffer, content: string): Buffer => keyedHashOf(keysOf(db).chains, previous, content);

const keyedHashOf = (key: Buffer, previous: Buffer, content: string): Buffer =>
  createHmac('sha256', key).update(previous).update(content).digest();

/** The chain key that was in use when the row was written. */
function keyOfRow(db: Db, chain: Chain, id: string): Buffer {
  const { chains, retired } = keysOf(db);
  return retired.find(({ through }) => BigInt(id) <= BigInt(through[chain]))?.key ?? chains;
}

/** Hash without a key, as older versions wrote it. */
const keylessHashOf = (previous: Buffer, content: string): Buffer => createHash('sha256').update(previous).update(content).digest();

/** A row of a chain with the content that its hash covers. */
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
  /** Only rows before this one may have a hash without a key. */
  keyedFrom: string;
}

/** Whether a row continues the chain after `previous`. */
export function continuesChain(db: Db, { chain, previous, keyedFrom }: Link, row: HashedRow): boolean {
  if (!row.prevHash.equals(previous)) return false;
  if (row.hash.equals(keyedHashOf(keyOfRow(db, chain, row.id), previous, row.content))) return true;
  return BigInt(row.id) < BigInt(keyedFrom) && row.hash.equals(keylessHashOf(previous, row.content));
}
