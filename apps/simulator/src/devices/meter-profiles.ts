import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import type { IntervalColumn, IntervalSpec } from '#behaviours/interval-profile.ts';
import type { Width } from '#behaviours/row-writer.ts';
import { DAY_MS, SLOT_MS, SLOTS_PER_DAY, dayStart } from '#world/calendar.ts';
import type { EnergySeries, GridSeries } from '#world/series.ts';
import type { MeterState } from './meter-state.ts';
import { energyWidth } from './meter-registers.ts';

const DEPTH_DAYS = 60;
/** Twelve billing periods and the current one. */
const BILLING_DEPTH_DAYS = 400;
const VALUE = 2;
export const LAST_AVERAGE = 3;
/** Bits of the status word of a row. */
const POWER_DOWN = 0x80;
const CLOCK_ADJUSTED = 0x20;
const FIRST_POWER_EVENT = 1;
const LAST_POWER_EVENT = 2;

type Key = WellKnownKey;
/** Source of profile rows. */
export type Measured = Pick<MeterState, 'world' | 'plan'>;

export const captureOf = (key: Key, attributeId = VALUE): CaptureObject => ({
  classId: WELL_KNOWN[key].cosemClass.id,
  instance: WELL_KNOWN[key].instance,
  attributeId,
  dataIndex: 0,
});

const column = (key: Key, width: Width, attributeId = VALUE): IntervalColumn => ({ object: captureOf(key, attributeId), width });
const STATUS = column('STATUS', 'u16');

/** The status words of a day: events in the quarter-hour that ends at each slot. */
function statusOf({ world, plan }: Measured, day: number): Uint16Array {
  const status = new Uint16Array(SLOTS_PER_DAY);
  const from = dayStart(day) - SLOT_MS;
  for (const event of world.events(plan, 'standard', from, from + DAY_MS - 1)) {
    const slot = Math.floor((event.at - from) / SLOT_MS);
    const isPower = event.code >= FIRST_POWER_EVENT && event.code <= LAST_POWER_EVENT;
    status[slot] = (status[slot] ?? 0) | (isPower ? POWER_DOWN : CLOCK_ADJUSTED);
  }
  return status;
}

const energyColumns = (state: Measured): IntervalColumn[] => [
  STATUS,
  column('E_PLUS', energyWidth(state.plan)),
  column('E_MINUS', energyWidth(state.plan)),
];

/** A captured quantity: its key in the API of the head-end, the captured attribute, and its values of a day. */
export interface ProfileChannel<Series> {
  key: string;
  column: IntervalColumn;
  /** Decimals that the meter captures. */
  decimals: number;
  /** Fewest phases of a meter that captures it. */
  phases: 1 | 2 | 3;
  valuesOf: (series: Series) => ArrayLike<number> | undefined;
}

const average = (key: string, object: Key, name: 'pPlus' | 'pMinus' | 'sPlus' | 'sMinus'): ProfileChannel<EnergySeries> => ({
  key,
  column: column(object, 'u32', LAST_AVERAGE),
  decimals: 0,
  phases: 1,
  valuesOf: (series) => series[name],
});

/** Averages of load profile A. */
export const AVERAGE_CHANNELS: readonly ProfileChannel<EnergySeries>[] = [
  average('pAvgPlus', 'P_AVG_PLUS', 'pPlus'),
  average('pAvgMinus', 'P_AVG_MINUS', 'pMinus'),
  average('sAvgPlus', 'S_AVG_PLUS', 'sPlus'),
  average('sAvgMinus', 'S_AVG_MINUS', 'sMinus'),
];

/** Energies and averages, every quarter of an hour. */
export const LPA: IntervalSpec<Measured> = {
  period: SLOT_MS,
  depthDays: DEPTH_DAYS,
  columns: (state) => [...energyColumns(state), ...AVERAGE_CHANNELS.map((channel) => channel.column)],
  dayOf: (state, day) => {
    const series = state.world.energySeries(state.plan, day);
    return [statusOf(state, day), series.ePlus, series.eMinus, ...AVERAGE_CHANNELS.map(({ valuesOf }) => valuesOf(series) ?? [])];
  },
};

