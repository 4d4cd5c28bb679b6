import { createHash } from 'node:crypto';
import type { singleActionSchedule } from '@hes/dlms/cosem/classes/single-action-schedule.ts';
import type { AttributeValue } from '@hes/dlms/cosem/cosem-class.ts';
import { ImageStore } from '@hes/dlms/server/image-transfer.ts';
import type { Faults } from '#control/faults.ts';
import { readImage } from './firmware-image.ts';

/** `meters`: the image that a DCU holds to broadcast it to its meters. */
export type FirmwareTarget = 'dcu' | 'rt' | 'sta' | 'meter' | 'meters';

/** Duration of verification, activation and the restart that follows. */
const TIMES = {
  realistic: { verifyMs: 3000, activateMs: 2000, awayMs: 12_000 },
  fast: { verifyMs: 10, activateMs: 10, awayMs: 150 },
} as const;
export const BLOCK_OCTETS = 512;
export const MAX_IMAGE_OCTETS = 64 * 1024 * 1024;

/** The firmware of a device and the image that will replace it. */
export interface DeviceFirmware {
  version: string;
  /** The version runs, but cannot measure. */
  isBroken: boolean;
  store: ImageStore;
  /** Hash of the last activated image. */
  flashedSha256: string | null;
  octetsReceived: number;
  /** Activation commands received before the image was verified: a correct head-end sends none. */
  unverifiedOrders: number;
  /** Moments of accepted activation commands, epoch milliseconds of the process. */
  activatedAtMs: number[];
  /** Whether to confirm the next block without storing it. */
  losesBlock(): boolean;
  /** Scheduled activation of the image: moments as written by the client. */
  schedule: { times: AttributeValue<typeof singleActionSchedule, 'executionTime'>; timer?: NodeJS.Timeout; run?: () => void };
  /** The device is offline until then, on the monotonic clock of the process. */
  awayUntil: number;
}

interface Options {
  sn: string;
  model: string;
  version: string;
  channel: 'realistic' | 'fast';
  faults: Faults;
  /** Called when the device restarts; it is offline for `awayMs` milliseconds. */
  onRestart(awayMs: number): void;
}

const later = (ms: number, what: () => void): void => void setTimeout(what, ms).unref();

export function createFirmware({ sn, model, version, channel, faults, onRestart }: Options): DeviceFirmware {
  const { verifyMs, activateMs, awayMs } = TIMES[channel];
  const restart = (): void => {
    firmware.awayUntil = performance.now() + (faults.strike(sn, 'no_return') === undefined ? awayMs : Number.POSITIVE_INFINITY);
    onRestart(awayMs);
  };

  function verify(image: Uint8Array): 'working' {
    const isGood = readImage(image)?.model === model && faults.strike(sn, 'bad_image') === undefined;
    later(verifyMs, () => firmware.store.verified(isGood));
    return 'working';
  }

  function activate(image: Uint8Array): 'working' {
    firmware.activatedAtMs.push(Date.now());
    later(activateMs, () => {
      const head = readImage(image);
      if (head === undefined || faults.strike(sn, 'activation_power_cut') !== undefined) {
        firmware.store.activated(false);
        return restart();
      }
      firmware.version = head.version;
      firmware.isBroken = faults.strike(sn, 'broken_version') !== undefined;
      firmware.flashedSha256 = createHash('sha256').update(image).digest('hex');
      firmware.store.activated(true);
      restart();
    });
    return 'working';
  }

  const firmware: DeviceFirmware = {
    version,
    isBroken: false,
    store: new ImageStore({ blockSize: BLOCK_OCTETS, maxSize: MAX_IMAGE_OCTETS, verify, activate }),
    flashedSha256: null,
    octetsReceived: 0,
    unverifiedOrders: 0,
    activatedAtMs: [],
    losesBlock: () => faults.strike(sn, 'lost_block') !== undefined,
    schedule: { times: [] },
    awayUntil: 0,
  };
  return firmware;
}

/** Firmware of the whole fleet, created on first access per device. */
export interface FirmwareRegistry {
  of(target: FirmwareTarget, options: Omit<Options, 'faults' | 'channel'>): DeviceFirmware;
  keep(target: FirmwareTarget, sn: string, firmware: DeviceFirmware): void;
  find(target: FirmwareTarget, sn: string): DeviceFirmware | undefined;
}

export function createFirmwareRegistry(faults: Faults, channel: 'realistic' | 'fast'): FirmwareRegistry {
  const byDevice = new Map<string, DeviceFirmware>();
  return {
    of(target, options) {
      const key = `${target}/${options.sn}`;
      let firmware = byDevice.get(key);
      if (firmware === undefined) byDevice.set(key, (firmware = createFirmware({ ...options, faults, channel })));
      return firmware;
    },
    keep: (target, sn, firmware) => void byDevice.set(`${target}/${sn}`, firmware),
    find: (target, sn) => byDevice.get(`${target}/${sn}`),
  };
}
