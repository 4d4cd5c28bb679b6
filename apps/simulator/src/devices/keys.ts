import { createHmac } from 'node:crypto';
import { keySizeOf, type SecuritySuite } from '@hes/dlms/security/cipher.ts';
import { deviceNumber } from '#world/replacement.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';

export interface DeviceKeys {
  /** Global unicast encryption key. */
  ek: Uint8Array;
  /** Authentication key. */
  ak: Uint8Array;
}

const KEY_SIZE = 16;
/** Octets of a private key by suite: P-256 and P-384. */
const SIGNING_KEY_SIZE = { 1: 32, 2: 48 } as const;
/** Clears the highest bit of a private key, which keeps it below the order of its curve. */
const BELOW_ORDER = 0x7f;
const FLAG_ID = [0x48, 0x45, 0x53]; // "HES"
const TITLE_KIND = { dcu: 0x44, meter1p: 0x31, meter3p: 0x33 } as const;

function derive(seed: number, purpose: string, sn: string, octets = KEY_SIZE): Uint8Array {
  return new Uint8Array(createHmac('sha256', `hes-simulator/${seed}`).update(`${purpose}/${sn}`).digest().subarray(0, octets));
}

/** The factory keys of a device: unique per device and constant over restarts. */
export function keysOf(seed: number, sn: string, suite: SecuritySuite = 0): DeviceKeys {
  return { ek: derive(seed, 'ek', sn, keySizeOf(suite)), ak: derive(seed, 'ak', sn, keySizeOf(suite)) };
}

/** The private key with which a device, or the authority of the fleet, signs in a suite. */
export function signingKeyOf(seed: number, sn: string, suite: 1 | 2): Uint8Array {
  const octets = createHmac('sha512', `hes-simulator/${seed}`)
    .update(`signing/${sn}/${suite}`)
    .digest()
    .subarray(0, SIGNING_KEY_SIZE[suite]);
  const key = new Uint8Array(octets);
  key[0] = (key[0] ?? 0) & BELOW_ORDER;
  return key;
}

/** The key that wraps transferred keys. */
export const masterKeyOf = (seed: number, sn: string): Uint8Array => derive(seed, 'master', sn);

/** The secret of a meter whose client authenticates by a password. */
export const passwordOf = (seed: number, sn: string): string => Buffer.from(derive(seed, 'password', sn)).toString('hex');
export const wrongPasswordOf = (seed: number, sn: string): string => Buffer.from(derive(seed, 'wrong-password', sn)).toString('hex');

/** Keys that were mistyped in the archive. */
export function wrongKeysOf(seed: number, sn: string, suite: SecuritySuite = 0): DeviceKeys {
  return { ek: derive(seed, 'wrong-ek', sn, keySizeOf(suite)), ak: derive(seed, 'wrong-ak', sn, keySizeOf(suite)) };
}

export const titleOfDcu = (dcu: DcuPlan): Uint8Array => title(TITLE_KIND.dcu, dcu.isUnregistered ? 0x90_0001 : dcu.index + 1);
export const titleOfMeter = (meter: MeterPlan): Uint8Array =>
  title(meter.phase === 'abc' ? TITLE_KIND.meter3p : TITLE_KIND.meter1p, deviceNumber(meter) + 1);

/** Manufacturer, kind, and a serial number of 32 bits. */
function title(kind: number, serial: number): Uint8Array {
  return Uint8Array.of(...FLAG_ID, kind, serial >>> 24, (serial >>> 16) & 255, (serial >>> 8) & 255, serial & 255);
}
