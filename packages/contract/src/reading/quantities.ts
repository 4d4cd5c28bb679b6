import type { Text } from '../core/text.ts';
import type { Unit } from '../core/unit.ts';

/** Interval profiles that capture a channel. */
type IntervalProfile = 'energy' | 'lpa' | 'lpb';

/**
 * A quantity of interval profiles. Storage, statements, API, export, console and the judge of the chaos runs derive from this declaration;
 * a new channel takes an entry here, a migration that adds its column, a value of the simulated meter, and a test.
 */
interface Channel {
  /** Name in the API and in the console. */
  key: string;
  label: Text;
  /** Array column of `reading_profile`; its integers are `storedPerUnit` per unit. */
  column: string;
  type: 'int4' | 'int8';
  unit: Unit | undefined;
  storedPerUnit: number;
  /** Decimals in the console. */
  decimals: number;
  profiles: readonly IntervalProfile[];
  /** Profiles whose chart shows it. */
  charts: readonly IntervalProfile[];
  /** Unit code that a captured object must have (BB 4.3.2); undefined: any. */
  cosemUnit: number | undefined;
  /** Integers of the column count 10^-exponent of that unit. */
  exponent: number;
  /** Logical names of captured objects with this quantity, the preferred one first. */
  objects: readonly string[];
}

const PLUS = { key: 'ePlus', label: { en: 'Total Active Energy +', zh: '正向有功总电能' } } as const;
const MINUS = { key: 'eMinus', label: { en: 'Total Active Energy −', zh: '反向有功总电能' } } as const;
const energy = { type: 'int8', unit: 'kWh', storedPerUnit: 1000, decimals: 3, cosemUnit: 30, exponent: 0 } as const;
const activePower = { type: 'int4', unit: 'kW', storedPerUnit: 1000, decimals: 3, cosemUnit: 27, exponent: 0 } as const;
const apparentPower = { type: 'int4', unit: 'kVA', storedPerUnit: 1000, decimals: 3, cosemUnit: 28, exponent: 0 } as const;
const voltage = { type: 'int4', unit: 'V', storedPerUnit: 1000, decimals: 1, cosemUnit: 35, exponent: 3 } as const;
const current = { type: 'int4', unit: 'A', storedPerUnit: 1000, decimals: 2, cosemUnit: 33, exponent: 3 } as const;
const frequency = { type: 'int4', unit: 'Hz', storedPerUnit: 1000, decimals: 2, cosemUnit: 44, exponent: 3 } as const;
const factor = { type: 'int4', unit: undefined, storedPerUnit: 1000, decimals: 3, cosemUnit: undefined, exponent: 3 } as const;

/** Average of a capture interval, with the values of D that manufacturers use: current, last, and recording-interval averages. */
const averageOf = (c: number): string[] => [5, 4, 24, 25, 27, 28].map((d) => `1.0.${c}.${d}.0.255`);
const inA = { profiles: ['lpa'], charts: [] } as const;
const inB = { profiles: ['lpb'], charts: [] } as const;

