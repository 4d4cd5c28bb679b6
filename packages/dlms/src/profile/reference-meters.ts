import { WELL_KNOWN, type WellKnownKey } from '../catalogue/well-known.ts';
import type { DeviceProfile, ProfileObject } from './device-profile.ts';

const W = 27;
const VA = 28;
const VAR = 29;
const WH = 30;
const A = 33;
const V = 35;
const HZ = 44;
const NONE = 255;

type Objects = Record<string, ProfileObject>;

/** A well-known object at its usual logical name. */
export const usual = (key: WellKnownKey, more: Partial<ProfileObject> = {}): ProfileObject => ({
  classId: WELL_KNOWN[key].cosemClass.id,
  version: WELL_KNOWN[key].cosemClass.version,
  obis: WELL_KNOWN[key].instance,
  attribute: 2,
  ...more,
});

const registers = (unit: number, keys: WellKnownKey[]): Objects => Object.fromEntries(keys.map((key) => [key, usual(key, { unit })]));
const log = (key: WellKnownKey, code: WellKnownKey): Objects => ({ [key]: usual(key, { captures: ['CLOCK', code] }) });

export const ENERGY_PLUS: WellKnownKey[] = ['E_PLUS', 'E_PLUS_T1', 'E_PLUS_T2', 'E_PLUS_T3', 'E_PLUS_T4'];
export const ENERGY_MINUS: WellKnownKey[] = ['E_MINUS', 'E_MINUS_T1', 'E_MINUS_T2', 'E_MINUS_T3', 'E_MINUS_T4'];
const POWER_AVERAGES: WellKnownKey[] = ['P_AVG_PLUS', 'P_AVG_MINUS'];
const PHASE_FACTORS: WellKnownKey[] = ['PF1', 'PF2', 'PF3'];
const APPARENT_AVERAGES: WellKnownKey[] = ['S_AVG_PLUS', 'S_AVG_MINUS'];

const threePhase: Objects = {
  CLOCK: usual('CLOCK'),
  LDN: usual('LDN'),
  SN: usual('SN'),
  FWID: usual('FWID'),
  STATUS: usual('STATUS'),
  ...registers(WH, [...ENERGY_PLUS, ...ENERGY_MINUS]),
  ...registers(V, ['U1', 'U2', 'U3']),
  ...registers(A, ['I1', 'I2', 'I3', 'I0']),
  ...registers(W, ['P_PLUS', 'P_MINUS', ...POWER_AVERAGES]),
  ...registers(VA, ['S_PLUS', 'S_MINUS', ...APPARENT_AVERAGES]),
  ...registers(VAR, ['Q_PLUS', 'Q_MINUS']),
  ...registers(HZ, ['FREQUENCY']),
  ...registers(NONE, ['PF', ...PHASE_FACTORS]),
  // The head-end reads from the meter which quantities these profiles capture.
  DAILY: usual('DAILY'),
  MONTHLY: usual('MONTHLY'),
  LPA: usual('LPA'),
  LPB: usual('LPB'),
  ENERGY: usual('ENERGY'),
  ...log('EVLOG0', 'EVCODE0'),
  ...log('EVLOG1', 'EVCODE1'),
  ...log('EVLOG4', 'EVCODE4'),
  EVCODE0: usual('EVCODE0'),
  EVCODE1: usual('EVCODE1'),
  EVCODE4: usual('EVCODE4'),
  ASSOCIATION: usual('ASSOCIATION'),
  SECURITY: usual('SECURITY'),
  IC: usual('IC'),
  RELAY: usual('RELAY', { attribute: 3 }),
};

/** The meters behind the reference DCU; see `docs/dcu-profile.md`. */
export const REFERENCE_METERS: readonly DeviceProfile[] = [
  {
    key: 'hes-meter-3p4w',
    name: 'Reference meter, three-phase four-wire',
    deviceKind: 'meter',
    body: { objects: threePhase, quirks: {} },
  },
  {
    key: 'hes-meter-1p2w',
    name: 'Reference meter, single-phase two-wire',
    deviceKind: 'meter',
    body: {
      extends: 'hes-meter-3p4w',
      objects: {
        U2: null,
        U3: null,
        I2: null,
        I3: null,
        I0: null,
        PF1: null,
        PF2: null,
        PF3: null,
      },
      quirks: {},
    },
  },
];
