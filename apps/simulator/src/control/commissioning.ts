import { toHex } from '@hes/dlms/codec/hex.ts';
import type { SecuritySuite } from '@hes/dlms/security/cipher.ts';
import { createKeyring, type Keyring } from '#devices/keyring.ts';
import { keysOf, masterKeyOf, passwordOf, titleOfDcu, titleOfMeter, wrongKeysOf } from '#devices/keys.ts';
import {
  EVERY_SECURITY,
  METER_AUTHENTICATIONS,
  securityOf,
  type FleetAuthentication,
  type MeterAuthentication,
  type MeterSecurity,
} from '#devices/rules.ts';
import { TIME_ZONE } from '#world/calendar.ts';
import { PRODUCTS, type FleetLanguage } from '#world/names.ts';
import { meterTypeOf } from '#world/meter-type.ts';
import type { DcuPlan, MeterPlan, Plan, TransformerPlan } from '#world/plan.ts';

/** The archive with keys that manufacturers and planners deliver when a network is built. */
export interface Commissioning {
  timeZone: string;
  levels: { code: string; name: string; type: string; parentCode: string | null; longitude: number; latitude: number }[];
  suppliers: { code: string; name: string; flagId: string; country: string }[];
  transformers: TransformerEntry[];
  dcuTypes: DcuTypeEntry[];
  meterTypes: MeterTypeEntry[];
  dcus: DcuEntry[];
  meters: MeterEntry[];
}

export interface TransformerEntry {
  code: string;
  name: string;
  address: string;
  longitude: number;
  latitude: number;
  levelCode: string;
  capacityKva: number;
  masterMeterSn: string | null;
}

export interface DcuTypeEntry {
  code: string;
  name: string;
  supplierCode: string;
  heartbeatS: number;
  parallelMeters: number;
  apduSize: number;
  maxMeters: number;
  /** `gateway`: the DCUs only forward. Default: reference DCUs. */
  adapter?: 'gateway';
}

export interface MeterTypeEntry {
  code: string;
  name: string;
  supplierCode: string;
  phase: '1p2w' | '3p4w';
  accuracy: string;
  voltage: string;
  current: string;
  /** Default: GMAC. */
  authenticationType?: MeterAuthentication;
  /** Of direct meters. */
  heartbeatS?: number;
  /** Default: 0. */
  securitySuite?: SecuritySuite;
}

export interface DcuEntry {
  sn: string;
  name: string;
  typeCode: string;
  transformerCode: string;
  connectionType: 'dial_in' | 'dial_out';
  host: string | null;
  port: number | null;
  communicateType: string;
  dataChannel: string;
  systemTitle: string;
  ek: string;
  ak: string;
  longitude: number;
  latitude: number;
  country: string;
}

export interface MeterEntry {
  sn: string;
  typeCode: string;
  transformerCode: string;
  /** Null: a direct meter. */
  dcuSn: string | null;
  communicationMode: 'plc' | 'rf' | 'direct';
  /** Of direct meters. Default: dial-in, wrapper. */
  connectionType?: 'dial_out';
  protocol?: 'dlms_hdlc';
  host?: string;
  port?: number;
  phase: 'a' | 'b' | 'c' | 'abc';
  isMaster: boolean;
  isGenerator: boolean;
  customerNo: string | null;
  customerName: string | null;
  address: string;
  longitude: number;
  latitude: number;
  systemTitle: string;
  ek: string;
  ak: string;
  masterKey: string;
  password?: string;
  ctRatio: number;
  ptRatio: number;
}

export interface DialAddress {
  host: string;
  port: number;
}

