import type { ProfileName } from '@hes/contract/reading/reading.ts';

/** A quantity an interval profile may hold: its column, and the unit the column's integers are in. */
export interface Channel {
  column: string;
  type: 'int4' | 'int8';
  /** Unit code of COSEM the captured object must have; undefined: any. */
  unit: number | undefined;
  /** The column counts 10^-exponent of that unit: 3 for milli. */
  exponent: number;
  /** Captured objects (`A.B.C.D.E.F`) that mean this quantity. */
  objects: readonly string[];
}

const WH = 30;
const W = 27;
const VA = 28;
const V = 35;
const A = 33;

/** Average of the capture interval, under the names meter makers give it: current, last, and recording-interval averages. */
const average = (c: number): string[] => [5, 4, 24, 25, 27, 28].map((d) => `1.0.${c}.${d}.0.255`);

/** All channels of `reading_profile`, in the order in which rows are written. */
export const CHANNELS = [
  { column: 'e_plus_wh', type: 'int8', unit: WH, exponent: 0, objects: ['1.0.1.8.0.255'] },
  { column: 'e_minus_wh', type: 'int8', unit: WH, exponent: 0, objects: ['1.0.2.8.0.255'] },
  { column: 'p_avg_plus_w', type: 'int4', unit: W, exponent: 0, objects: average(1) },
  { column: 'p_avg_minus_w', type: 'int4', unit: W, exponent: 0, objects: average(2) },
  { column: 's_avg_plus_va', type: 'int4', unit: VA, exponent: 0, objects: average(9) },
  { column: 's_avg_minus_va', type: 'int4', unit: VA, exponent: 0, objects: average(10) },
  { column: 'u1_mv', type: 'int4', unit: V, exponent: 3, objects: ['1.0.32.7.0.255', '1.0.12.7.0.255'] },
  { column: 'u2_mv', type: 'int4', unit: V, exponent: 3, objects: ['1.0.52.7.0.255'] },
  { column: 'u3_mv', type: 'int4', unit: V, exponent: 3, objects: ['1.0.72.7.0.255'] },
  { column: 'i1_ma', type: 'int4', unit: A, exponent: 3, objects: ['1.0.31.7.0.255', '1.0.11.7.0.255'] },
  { column: 'i2_ma', type: 'int4', unit: A, exponent: 3, objects: ['1.0.51.7.0.255'] },
  { column: 'i3_ma', type: 'int4', unit: A, exponent: 3, objects: ['1.0.71.7.0.255'] },
  { column: 'i0_ma', type: 'int4', unit: A, exponent: 3, objects: ['1.0.91.7.0.255'] },
  { column: 'pf_milli', type: 'int4', unit: undefined, exponent: 3, objects: ['1.0.13.7.0.255'] },
  { column: 'pf1_milli', type: 'int4', unit: undefined, exponent: 3, objects: ['1.0.33.7.0.255'] },
  { column: 'pf2_milli', type: 'int4', unit: undefined, exponent: 3, objects: ['1.0.53.7.0.255'] },
  { column: 'pf3_milli', type: 'int4', unit: undefined, exponent: 3, objects: ['1.0.73.7.0.255'] },
] as const satisfies readonly Channel[];

export type ChannelColumn = (typeof CHANNELS)[number]['column'];

export const P_AVG_PLUS_CHANNEL = 2;
export const U1_CHANNEL = 6;

const byObject = new Map<string, number>(CHANNELS.flatMap((channel, index) => channel.objects.map((object) => [object, index] as const)));

/** The channel a captured object belongs to, or undefined when it is none of ours. */
export const channelOf = (instance: string): number | undefined => byObject.get(instance);

/** Seconds between two captures, unless the meter's type says otherwise. */
export const DEFAULT_PERIOD_S: Record<ProfileName, number> = { lpa: 900, lpb: 900, energy: 3600 };

/** The columns of `reading_daily` that hold registers, in the order in which rows are written, and their objects. */
export const DAILY_REGISTERS = [
  { column: 'e_plus', object: '1.0.1.8.0.255' },
  { column: 'e_minus', object: '1.0.2.8.0.255' },
  { column: 'e_plus_t1', object: '1.0.1.8.1.255' },
  { column: 'e_plus_t2', object: '1.0.1.8.2.255' },
  { column: 'e_plus_t3', object: '1.0.1.8.3.255' },
  { column: 'e_plus_t4', object: '1.0.1.8.4.255' },
  { column: 'e_minus_t1', object: '1.0.2.8.1.255' },
  { column: 'e_minus_t2', object: '1.0.2.8.2.255' },
  { column: 'e_minus_t3', object: '1.0.2.8.3.255' },
  { column: 'e_minus_t4', object: '1.0.2.8.4.255' },
] as const;

const dailyByObject = new Map<string, number>(DAILY_REGISTERS.map((register, index) => [register.object, index]));

/** The register of a daily freeze a captured object belongs to, or undefined when it is none of ours. */
export const dailyRegisterOf = (instance: string): number | undefined => dailyByObject.get(instance);
