import type { UplinkReading } from '@hes/contract/states/uplink.ts';

/** The reading of a DCU without a modem. */
export const withoutModem = (readAt: number): UplinkReading => ({
  readAt: new Date(readAt).toISOString(),
  hasModem: false,
  signalDbm: null,
  bitErrorStep: null,
  operator: null,
  registration: null,
  packetService: null,
  cellId: null,
  locationId: null,
  network: null,
  measuredAt: null,
});
