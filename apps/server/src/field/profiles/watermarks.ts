import type { CountedProfile } from '@hes/contract/reading/reading.ts';
import { allOf } from '#platform/all-of.ts';
import { monthEndFrom, type Zone } from '@hes/contract/schedule/zone.ts';
import { DEFAULT_PERIOD_S } from '#storage/channels.ts';
import type { Devices, MeterDevice } from '../devices.ts';

const MINUTE_MS = 60_000;

/** Key of the watermark of a profile in `MeterDevice.watermarks`: the time up to which every capture has been read and stored. */
export const watermarkKey = (profile: CountedProfile): string => `through:${profile}`;

/** Stamp of the first capture after `through`. Epoch milliseconds. */
export function nextCapture(
  profile: CountedProfile,
  through: number,
  { periodSeconds }: Pick<MeterDevice, 'periodSeconds'>,
  zone: Zone,
): number {
  switch (profile) {
    case 'daily':
      return zone.startOf(zone.dayOf(through) + 1);
    case 'monthly':
      return monthEndFrom(through + 1, zone);
    case 'lpa':
    case 'lpb':
      return captureAfter(through, 1000 * periodSeconds[profile], zone);
    case 'energy':
      return captureAfter(through, 1000 * DEFAULT_PERIOD_S.energy, zone);
  }
}

/**
 * Captures are stamped at whole minutes. A watermark between minutes is the last second of a request whose successor did not end,
 * so the capture at that second has not been read.
 */
function captureAfter(through: number, periodMs: number, zone: Zone): number {
  if (through % MINUTE_MS === 0) return through + periodMs;
  const midnight = zone.startOf(zone.dayOf(through));
  return midnight + (Math.floor((through - midnight) / periodMs) + 1) * periodMs;
}

/** Advances the watermark over pushed rows as far as they continue it without a gap. The caller has committed the rows. */
export function advanceByPush(
  tools: { devices: Pick<Devices, 'setWatermark'>; zone: Zone },
  device: MeterDevice,
  profile: CountedProfile,
  stamps: Float64Array,
): void {
  const mark = device.watermarks[watermarkKey(profile)];
  if (mark === undefined) return;
  let through = mark;
  for (const stamp of stamps.toSorted()) {
    const next = nextCapture(profile, through, device, tools.zone);
    if (stamp < next) continue;
    // A later capture is due before this one unless the meter's clock was set and this stamp is late itself.
    if (!(stamp < nextCapture(profile, next, device, tools.zone))) break;
    through = stamp;
  }
  if (through > mark) tools.devices.setWatermark(device, watermarkKey(profile), through);
}

/** Advances the watermark after the commit of its rows; rows that were not stored are read again. */
export function advanceWhenStored(
  tools: { devices: Pick<Devices, 'setWatermark'> },
  device: MeterDevice,
  profile: CountedProfile,
  through: number | undefined,
  stored: Promise<unknown>[],
): void {
  if (through === undefined) return;
  (allOf(stored) ?? Promise.resolve()).then(
    () => tools.devices.setWatermark(device, watermarkKey(profile), through),
    // The failure reaches the task item through the promise that its report carries.
    () => undefined,
  );
}
