import { createHmac } from 'node:crypto';
import type { KyselyPlugin } from 'kysely';
import type { Db } from '#platform/context.ts';
import { RightNumbers } from './right-numbers.ts';

/** What a database handle proves its rows with; it is not in the database. */
export interface HandleKeys {
  /** Of the hashes that chain the audit log and the command log. */
  chains: Buffer;
  /** Of the seals of users, roles and sessions. */
  rights: Buffer;
  numbers: RightNumbers;
}

/** `dataDir`: where the numbers of the seals are kept; without it, in tests and tools, in memory. */
export function handleKeys(chains: Buffer, dataDir?: string): HandleKeys {
  const derive = (purpose: string) => createHmac('sha256', chains).update(purpose).digest();
  return { chains, rights: derive('seals of rights'), numbers: new RightNumbers(dataDir, derive('numbers of seals')) };
}

/** By the plugin of the database handle, so that no writer can forget the keys. */
const KEYS = new WeakMap<KyselyPlugin, HandleKeys>();

/** Gives keys to a database handle and its transactions. The plugin is the handle's own. */
export const giveKeys = (plugin: KyselyPlugin, keys: HandleKeys): void => void KEYS.set(plugin, keys);

export function keysOf(db: Db): HandleKeys {
  for (const plugin of db.getExecutor().plugins) {
    const keys = KEYS.get(plugin);
    if (keys !== undefined) return keys;
  }
  throw new Error('This database handle has no keys: open it with openDb(pool, keys)');
}
