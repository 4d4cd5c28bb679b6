import { decode, encode } from '../codec/codec.ts';
import { securitySetup } from '../cosem/classes/security-setup.ts';
import { required, type Cipher } from './cipher.ts';
import type { SecurityKeys } from './protection.ts';

/** The keys that key_transfer can replace: the keys of APDUs and the master key. */
export interface TransferableKeys extends SecurityKeys {
  kek: Uint8Array;
}

const { argument } = securitySetup.methods.globalKeyTransfer;
/** Our names for the key ids of the security setup. */
export const KEY_NAMES = {
  globalUnicastEncryption: 'ek',
  globalBroadcastEncryption: 'bk',
  authentication: 'ak',
  master: 'kek',
} as const satisfies Record<string, keyof TransferableKeys>;
type KeyId = keyof typeof KEY_NAMES;

/** Encodes the argument of key_transfer, with each key wrapped by the master key. @spec GB 9.2 (RFC 3394) */
export function wrapKeys(cipher: Cipher, kek: Uint8Array, keys: Partial<TransferableKeys>): Uint8Array {
  const wrap = required(cipher.wrapKey, 'wrapKey');
  const ids = Object.keys(KEY_NAMES) as KeyId[]; // as: keys() widens
  const items = ids.flatMap((keyId) => {
    const key = keys[KEY_NAMES[keyId]];
    return key === undefined ? [] : [{ keyId, keyWrapped: wrap(kek, key) }];
  });
  return encode(argument, items);
}

/**
 * Unwraps the keys in an argument of key_transfer. Undefined when a key is corrupt or differs from the master key in size; throws
 * `DecodeError` on broken octets.
 */
export function unwrapKeys(cipher: Cipher, kek: Uint8Array, octets: Uint8Array): Partial<TransferableKeys> | undefined {
  const unwrap = required(cipher.unwrapKey, 'unwrapKey');
  const keys: Partial<TransferableKeys> = {};
  for (const { keyId, keyWrapped } of decode(argument, octets)) {
    const key = unwrap(kek, keyWrapped);
    if (key?.length !== kek.length) return undefined;
    keys[KEY_NAMES[keyId]] = key;
  }
  return keys;
}
