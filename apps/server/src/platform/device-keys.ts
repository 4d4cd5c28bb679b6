import type { DeviceKeys as KeyChange } from '@hes/contract/asset/device.ts';
import type { Secrets } from './secrets.ts';

/** A key as it lies in the database, and what it was sealed for: who has both and the master key can open it. */
export interface SealedKey {
  secret: Uint8Array;
  purpose: string;
}

/** The two keys of DLMS suite 0, as a device holds them. */
export interface DeviceKeys {
  ek: Buffer;
  ak: Buffer;
  sealedEk: SealedKey;
}

export type DeviceKind = 'dcu' | 'meter';

/** Secrets that are keys, not words. */
export const KEYS = ['ek', 'ak', 'masterKey'] as const;
export type KeyName = (typeof KEYS)[number];

const purpose = (kind: DeviceKind, sn: string, key: 'ek' | 'ak' | 'master' | 'password') => `${kind}/${sn}/${key}`;

/** For the columns `ek_secret` and `ak_secret` of a device; bound to its serial number. */
export function sealKeys(
  secrets: Secrets,
  kind: DeviceKind,
  sn: string,
  keys: { ek: Uint8Array; ak: Uint8Array },
): { ekSecret: Buffer; akSecret: Buffer } {
  return { ekSecret: secrets.seal(keys.ek, purpose(kind, sn, 'ek')), akSecret: secrets.seal(keys.ak, purpose(kind, sn, 'ak')) };
}

/** Undefined when no keys are stored. Throws when they were sealed with another master key. */
export function openKeys(
  secrets: Secrets,
  kind: DeviceKind,
  sn: string,
  row: { ekSecret: Uint8Array | null; akSecret: Uint8Array | null },
): DeviceKeys | undefined {
  if (row.ekSecret === null || row.akSecret === null) return undefined;
  // Under the current master key, because traces keep it.
  const sealedEk = { secret: secrets.renew(row.ekSecret, purpose(kind, sn, 'ek')), purpose: purpose(kind, sn, 'ek') };
  return { ek: secrets.open(sealedEk.secret, sealedEk.purpose), ak: secrets.open(row.akSecret, purpose(kind, sn, 'ak')), sealedEk };
}

/** Undefined when none is stored. Throws when it was sealed with another master key. */
export const openPassword = (secrets: Secrets, kind: DeviceKind, sn: string, sealed: Uint8Array | null): Buffer | undefined =>
  sealed === null ? undefined : secrets.open(sealed, purpose(kind, sn, 'password'));

/** The key that wraps the keys of a device. Throws when it was sealed with another master key of ours. */
export const openMasterKey = (secrets: Secrets, kind: DeviceKind, sn: string, sealed: Uint8Array): Buffer =>
  secrets.open(sealed, purpose(kind, sn, 'master'));

/** Columns of a device that hold its secrets; absent: stays, null: taken away. */
export interface SecretColumns {
  passwordSecret?: Buffer | null;
  masterKeySecret?: Buffer | null;
  ekSecret?: Buffer | null;
  akSecret?: Buffer | null;
}

/** What a person typed, sealed for the columns it belongs to. */
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

/** The keys of a device that can be opened, as upper-case hex digits. */
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

/** Whether this is the key that is stored already. What cannot be opened any more is another one. */
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
