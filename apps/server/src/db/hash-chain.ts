import { createHash, createHmac } from 'node:crypto';
import type { Db } from '#platform/context.ts';
import { keysOf } from './handle-keys.ts';

/** What the first row of a chain follows. */
export const GENESIS = Buffer.alloc(32);

/** The hash of a row: HMAC-SHA-256 over the hash before it and its content, so that rows cannot be chained without the key. */
export const hashOf = (db: Db, previous: Buffer, content: string): Buffer =>
  createHmac('sha256', keysOf(db).chains).update(previous).update(content).digest();

/** The same without a key, as older versions wrote it. */
const keylessHashOf = (previous: Buffer, content: string): Buffer => createHash('sha256').update(previous).update(content).digest();

/** A row of a chain with what its hash covers. */
export interface HashedRow {
  id: string;
  prevHash: Buffer;
  hash: Buffer;
  content: string;
}

/** Whether a row follows from the one before it. Only rows before `keyedFrom` may have been written without a key. */
export function follows(db: Db, previous: Buffer, row: HashedRow, keyedFrom: string): boolean {
  if (!row.prevHash.equals(previous)) return false;
  if (row.hash.equals(hashOf(db, previous, row.content))) return true;
  return BigInt(row.id) < BigInt(keyedFrom) && row.hash.equals(keylessHashOf(previous, row.content));
}