const COUNTRY = 'CN';
const NO_PASSWORD: ReadonlySet<MeterAuthentication> = new Set<MeterAuthentication>(['hls_gmac', 'hls_ecdsa', 'none']);
/** Suppliers are known by their FLAG ids. */
const SUPPLIERS = ['HES', 'LYN'] as const;
const DCU_TYPE_PLC = 'DC-P100';
const DCU_TYPE_DUAL = 'DC-D200';
const SINGLE_PHASE = { phase: '1p2w', accuracy: '1', voltage: '220 V', current: '5(60) A' } as const;
const THREE_PHASE = { phase: '3p4w', accuracy: '0.5S', voltage: '3x220/380 V', current: '5(80) A' } as const;

type Product = keyof typeof PRODUCTS;
const named = <Code extends Product>(code: Code, language: FleetLanguage) => ({ code, name: PRODUCTS[code][language] });

const directTypes = (heartbeatS: number, language: FleetLanguage) => [
  { ...named('SM-1D', language), supplierCode: 'HES', heartbeatS, ...SINGLE_PHASE },
  { ...named('SM-3D', language), supplierCode: 'HES', heartbeatS, ...THREE_PHASE },
];

const plainTypes = (language: FleetLanguage) => [
  { ...named('SM-1P', language), supplierCode: 'HES', ...SINGLE_PHASE },
  { ...named('SM-1R', language), supplierCode: 'LYN', ...SINGLE_PHASE },
  { ...named('SM-3P', language), supplierCode: 'HES', ...THREE_PHASE },
  { ...named('SM-3R', language), supplierCode: 'LYN', ...THREE_PHASE },
];

/** The whole archive, correct except for the problems drawn in the plan. `dialAddressOf` returns the listening address of dialled devices. */
export function commissioningOf(
  plan: Plan,
  settings: {
    heartbeatSeconds: number;
    apduSize: number;
    timeZone?: string;
    authentication?: FleetAuthentication;
    keys?: Keyring;
    isPlainGateway?: boolean;
    language?: FleetLanguage | undefined;
  },
  dialAddressOf: (device: { sn: string }) => DialAddress | undefined,
): Commissioning {
  const { language = 'en' } = settings;
  const adapter = settings.isPlainGateway === true ? { adapter: 'gateway' as const } : {};
  const dcuType = {
    supplierCode: 'HES',
    heartbeatS: settings.heartbeatSeconds,
    parallelMeters: 1,
    apduSize: settings.apduSize,
    ...adapter,
  };
  return {
    timeZone: settings.timeZone ?? TIME_ZONE,
    levels: plan.levels,
    suppliers: SUPPLIERS.map((code) => ({ ...named(code, language), flagId: code, country: COUNTRY })),
    transformers: plan.transformers.map((transformer) => transformerEntry(plan, transformer)),
    dcuTypes: [
      { ...dcuType, ...named(DCU_TYPE_PLC, language), maxMeters: 512 },
      { ...dcuType, ...named(DCU_TYPE_DUAL, language), maxMeters: 1024 },
    ],
    meterTypes: inEveryAuthentication(settings.authentication, [
      ...plainTypes(language),
      ...(plan.meters.some(({ isDirect }) => isDirect) ? directTypes(settings.heartbeatSeconds, language) : []),
      { ...named('SM-3M', language), supplierCode: 'HES', ...THREE_PHASE, accuracy: '0.2S', current: '1.5(6) A' },
    ]),
    dcus: plan.dcus.filter((dcu) => !dcu.isUnregistered).map((dcu) => dcuEntry(plan.seed, dcu, dialAddressOf(dcu))),
    meters: plan.meters
      .filter((meter) => !meter.isUncommissioned)
      .map((meter) => ({ ...meterEntry(plan.seed, meter, settings), ...connectionOf(meter, dialAddressOf(meter)) })),
  };
}