const PHASES = [1, 2, 3] as const;
/** The simulated network keeps it. */
const NOMINAL_FREQUENCY_HZ = 50;
const grid = (
  key: string,
  object: Key,
  { decimals, phases = 1 }: { decimals: number; phases?: 1 | 2 | 3 },
  valuesOf: (series: GridSeries) => ArrayLike<number> | undefined,
): ProfileChannel<GridSeries> => ({ key, column: column(object, 'u16'), decimals, phases, valuesOf });

/** Quantities of load profile B. */
export const GRID_CHANNELS: readonly ProfileChannel<GridSeries>[] = [
  ...PHASES.map((phase) => grid(`u${phase}`, `U${phase}`, { decimals: 1, phases: phase }, ({ voltages }) => voltages[phase - 1])),
  ...PHASES.map((phase) => grid(`i${phase}`, `I${phase}`, { decimals: 2, phases: phase }, ({ currents }) => currents[phase - 1])),
  grid('i0', 'I0', { decimals: 2, phases: 3 }, ({ neutral }) => neutral),
  grid('pf', 'PF', { decimals: 3 }, ({ powerFactor }) => powerFactor),
  ...PHASES.map((phase) => grid(`pf${phase}`, `PF${phase}`, { decimals: 3, phases: 3 }, ({ factors }) => factors[phase - 1])),
  grid('frequency', 'FREQUENCY', { decimals: 2 }, ({ powerFactor }) => powerFactor.map(() => NOMINAL_FREQUENCY_HZ)),
];

const phasesOf = ({ plan }: Pick<Measured, 'plan'>): number => (plan.phase === 'abc' ? 3 : 1);
/** Channels of load profile B that a meter captures. */
export const gridChannelsOf = (state: Pick<Measured, 'plan'>): readonly ProfileChannel<GridSeries>[] =>
  GRID_CHANNELS.filter(({ phases }) => phases <= phasesOf(state));
const scaled = (values: ArrayLike<number>, decimals: number): Float64Array =>
  Float64Array.from(values, (value) => Math.round(value * 10 ** decimals));

/** Voltages, currents, power factors and the frequency, every quarter of an hour. */
export const LPB: IntervalSpec<Measured> = {
  period: SLOT_MS,
  depthDays: DEPTH_DAYS,
  columns: (state) => [STATUS, ...gridChannelsOf(state).map((channel) => channel.column)],
  dayOf: (state, day) => {
    const series = state.world.gridSeries(state.plan, day);
    return [statusOf(state, day), ...gridChannelsOf(state).map(({ valuesOf, decimals }) => scaled(valuesOf(series) ?? [], decimals))];
  },
};

/** Registers, every hour. */
export const ENERGY: IntervalSpec<Measured> = {
  period: 4 * SLOT_MS,
  depthDays: DEPTH_DAYS,
  columns: energyColumns,
  dayOf: (state, day) => {
    const { ePlus, eMinus } = state.world.energySeries(state.plan, day);
    return [statusOf(state, day), ePlus, eMinus];
  },
};

export const DAILY_KEYS = [
  ['E_PLUS', 'E_PLUS_T1', 'E_PLUS_T2', 'E_PLUS_T3', 'E_PLUS_T4'],
  ['E_MINUS', 'E_MINUS_T1', 'E_MINUS_T2', 'E_MINUS_T3', 'E_MINUS_T4'],
] as const;
export const TARIFFS = [0, 1, 2, 3, 4] as const;

/** All energy registers, at local midnight. */
export const DAILY: IntervalSpec<Measured> = {
  period: 'day',
  depthDays: DEPTH_DAYS,
  columns: (state) => [STATUS, ...DAILY_KEYS.flat().map((key) => column(key, energyWidth(state.plan)))],
  momentOf: ({ world, plan }, at) => [
    0,
    ...(['plus', 'minus'] as const).flatMap((direction) => TARIFFS.map((tariff) => world.register(plan, at, direction, tariff))),
  ],
};

/** The same registers when a month ends. */
export const MONTHLY: IntervalSpec<Measured> = { ...DAILY, period: 'month', depthDays: BILLING_DEPTH_DAYS };
