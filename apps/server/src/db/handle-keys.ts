import { createHmac } from 'node:crypto';
import type { Chain } from '@hes/contract/audit/actions.ts';
import type { KyselyPlugin } from 'kysely';
import type { Db } from './context.ts';
import { RightNumbers } from './right-numbers.ts';

export interface RetiredChainKey {
  through: Record<Chain, string>;
  key: Buffer;
}

/** Keys by which a database handle authenticates rows. They are not stored in the database. */
export interface HandleKeys {
  /** Key of the hash chains of the audit log and the command log. */
  chains: Buffer;
  /** Key of the seals of users, roles and sessions. */
  rights: Buffer;
  /** Chain keys under former master keys, oldest first; each applies to rows up to and including `through`. */
  retired: RetiredChainKey[];
  numbers: RightNumbers;
}

const subkey = (chains: Buffer, purpose: string) => createHmac('sha256', chains).update(purpose).digest();
export const rightsKeyOf = (chains: Buffer): Buffer => subkey(chains, 'seals of rights');

/**
 * `dataDir`: folder of the file of seal numbers; without it (tests and tools) they are in memory. `previous`: chain key under the master
 * key that is being replaced.
 */
export function handleKeys(chains: Buffer, dataDir?: string, previous?: Buffer): HandleKeys {
  const known = previous === undefined ? [] : [subkey(previous, 'numbers of seals')];
  const numbers = new RightNumbers(dataDir, subkey(chains, 'numbers of seals'), ...known);
  return { chains, rights: rightsKeyOf(chains), retired: [], numbers };
}

/** Keyed by the plugin of the database handle: all writers get the keys implicitly. */
const KEYS = new WeakMap<KyselyPlugin, HandleKeys>();

/** Registers the keys of a database handle and its transactions. Each handle has a separate plugin instance. */
export const registerKeys = (plugin: KyselyPlugin, keys: HandleKeys): void => void KEYS.set(plugin, keys);

export function keysOf(db: Db): HandleKeys {
  for (const plugin of db.getExecutor().plugins) {
    const keys = KEYS.get(plugin);
    if (keys !== undefined) return keys;
  }
  throw new Error('This database handle has no keys: open it with openDb(pool, keys)');
}
