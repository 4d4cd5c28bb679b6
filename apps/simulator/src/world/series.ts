import { SLOTS_PER_DAY } from './calendar.ts';
import { type Electric, powerFactorOf } from './electric.ts';
import { type Direction, type Energy, gain } from './energy.ts';
import type { MeterPlan } from './plan.ts';

/**
 * Values that a meter captured at the 96 quarter-hours of a local day, index 0 being midnight. Averages are those of the
 * quarter-hour that ends there. Computed per day, because reading a profile row by row would repeat the same queries of
 * the world.
 */
export interface EnergySeries {
  ePlus: Float64Array;
  eMinus: Float64Array;
  pPlus: Float64Array;
  pMinus: Float64Array;
  sPlus: Float64Array;
  sMinus: Float64Array;
}

export interface GridSeries {
  voltages: Float64Array[];
  currents: Float64Array[];
  neutral: Float64Array;
  powerFactor: Float64Array;
  factors: Float64Array[];
}

const SLOTS_PER_HOUR = SLOTS_PER_DAY / 24;
const fresh = (): Float64Array => new Float64Array(SLOTS_PER_DAY);

export function energySeries(
  energy: Energy,
  total: (meter: MeterPlan, day: number, direction: Direction) => number,
  stream: number,
  meter: MeterPlan,
  day: number,
): EnergySeries {
  const today = energy.curve(meter, day);
  const yesterday = energy.curve(meter, day - 1);
  const series: EnergySeries = { ePlus: fresh(), eMinus: fresh(), pPlus: fresh(), pMinus: fresh(), sPlus: fresh(), sMinus: fresh() };
  const plusBase = total(meter, day, 'plus');
  const minusBase = total(meter, day, 'minus');
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const before = slot === 0 ? yesterday : today;
    const ended = slot === 0 ? SLOTS_PER_DAY - 1 : slot - 1;
    const powerFactor = powerFactorOf(meter, stream, day * SLOTS_PER_DAY + slot - 1);
    const taken = gain(before.plus, ended) * SLOTS_PER_HOUR;
    const given = gain(before.minus, ended) * SLOTS_PER_HOUR;
    series.ePlus[slot] = plusBase + (today.plus[slot] ?? 0);
    series.eMinus[slot] = minusBase + (today.minus[slot] ?? 0);
    series.pPlus[slot] = taken;
    series.pMinus[slot] = given;
    series.sPlus[slot] = Math.round(taken / powerFactor);
    series.sMinus[slot] = Math.round(given / powerFactor);
  }
  return series;
}

export function gridSeries(electricOfSlot: (slot: number) => Electric, phases: number): GridSeries {
  const series: GridSeries = {
    voltages: Array.from({ length: phases }, fresh),
    currents: Array.from({ length: phases }, fresh),
    neutral: fresh(),
    powerFactor: fresh(),
    factors: Array.from({ length: phases === 1 ? 0 : phases }, fresh),
  };
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const seen = electricOfSlot(slot);
    series.voltages.forEach((values, phase) => (values[slot] = seen.voltages[phase] ?? 0));
    series.currents.forEach((values, phase) => (values[slot] = seen.currents[phase] ?? 0));
    series.neutral[slot] = seen.neutral;
    series.powerFactor[slot] = seen.powerFactor;
    series.factors.forEach((values, phase) => (values[slot] = seen.factors[phase] ?? 0));
  }
  return series;
}
