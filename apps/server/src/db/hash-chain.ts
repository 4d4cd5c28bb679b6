import { createHash, createHmac } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import type { Db } from '#platform/context.ts';

/** What the first row of a chain follows. */
export const GENESIS = Buffer.alloc(32);

/** Keys of the chains by the plugin of the database handle whose transactions write them: no writer can forget the key. */
const KEYS = new WeakMap<KyselyPlugin, Buffer>();

/** Lets a database handle, and its transactions, continue the chains. The plugin is the handle's own. */
export const giveChainKey = (plugin: KyselyPlugin, key: Buffer): void => void KEYS.set(plugin, key);

function keyOf(db: Db): Buffer {
  for (const plugin of db.getExecutor().plugins) {
    const key = KEYS.get(plugin);
    if (key !== undefined) return key;
  }
  throw new Error('This database handle has no key of the chains: open it with openDb(pool, { chainKey })');
}

/** The hash of a row: HMAC-SHA-256 over the hash before it and its content, so that rows cannot be chained without the key. */
export const hashOf = (db: Db, previous: Buffer, content: string): Buffer =>
  createHmac('sha256', keyOf(db)).update(previous).update(content).digest();

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

/** jsonb keeps no order of keys: sorted, so that a row read back hashes to the same. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
