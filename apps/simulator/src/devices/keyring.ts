import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { SecuritySuite } from '@hes/dlms/security/cipher.ts';
import { type DeviceKeys, keysOf } from './keys.ts';

/** The present keys of the devices: factory keys until a head-end transfers others. */
export interface Keyring {
  of(sn: string): DeviceKeys;
  change(sn: string, keys: Partial<DeviceKeys>): void;
}

type Written = Record<string, { ek: string; ak: string }>;

/**
 * `file` persists changed keys over a restart; without it a restart restores the factory keys. `suiteOf` gives the suite of a device, from
 * which the length of its keys follows.
 */
export function createKeyring(seed: number, file?: string, suiteOf: (sn: string) => SecuritySuite = () => 0): Keyring {
  const changed = new Map(file === undefined ? [] : readKeys(file));
  const of = (sn: string): DeviceKeys => changed.get(sn) ?? keysOf(seed, sn, suiteOf(sn));
  return {
    of,
    change(sn, keys) {
      changed.set(sn, { ...of(sn), ...keys });
      if (file !== undefined) writeKeys(file, changed);
    },
  };
}

const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex');

function readKeys(file: string): [sn: string, keys: DeviceKeys][] {
  try {
    const written = JSON.parse(readFileSync(file, 'utf8')) as Written; // as: written below
    return Object.entries(written).map(([sn, { ek, ak }]) => [sn, { ek: Buffer.from(ek, 'hex'), ak: Buffer.from(ak, 'hex') }]);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Replaces the file atomically, so a crash leaves no partial one. */
function writeKeys(file: string, changed: ReadonlyMap<string, DeviceKeys>): void {
  const written: Written = Object.fromEntries([...changed].map(([sn, { ek, ak }]) => [sn, { ek: hex(ek), ak: hex(ak) }]));
  writeFileSync(`${file}.new`, JSON.stringify(written), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
