import type { DcuPlan } from './plan.ts';
import { between, pick, streamOf, unitAt } from './random.ts';

/** The modem of a DCU and its serving cell at a moment. */
export interface Uplink {
  operator: string;
  /** Of country and network; 999 is reserved for private networks. @spec ITU-T E.212 */
  mobileCountryCode: number;
  mobileNetworkCode: number;
  service: 'lte' | 'edge';
  cellId: number;
  locationId: number;
  channelNumber: number;
  /** Steps of 2 dB above -113 dBm. */
  signalQuality: number;
  /** 0 to 7; 99: not available in packet networks of this kind. */
  bitErrorRate: number;
  neighbours: { cellId: number; signalQuality: number }[];
  measuredAtMs: number;
}

const OPERATORS = [
  { operator: 'Lynden Mobile', mobileNetworkCode: 1 },
  { operator: 'Northcell', mobileNetworkCode: 2 },
] as const;
const COUNTRY_CODE = 999;
const SECTORS = 3;
/** Share of the DCUs with weak reception: steel cabinets, cellars. */
const WEAK_SHARE = 0.12;
const FADE_MS = 15 * 60_000;
const MEASURED_EVERY_MS = 60_000;
const NOT_KNOWN = 99;

const stepOf = (dbm: number): number => Math.max(0, Math.min(31, Math.round((dbm + 113) / 2)));

/** Whether the DCU uses a mobile network; the others are wired. */
export const hasModem = (dcu: DcuPlan): boolean => dcu.communicateType === 'g4';

/** Private address that the mobile operator assigned; the head-end sees the operator's public one. */
export const addressOf = ({ index }: DcuPlan): readonly [number, number, number, number] => [
  10,
  64 + (index >> 16),
  (index >> 8) & 0xff,
  index & 0xff,
];

/** MAC address of a wired DCU: locally administered. @spec IEEE 802, U/L bit */
export const macAddressOf = ({ index }: DcuPlan): Uint8Array => Uint8Array.of(0x02, 0x48, 0x45, 0x53, (index >> 8) & 0xff, index & 0xff);

/** The uplink of a DCU with a modem; deterministic for equal seeds and moments. */
export function uplinkAt(seed: number, dcu: DcuPlan, atMs: number): Uplink {
  const own = streamOf(seed, `uplink/${dcu.sn}`);
  // DCUs at one place share a location area, and are in one of the sectors of its base station.
  const mast = streamOf(seed, `mast/${dcu.transformer.level.code}`);
  const firstCell = 1 + Math.floor(unitAt(mast, 0) * 0xff_ff_00) * 16;
  const sector = Math.floor(unitAt(own, 0) * SECTORS);
  const isWeak = unitAt(own, 1) < WEAK_SHARE;
  const mean = isWeak ? between(own, 2, -107, -98) : between(own, 2, -89, -61);
  const fade = between(own, Math.floor(atMs / FADE_MS), -3, 3);
  // Too weak for LTE: the modem falls back to EDGE, which counts its errors.
  const service = mean < -102 ? 'edge' : 'lte';
  const neighbours = Array.from({ length: SECTORS }, (_, at) => at).filter((at) => at !== sector);
  return {
    ...pick<Pick<Uplink, 'operator' | 'mobileNetworkCode'>>(mast, 1, OPERATORS),
    mobileCountryCode: COUNTRY_CODE,
    service,
    cellId: firstCell + sector,
    locationId: 1 + Math.floor(unitAt(mast, 2) * 0xff_fd),
    channelNumber: service === 'lte' ? 1825 : 62,
    signalQuality: stepOf(mean + fade),
    bitErrorRate: service === 'lte' ? NOT_KNOWN : 2 + Math.floor(unitAt(own, Math.floor(atMs / FADE_MS), 1) * 4),
    neighbours: neighbours.map((at) => ({ cellId: firstCell + at, signalQuality: stepOf(mean + fade - between(own, 3 + at, 6, 16)) })),
    measuredAtMs: Math.floor(atMs / MEASURED_EVERY_MS) * MEASURED_EVERY_MS,
  };
}
