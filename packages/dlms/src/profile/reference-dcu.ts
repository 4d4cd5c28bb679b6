import { DCU_OBJECTS } from '../catalogue/reference-objects.ts';
import { captureObject } from '../cosem/capture-object.ts';
import {
  arrayOf,
  boolean,
  dateOctets,
  dateTimeOctets,
  doubleLongUnsigned,
  enumerated,
  integer,
  longUnsigned,
  octetString,
  structure,
  unsigned,
} from '../cosem/data.ts';
import { obis, type Obis } from '../cosem/obis.ts';
import type { WellKnownKey } from '../catalogue/well-known.ts';
import type { DeviceProfile, ProfileObject } from './device-profile.ts';
import { ENERGY_MINUS, ENERGY_PLUS, usual } from './reference-meters.ts';

/** Numeric values of the enums in the arrays of a DCU. */
export const DCU_ENUMS = {
  protocol: { dlms: 0, other: 1 },
  communicationMode: { plc: 0, rf: 1, rs485: 2 },
  phase: { unknown: 0, a: 1, b: 2, c: 3, abc: 4 },
  role: { coordinator: 0, relay: 1, station: 2 },
} as const;

const protocol = enumerated(DCU_ENUMS.protocol);
const communicationMode = enumerated(DCU_ENUMS.communicationMode);
const phase = enumerated(DCU_ENUMS.phase);
const role = enumerated(DCU_ENUMS.role);

/** Fields of an entry of each array, in order. */
export const DCU_SHAPES = {
  archive: {
    measurementPoint: longUnsigned,
    serialNumber: octetString,
    address: octetString,
    protocol,
    communicationMode,
    meterType: octetString,
    phase,
    isMaster: boolean,
    collectorAddress: octetString,
    keySlot: unsigned,
    enabled: boolean,
  },
  discovered: {
    serialNumber: octetString,
    address: octetString,
    protocol,
    communicationMode,
    phase,
    hops: unsigned,
    signal: integer,
    firstSeen: dateTimeOctets,
    lastSeen: dateTimeOctets,
  },
  topology: {
    nodeId: longUnsigned,
    mac: octetString,
    serialNumber: octetString,
    parentId: longUnsigned,
    level: unsigned,
    role,
    phase,
    communicationMode,
    signal: integer,
    uplinkSuccess: unsigned,
    downlinkSuccess: unsigned,
    onlineSince: dateTimeOctets,
  },
  tasks: {
    taskId: longUnsigned,
    start: dateTimeOctets,
    periodSeconds: doubleLongUnsigned,
    objects: arrayOf(captureObject),
    depth: longUnsigned,
    priority: unsigned,
    enabled: boolean,
  },
  modules: {
    mac: octetString,
    role,
    chip: octetString,
    vendor: octetString,
    hardwareVersion: octetString,
    softwareVersion: octetString,
    bootCount: doubleLongUnsigned,
    uptimeSeconds: doubleLongUnsigned,
    buildDate: dateOctets,
    /** dBµV per equal part of the band, lowest first; empty when the module does not measure noise. */
    noise: arrayOf(unsigned),
  },
} as const;

export type DcuArrayName = keyof typeof DCU_SHAPES;

/** Codec of an entry of each array. */
export const DCU_ENTRIES = {
  archive: structure(DCU_SHAPES.archive),
  discovered: structure(DCU_SHAPES.discovered),
  topology: structure(DCU_SHAPES.topology),
  tasks: structure(DCU_SHAPES.tasks),
  modules: structure(DCU_SHAPES.modules),
} as const;

/** The Data objects that hold the arrays, and their ids in the array manager. */
export const DCU_ARRAYS: Readonly<Record<DcuArrayName, { id: number; instance: Obis }>> = {
  archive: { id: 1, instance: obis('0.0.96.128.1.255') },
  discovered: { id: 2, instance: obis('0.0.96.128.2.255') },
  topology: { id: 3, instance: obis('0.0.96.128.3.255') },
  tasks: { id: 4, instance: obis('0.0.96.128.4.255') },
  modules: { id: 5, instance: obis('0.0.96.128.5.255') },
};

/** Script ids in the script table of the DCU. */
export const DCU_SCRIPTS = {
  startDiscovery: 1,
  stopDiscovery: 2,
  clearDiscovered: 3,
  rebuildNetwork: 4,
  restartRouteModule: 5,
  restartDcu: 6,
  upgradeRouteModule: 7,
  upgradeStations: 8,
  broadcastClock: 9,
  initialiseData: 10,
  topologyReportOn: 11,
  topologyReportOff: 12,
  factoryReset: 13,
  broadcastImage: 14,
} as const;

const data = (instance: string): ProfileObject => ({ classId: 1, version: 0, obis: instance, attribute: 2 });
const profileOf = (instance: string, captures: string[]): ProfileObject => ({
  classId: 7,
  version: 1,
  obis: instance,
  attribute: 2,
  captures: ['CLOCK', ...captures],
});

const arrays = Object.fromEntries(Object.entries(DCU_ARRAYS).map(([name, { instance }]) => [name.toUpperCase(), data(instance)]));

/** Objects that every DCU of this profile has. */
const REQUIRED: Record<string, ProfileObject> = {
  LDN: usual('LDN'),
  CLOCK: usual('CLOCK'),
  IC: usual('IC'),
  SN: usual('SN'),
  FWID_DCU: usual('FWID_DCU'),
  FWID: usual('FWID'),
  SAP: usual('SAP'),
  SECURITY: usual('SECURITY'),
  PUSH: usual('PUSH'),
  ASSOCIATION: usual('ASSOCIATION'),
};

