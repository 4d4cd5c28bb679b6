import type { DeviceKeys as KeyChange } from '@hes/contract/asset/device.ts';
import type { Secrets } from './secrets.ts';

/** An encrypted key with its purpose. Both and the master key are needed to decrypt it. */
export interface SealedKey {
  secret: Uint8Array;
  purpose: string;
}

/** Global unicast encryption key and authentication key of a device (16 octets in security suites 0 and 1, 32 in suite 2). */
export interface DeviceKeys {
  ek: Buffer;
  ak: Buffer;
  sealedEk: SealedKey;
}

export type DeviceKind = 'dcu' | 'meter';

/** Secrets that are keys, not passwords. */
export const KEYS = ['ek', 'ak', 'masterKey'] as const;
export type KeyName = (typeof KEYS)[number];

const purpose = (kind: DeviceKind, sn: string, key: 'ek' | 'ak' | 'master' | 'password') => `${kind}/${sn}/${key}`;

/** Encrypts keys for the columns `ek_secret` and `ak_secret`, bound to the serial number. */
export function sealKeys(
  secrets: Secrets,
  kind: DeviceKind,
  sn: string,
  keys: { ek: Uint8Array; ak: Uint8Array },
): { ekSecret: Buffer; akSecret: Buffer } {
  return { ekSecret: secrets.seal(keys.ek, purpose(kind, sn, 'ek')), akSecret: secrets.seal(keys.ak, purpose(kind, sn, 'ak')) };
}

/** Decrypts the keys of a device; undefined when none are stored. Throws when they are sealed with another master key. */
export function openKeys(
  secrets: Secrets,
  kind: DeviceKind,
  sn: string,
  row: { ekSecret: Uint8Array | null; akSecret: Uint8Array | null },
): DeviceKeys | undefined {
  if (row.ekSecret === null || row.akSecret === null) return undefined;
  // Renewed under the current master key, because traces store it.
  const sealedEk = { secret: secrets.renew(row.ekSecret, purpose(kind, sn, 'ek')), purpose: purpose(kind, sn, 'ek') };
  return { ek: secrets.open(sealedEk.secret, sealedEk.purpose), ak: secrets.open(row.akSecret, purpose(kind, sn, 'ak')), sealedEk };
}

/** Decrypts a password; undefined when none is stored. Throws when it is sealed with another master key. */
export const openPassword = (secrets: Secrets, kind: DeviceKind, sn: string, sealed: Uint8Array | null): Buffer | undefined =>
  sealed === null ? undefined : secrets.open(sealed, purpose(kind, sn, 'password'));

/** Decrypts the key-encrypting key (KEK) of a device. Throws when it is sealed with another master key of the head-end. */
export const openMasterKey = (secrets: Secrets, kind: DeviceKind, sn: string, sealed: Uint8Array): Buffer =>
  secrets.open(sealed, purpose(kind, sn, 'master'));

/** Secret columns of a device. Absent: unchanged; null: removed. */
export interface SecretColumns {
  passwordSecret?: Buffer | null;
  masterKeySecret?: Buffer | null;
  ekSecret?: Buffer | null;
  akSecret?: Buffer | null;
}

/** Encrypts entered secrets for their columns. */
export function sealChange(secrets: Secrets, kind: DeviceKind, sn: string, change: KeyChange): SecretColumns {
  const sealed = (octets: Buffer, key: Parameters<typeof purpose>[2]) => secrets.seal(octets, purpose(kind, sn, key));
  const key = (hex: string | null, name: 'ek' | 'ak' | 'master') => (hex === null ? null : sealed(Buffer.from(hex, 'hex'), name));
  const { password, masterKey, ek, ak } = change;
  return {
    ...(password === undefined ? {} : { passwordSecret: password === null ? null : sealed(Buffer.from(password), 'password') }),
    ...(masterKey === undefined ? {} : { masterKeySecret: key(masterKey, 'master') }),
    ...(ek === undefined ? {} : { ekSecret: key(ek, 'ek') }),
    ...(ak === undefined ? {} : { akSecret: key(ak, 'ak') }),
  };
}

/** The stored keys that can be decrypted, as upper-case hex digits. */
export function storedKeysOf(
  secrets: Secrets,
  kind: DeviceKind,
  { sn, ekSecret, akSecret }: { sn: string; ekSecret: Uint8Array | null; akSecret: Uint8Array | null },
): string[] {
  return (
    [
      ['ek', ekSecret],
      ['ak', akSecret],
    ] as const
  ).flatMap(([name, sealed]) => {
    if (sealed === null) return [];
    try {
      return [
        secrets
          .open(sealed, purpose(kind, sn, name))
          .toString('hex')
          .toUpperCase(),
      ];
    } catch {
      return [];
    }
  });
}

/** Whether `hex` equals the stored key; false when the stored key cannot be decrypted. */
export function isStoredKey(
  secrets: Secrets,
  kind: DeviceKind,
  device: { sn: string } & Record<`${KeyName}Secret`, Uint8Array | null>,
  name: KeyName,
  hex: string,
): boolean {
  const sealed = device[`${name}Secret`];
  if (sealed === null) return false;
  try {
    return secrets.open(sealed, purpose(kind, device.sn, name === 'masterKey' ? 'master' : name)).equals(Buffer.from(hex, 'hex'));
  } catch {
    return false;
  }
}