/** The types unchanged, or in a fleet with several authentications one of each for every one. */
function inEveryAuthentication(fleet: FleetAuthentication | undefined, types: MeterTypeEntry[]): MeterTypeEntry[] {
  if (fleet !== 'mixed' && fleet !== 'every') return types;
  const securities =
    fleet === 'every' ? EVERY_SECURITY : METER_AUTHENTICATIONS.map((authentication) => ({ authentication, suite: 0 as const }));
  return types.flatMap((type) =>
    securities.map((security) => ({
      ...type,
      code: `${type.code}${suffixOf(security)}`,
      name: `${type.name}${suffixOf(security).replaceAll('-', ', ')}`,
      authenticationType: security.authentication,
      ...(security.suite === 0 ? {} : { securitySuite: security.suite }),
    })),
  );
}

/** Ends of the codes of types with a security other than GMAC in suite 0: `-hls_md5`, `-hls_ecdsa-suite1`. */
const suffixOf = ({ authentication, suite }: MeterSecurity): string =>
  `${authentication === 'hls_gmac' && suite === 0 ? '' : `-${authentication}`}${suite === 0 ? '' : `-suite${suite}`}`;

function transformerEntry(plan: Plan, transformer: TransformerPlan): TransformerEntry {
  const { code, name, address, longitude, latitude, capacityKva } = transformer;
  const master = plan.meters.find((meter) => meter.kind === 'master' && meter.transformer === transformer);
  return { code, name, address, longitude, latitude, capacityKva, levelCode: transformer.level.code, masterMeterSn: master?.sn ?? null };
}

function dcuEntry(seed: number, dcu: DcuPlan, at: DialAddress | undefined): DcuEntry {
  const { ek, ak } = keysOf(seed, dcu.sn);
  return {
    sn: dcu.sn,
    name: dcu.name,
    typeCode: dcu.dataChannel === 'plc' ? DCU_TYPE_PLC : DCU_TYPE_DUAL,
    transformerCode: dcu.transformer.code,
    connectionType: dcu.connectionType,
    host: at?.host ?? null,
    port: at?.port ?? null,
    communicateType: dcu.communicateType,
    dataChannel: dcu.dataChannel,
    systemTitle: toHex(titleOfDcu(dcu)),
    ek: toHex(ek),
    ak: toHex(ak),
    longitude: dcu.longitude,
    latitude: dcu.latitude,
    country: COUNTRY,
  };
}

const connectionOf = ({ framing }: MeterPlan, at: DialAddress | undefined): Partial<MeterEntry> => ({
  ...(framing === 'hdlc' ? { protocol: 'dlms_hdlc' as const } : {}),
  ...(at === undefined ? {} : { connectionType: 'dial_out' as const, host: at.host, port: at.port }),
});

/** The archive entry delivered with a meter. */
export function meterEntry(
  seed: number,
  meter: MeterPlan,
  { authentication: fleet = 'gmac', keys = createKeyring(seed) }: { authentication?: FleetAuthentication; keys?: Keyring } = {},
): MeterEntry {
  const security = securityOf(meter, fleet);
  const { authentication } = security;
  const { ek, ak } = meter.hasWrongKey ? wrongKeysOf(seed, meter.sn, security.suite) : keys.of(meter.sn);
  return {
    sn: meter.sn,
    typeCode: `${meterTypeOf(meter)}${suffixOf(security)}`,
    transformerCode: meter.transformer.code,
    dcuSn: meter.isDirect === true ? null : meter.dcu.sn,
    communicationMode: meter.isDirect === true ? 'direct' : meter.mode,
    phase: meter.recordedPhase ?? meter.phase,
    isMaster: meter.kind === 'master',
    isGenerator: meter.exportDailyWh > 0 && !meter.isUnrecordedGenerator,
    customerNo: meter.customerNo,
    customerName: meter.customerName,
    address: meter.address,
    longitude: meter.longitude,
    latitude: meter.latitude,
    systemTitle: toHex(titleOfMeter(meter)),
    ek: toHex(ek),
    ak: toHex(ak),
    masterKey: toHex(masterKeyOf(seed, meter.sn)),
    ...(NO_PASSWORD.has(authentication) ? {} : { password: passwordOf(seed, meter.sn) }),
    ctRatio: 1,
    ptRatio: 1,
  };
}
