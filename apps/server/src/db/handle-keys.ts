import { createHmac } from 'node:crypto';
import type { Chain } from '@hes/contract/audit/actions.ts';
import type { KyselyPlugin } from 'kysely';
import type { Db } from './context.ts';
import { RightNumbers } from './right-numbers.ts';

export interface RetiredChainKey {
  through: Record<Chain, string>;
  key: Buffer;
}

/** What a database handle proves its rows with; it is not in the database. */
export interface HandleKeys {
  /** Of the hashes that chain the audit log and the command log. */
  chains: Buffer;
  /** Of the seals of users, roles and sessions. */
  rights: Buffer;
  /** Keys of the chains before the master key was replaced, the oldest first: each of rows up to `through`, the last of its time. */
  retired: RetiredChainKey[];
  numbers: RightNumbers;
}

const subkey = (chains: Buffer, purpose: string) => createHmac('sha256', chains).update(purpose).digest();
export const rightsKeyOf = (chains: Buffer): Buffer => subkey(chains, 'seals of rights');

/**
 * `dataDir`: where the numbers of the seals are kept; without it, in tests and tools, in memory. `previous`: key of the chains under the master
 * key that is being replaced.
 */
export function handleKeys(chains: Buffer, dataDir?: string, previous?: Buffer): HandleKeys {
  const known = previous === undefined ? [] : [subkey(previous, 'numbers of seals')];
  const numbers = new RightNumbers(dataDir, subkey(chains, 'numbers of seals'), ...known);
  return { chains, rights: rightsKeyOf(chains), retired: [], numbers };
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