/** Columns of the data that a DCU caches for its meters. */
const cachedOf = (unit: number, keys: WellKnownKey[], attribute = 2): Record<string, ProfileObject> =>
  Object.fromEntries(keys.map((key) => [`CACHED_${key}`, usual(key, { unit, attribute })]));

/** Energies that a DCU caches: the columns of a daily freeze. */
const CACHED_ENERGIES: Record<string, ProfileObject> = cachedOf(30, [...ENERGY_PLUS, ...ENERGY_MINUS]);

/** Quantities of load and energy profiles: averages as captured by the reference meters, and quantities of the grid. */
const CACHED_QUANTITIES: Record<string, ProfileObject> = {
  ...cachedOf(27, ['P_AVG_PLUS', 'P_AVG_MINUS'], 3),
  ...cachedOf(28, ['S_AVG_PLUS', 'S_AVG_MINUS'], 3),
  ...cachedOf(35, ['U1', 'U2', 'U3']),
  ...cachedOf(33, ['I1', 'I2', 'I3', 'I0']),
  ...cachedOf(255, ['PF', 'PF1', 'PF2', 'PF3']),
};

/** An interval profile over all meters: each row names its meter and the length of the interval that ends with it. */
const cachedProfile = (instance: string, quantities: WellKnownKey[]): ProfileObject =>
  profileOf(instance, ['CACHED_METER', 'CACHED_PERIOD', 'CACHED_STATUS', ...quantities.map((key) => `CACHED_${key}`)]);

/** Optional objects; the object list of a DCU states which exist. */
const OPTIONAL: Record<string, ProfileObject> = {
  ARRAYS: usual('ARRAYS'),
  ...arrays,
  SCRIPTS_DCU: { classId: 9, version: 0, obis: DCU_OBJECTS.SCRIPTS, attribute: 2 },
  RESTART_STATION: data(DCU_OBJECTS.RESTART_STATION),
  IMAGE: usual('IMAGE'),
  IMAGE_ROUTE_MODULE: usual('IMAGE', { obis: DCU_OBJECTS.IMAGE_ROUTE_MODULE }),
  IMAGE_STATIONS: usual('IMAGE', { obis: DCU_OBJECTS.IMAGE_STATIONS }),
  IMAGE_METERS: usual('IMAGE', { obis: DCU_OBJECTS.IMAGE_METERS }),
  SCHEDULE_IMAGE: usual('SCHEDULE_IMAGE', { attribute: 4 }),
  EVLOG0: usual('EVLOG0', { captures: ['CLOCK', 'EVCODE0'] }),
  EVCODE0: usual('EVCODE0'),
  FRAME_LOG: profileOf('0.0.99.128.0.255', ['FRAME_DIRECTION', 'FRAME_METER', 'FRAME_OCTETS']),
  FRAME_DIRECTION: data('0.0.96.128.17.255'),
  FRAME_METER: data('0.0.96.128.18.255'),
  FRAME_OCTETS: data('0.0.96.128.19.255'),
  CACHED_DAILY: profileOf(DCU_OBJECTS.CACHED_DAILY, ['CACHED_METER', 'CACHED_STATUS', ...Object.keys(CACHED_ENERGIES)]),
  CACHED_METER: data(DCU_OBJECTS.CACHED_METER),
  CACHED_STATUS: usual('STATUS'),
  ...CACHED_ENERGIES,
  CACHED_LPA: cachedProfile(DCU_OBJECTS.CACHED_LPA, ['E_PLUS', 'E_MINUS', 'P_AVG_PLUS', 'P_AVG_MINUS', 'S_AVG_PLUS', 'S_AVG_MINUS']),
  CACHED_LPB: cachedProfile(DCU_OBJECTS.CACHED_LPB, ['U1', 'U2', 'U3', 'I1', 'I2', 'I3', 'I0', 'PF', 'PF1', 'PF2', 'PF3']),
  CACHED_ENERGY: cachedProfile(DCU_OBJECTS.CACHED_ENERGY, ['E_PLUS', 'E_MINUS']),
  CACHED_PERIOD: data(DCU_OBJECTS.CACHED_PERIOD),
  ...CACHED_QUANTITIES,
  TCP_UDP: usual('TCP_UDP'),
  IPV4: usual('IPV4', { attribute: 3 }),
  MAC: usual('MAC'),
  PPP: usual('PPP', { attribute: 5 }),
  GPRS: usual('GPRS'),
  GSM: usual('GSM', { version: 1, attribute: 6 }),
  AUTO_CONNECT: usual('AUTO_CONNECT', { attribute: 6 }),
  NTP: usual('NTP', { attribute: 3 }),
  PRIME_NETWORK: usual('PRIME_NETWORK', { attribute: 6 }),
  G3_MAC: usual('G3_MAC', { attribute: 11 }),
  G3_ROUTES: usual('G3_ROUTES', { attribute: 8 }),
};

export const REFERENCE_DCU_OBJECTS = { required: REQUIRED, optional: OPTIONAL } as const;

/** The reference DCU; `docs/dcu-profile.md` describes it for implementers. */
export const REFERENCE_DCU: DeviceProfile = {
  key: 'hes-dcu-1',
  name: 'Reference DCU',
  deviceKind: 'dcu',
  body: { objects: { ...REQUIRED, ...OPTIONAL }, quirks: {} },
};
