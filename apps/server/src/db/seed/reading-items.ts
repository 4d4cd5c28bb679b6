import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import { MAIN_ATTRIBUTE } from '@hes/dlms/cosem/cosem-class.ts';

export interface SeedItem {
  key: string;
  obis: string;
  classId: number;
  attribute: number;
  nameEn: string;
  nameZh: string;
  /** COSEM unit code; 255: none. */
  unit: number;
  precision: number;
  category: 'energy' | 'power' | 'voltage' | 'current' | 'quality' | 'clock' | 'identity' | 'status' | 'profile';
}

const NONE = 255;
const W = 27;
const VA = 28;
const VAR = 29;
const WH = 30;
const A = 33;
const V = 35;

const group = (
  category: SeedItem['category'],
  { unit, precision }: { unit: number; precision: number },
  keys: readonly WellKnownKey[],
): SeedItem[] =>
  keys.map((key) => {
    const { cosemClass, instance, label } = WELL_KNOWN[key];
    return {
      key,
      obis: instance,
      classId: cosemClass.id,
      attribute: MAIN_ATTRIBUTE,
      nameEn: label.en,
      nameZh: label.zh,
      unit,
      precision,
      category,
    };
  });

const energy = { unit: WH, precision: 3 };
const none = { unit: NONE, precision: 0 };

/** Readable items in display order; names and logical names are those of the protocol catalogue. */
export const READING_ITEMS: readonly SeedItem[] = [
  ...group('energy', energy, ['E_PLUS', 'E_PLUS_T1', 'E_PLUS_T2', 'E_PLUS_T3', 'E_PLUS_T4']),
  ...group('energy', energy, ['E_MINUS', 'E_MINUS_T1', 'E_MINUS_T2', 'E_MINUS_T3', 'E_MINUS_T4']),
  ...group('voltage', { unit: V, precision: 1 }, ['U1', 'U2', 'U3']),
  ...group('current', { unit: A, precision: 2 }, ['I1', 'I2', 'I3', 'I0']),
  ...group('power', { unit: W, precision: 3 }, ['P_PLUS', 'P_MINUS', 'P_AVG_PLUS', 'P_AVG_MINUS']),
  ...group('power', { unit: VA, precision: 3 }, ['S_AVG_PLUS', 'S_AVG_MINUS']),
  ...group('power', { unit: VAR, precision: 3 }, ['Q_PLUS', 'Q_MINUS']),
  ...group('quality', { unit: NONE, precision: 3 }, ['PF']),
  ...group('clock', none, ['CLOCK']),
  ...group('identity', none, ['LDN', 'SN', 'FWID']),
  ...group('status', none, ['STATUS']),
  ...group('profile', none, ['DAILY', 'MONTHLY', 'ENERGY', 'LPA', 'LPB']),
];
