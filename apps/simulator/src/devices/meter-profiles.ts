import { WELL_KNOWN, type WellKnownKey } from '@hes/dlms/catalogue/well-known.ts';
import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import type { IntervalColumn, IntervalSpec } from '#behaviours/interval-profile.ts';
import type { Width } from '#behaviours/row-writer.ts';
import { DAY_MS, SLOT_MS, SLOTS_PER_DAY, dayStart } from '#world/calendar.ts';
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

/** Energies and averages, every quarter of an hour. */
export const LPA: IntervalSpec<Measured> = {
  period: SLOT_MS,
  depthDays: DEPTH_DAYS,
  columns: (state) => [
    ...energyColumns(state),
    column('P_AVG_PLUS', 'u32', LAST_AVERAGE),
    column('P_AVG_MINUS', 'u32', LAST_AVERAGE),
    column('S_AVG_PLUS', 'u32', LAST_AVERAGE),
    column('S_AVG_MINUS', 'u32', LAST_AVERAGE),
  ],
  dayOf: (state, day) => {
    const { ePlus, eMinus, pPlus, pMinus, sPlus, sMinus } = state.world.energySeries(state.plan, day);
    return [statusOf(state, day), ePlus, eMinus, pPlus, pMinus, sPlus, sMinus];
  },
};

const U_KEYS = ['U1', 'U2', 'U3'] as const;
const I_KEYS = ['I1', 'I2', 'I3'] as const;
const PF_KEYS = ['PF1', 'PF2', 'PF3'] as const;
const isThreePhase = (state: Measured): boolean => state.plan.phase === 'abc';
const phasesOf = (state: Measured): number => (isThreePhase(state) ? 3 : 1);
const scaled = (values: Float64Array, exponent: number): Float64Array => values.map((value) => Math.round(value * 10 ** exponent));

/** Voltages, currents and power factors, every quarter of an hour. */
export const LPB: IntervalSpec<Measured> = {
  period: SLOT_MS,
  depthDays: DEPTH_DAYS,
  columns: (state) => [
    STATUS,
    ...U_KEYS.slice(0, phasesOf(state)).map((key) => column(key, 'u16')),
    ...I_KEYS.slice(0, phasesOf(state)).map((key) => column(key, 'u16')),
    ...(isThreePhase(state) ? [column('I0', 'u16')] : []),
    column('PF', 'u16'),
    ...(isThreePhase(state) ? PF_KEYS.map((key) => column(key, 'u16')) : []),
  ],
  dayOf: (state, day) => {
    const grid = state.world.gridSeries(state.plan, day);
    return [
      statusOf(state, day),
      ...grid.voltages.map((values) => scaled(values, 1)),
      ...grid.currents.map((values) => scaled(values, 2)),
      ...(isThreePhase(state) ? [scaled(grid.neutral, 2)] : []),
      scaled(grid.powerFactor, 3),
      ...grid.factors.map((values) => scaled(values, 3)),
    ];
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
