import { obis, type Obis } from '../cosem/obis.ts';

/** Logical names of the reference DCU (docs/dcu-profile.md) that differ from the usual names of their class. */
export const DCU_OBJECTS = {
  FIRMWARE: obis('0.0.0.2.0.255'),
  FIRMWARE_ROUTE_MODULE: obis('1.1.0.2.0.255'),
  FIRMWARE_STATIONS: obis('1.2.0.2.0.255'),
  IMAGE: obis('0.0.44.0.0.255'),
  IMAGE_ROUTE_MODULE: obis('0.0.44.0.1.255'),
  IMAGE_STATIONS: obis('0.0.44.0.2.255'),
  /** Image that the DCU broadcasts to its meters. */
  IMAGE_METERS: obis('0.0.44.0.3.255'),
  SCRIPTS: obis('0.0.10.0.128.255'),
  RESTART_STATION: obis('0.0.96.128.20.255'),
  MEDIA: obis('0.0.96.129.44.255'),
  CACHED_METER: obis('0.0.96.128.32.255'),
  CACHED_PERIOD: obis('0.0.96.128.33.255'),
  CACHED_DAILY: obis('0.0.98.128.1.255'),
  CACHED_LPA: obis('0.0.98.128.2.255'),
  CACHED_LPB: obis('0.0.98.128.3.255'),
  CACHED_ENERGY: obis('0.0.98.128.4.255'),
} as const satisfies Record<string, Obis>;

/** Logical names of the reference meters that no reading item has. */
export const METER_OBJECTS = {
  /** Internal operating status (IEC 62056-6-1, device status). */
  OPERATING_STATUS: obis('0.0.96.5.0.255'),
} as const satisfies Record<string, Obis>;