/** All channels, in the order of the columns of a stored row. */
export const CHANNELS = [
  {
    ...PLUS,
    column: 'e_plus_wh',
    ...energy,
    profiles: ['energy', 'lpa'],
    charts: ['energy'],
    objects: ['1.0.1.8.0.255'],
  },
  {
    ...MINUS,
    column: 'e_minus_wh',
    ...energy,
    profiles: ['energy', 'lpa'],
    charts: ['energy'],
    objects: ['1.0.2.8.0.255'],
  },
  {
    key: 'pAvgPlus',
    label: { en: 'Average Active Power +', zh: '正向平均有功功率' },
    column: 'p_avg_plus_w',
    ...activePower,
    profiles: ['lpa'],
    charts: ['lpa'],
    objects: averageOf(1),
  },
  {
    key: 'pAvgMinus',
    label: { en: 'Average Active Power −', zh: '反向平均有功功率' },
    column: 'p_avg_minus_w',
    ...activePower,
    profiles: ['lpa'],
    charts: ['lpa'],
    objects: averageOf(2),
  },
  {
    key: 'sAvgPlus',
    label: { en: 'Average Apparent Power +', zh: '正向平均视在功率' },
    column: 's_avg_plus_va',
    ...apparentPower,
    ...inA,
    objects: averageOf(9),
  },
  {
    key: 'sAvgMinus',
    label: { en: 'Average Apparent Power −', zh: '反向平均视在功率' },
    column: 's_avg_minus_va',
    ...apparentPower,
    ...inA,
    objects: averageOf(10),
  },
  {
    key: 'u1',
    label: { en: 'Voltage L1', zh: 'A相电压' },
    column: 'u1_mv',
    ...voltage,
    profiles: ['lpb'],
    charts: ['lpb'],
    objects: ['1.0.32.7.0.255', '1.0.12.7.0.255'],
  },
  {
    key: 'u2',
    label: { en: 'Voltage L2', zh: 'B相电压' },
    column: 'u2_mv',
    ...voltage,
    profiles: ['lpb'],
    charts: ['lpb'],
    objects: ['1.0.52.7.0.255'],
  },
  {
    key: 'u3',
    label: { en: 'Voltage L3', zh: 'C相电压' },
    column: 'u3_mv',
    ...voltage,
    profiles: ['lpb'],
    charts: ['lpb'],
    objects: ['1.0.72.7.0.255'],
  },
  {
    key: 'i1',
    label: { en: 'Current L1', zh: 'A相电流' },
    column: 'i1_ma',
    ...current,
    ...inB,
    objects: ['1.0.31.7.0.255', '1.0.11.7.0.255'],
  },
  { key: 'i2', label: { en: 'Current L2', zh: 'B相电流' }, column: 'i2_ma', ...current, ...inB, objects: ['1.0.51.7.0.255'] },
  { key: 'i3', label: { en: 'Current L3', zh: 'C相电流' }, column: 'i3_ma', ...current, ...inB, objects: ['1.0.71.7.0.255'] },
  { key: 'i0', label: { en: 'Current N', zh: '零线电流' }, column: 'i0_ma', ...current, ...inB, objects: ['1.0.91.7.0.255'] },
  { key: 'pf', label: { en: 'Power Factor', zh: '功率因数' }, column: 'pf_milli', ...factor, ...inB, objects: ['1.0.13.7.0.255'] },
  { key: 'pf1', label: { en: 'Power Factor L1', zh: 'A相功率因数' }, column: 'pf1_milli', ...factor, ...inB, objects: ['1.0.33.7.0.255'] },
  { key: 'pf2', label: { en: 'Power Factor L2', zh: 'B相功率因数' }, column: 'pf2_milli', ...factor, ...inB, objects: ['1.0.53.7.0.255'] },
  { key: 'pf3', label: { en: 'Power Factor L3', zh: 'C相功率因数' }, column: 'pf3_milli', ...factor, ...inB, objects: ['1.0.73.7.0.255'] },
  { key: 'frequency', label: { en: 'Frequency', zh: '频率' }, column: 'frequency_mhz', ...frequency, ...inB, objects: ['1.0.14.7.0.255'] },
] as const satisfies readonly Channel[];

export type ChannelKey = (typeof CHANNELS)[number]['key'];
export type ChannelColumn = (typeof CHANNELS)[number]['column'];

/** Energy registers of a freeze, in kWh: columns of `reading_daily` in their order, and the logical names of the captured objects. */
export const DAILY_REGISTERS = [
  { ...PLUS, column: 'e_plus', object: '1.0.1.8.0.255' },
  { ...MINUS, column: 'e_minus', object: '1.0.2.8.0.255' },
  { key: 'ePlusT1', label: { en: 'Tariff 1 +', zh: '正向费率1' }, column: 'e_plus_t1', object: '1.0.1.8.1.255' },
  { key: 'ePlusT2', label: { en: 'Tariff 2 +', zh: '正向费率2' }, column: 'e_plus_t2', object: '1.0.1.8.2.255' },
  { key: 'ePlusT3', label: { en: 'Tariff 3 +', zh: '正向费率3' }, column: 'e_plus_t3', object: '1.0.1.8.3.255' },
  { key: 'ePlusT4', label: { en: 'Tariff 4 +', zh: '正向费率4' }, column: 'e_plus_t4', object: '1.0.1.8.4.255' },
  { key: 'eMinusT1', label: { en: 'Tariff 1 −', zh: '反向费率1' }, column: 'e_minus_t1', object: '1.0.2.8.1.255' },
  { key: 'eMinusT2', label: { en: 'Tariff 2 −', zh: '反向费率2' }, column: 'e_minus_t2', object: '1.0.2.8.2.255' },
  { key: 'eMinusT3', label: { en: 'Tariff 3 −', zh: '反向费率3' }, column: 'e_minus_t3', object: '1.0.2.8.3.255' },
  { key: 'eMinusT4', label: { en: 'Tariff 4 −', zh: '反向费率4' }, column: 'e_minus_t4', object: '1.0.2.8.4.255' },
] as const;

export type RegisterKey = (typeof DAILY_REGISTERS)[number]['key'];
export const REGISTER_UNIT = 'kWh';
export const REGISTER_DECIMALS = 3;
