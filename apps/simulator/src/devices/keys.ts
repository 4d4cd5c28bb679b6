import { createHmac } from 'node:crypto';
import { deviceNumber } from '#world/replacement.ts';
import type { DcuPlan, MeterPlan } from '#world/plan.ts';

export interface DeviceKeys {
  /** Global unicast encryption key. */
  ek: Uint8Array;
  /** Authentication key. */
  ak: Uint8Array;
}

const KEY_SIZE = 16;
const FLAG_ID = [0x48, 0x45, 0x53]; // "HES"
const TITLE_KIND = { dcu: 0x44, meter1p: 0x31, meter3p: 0x33 } as const;

function derive(seed: number, purpose: string, sn: string): Uint8Array {
  return new Uint8Array(createHmac('sha256', `hes-simulator/${seed}`).update(`${purpose}/${sn}`).digest().subarray(0, KEY_SIZE));
}

/** The factory keys of a device: unique per device and constant over restarts. */
export function keysOf(seed: number, sn: string): DeviceKeys {
  return { ek: derive(seed, 'ek', sn), ak: derive(seed, 'ak', sn) };
}

/** The key that wraps transferred keys. */
export const masterKeyOf = (seed: number, sn: string): Uint8Array => derive(seed, 'master', sn);

/** The secret of a meter whose client authenticates by a password. */
export const passwordOf = (seed: number, sn: string): string => Buffer.from(derive(seed, 'password', sn)).toString('hex');
export const wrongPasswordOf = (seed: number, sn: string): string => Buffer.from(derive(seed, 'wrong-password', sn)).toString('hex');

/** Keys that were mistyped in the archive. */
export function wrongKeysOf(seed: number, sn: string): DeviceKeys {
  return { ek: derive(seed, 'wrong-ek', sn), ak: derive(seed, 'wrong-ak', sn) };
}

export const titleOfDcu = (dcu: DcuPlan): Uint8Array => title(TITLE_KIND.dcu, dcu.isUnregistered ? 0x90_0001 : dcu.index + 1);
export const titleOfMeter = (meter: MeterPlan): Uint8Array =>
  title(meter.phase === 'abc' ? TITLE_KIND.meter3p : TITLE_KIND.meter1p, deviceNumber(meter) + 1);

/** Manufacturer, kind, and a serial number of 32 bits. */
function title(kind: number, serial: number): Uint8Array {
  return Uint8Array.of(...FLAG_ID, kind, serial >>> 24, (serial >>> 16) & 255, (serial >>> 8) & 255, serial & 255);
}
