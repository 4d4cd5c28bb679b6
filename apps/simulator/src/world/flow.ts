import { SLOTS_PER_DAY, TARIFF_COUNT, TARIFF_OF_SLOT, weekdayOf } from './calendar.ts';
import { unitAt } from './random.ts';
import { type Shape, weightBefore } from './shapes.ts';

/** Energy in one direction through a meter. */
export interface Flow {
  shape: Shape;
  meanDailyWh: number;
  /** Local day on which the register was zero. */
  installedDay: number;
  /** Seed of the variation between days: per customer, or the shared sky of a district for solar. */
  dayStream: number;
  /** Seed of the variation between quarter-hours. */
  slotStream: number;
}

/**
 * Wh in one tariff register at the local midnight that begins the day. A closed formula: any day costs the same, and a
 * restart changes nothing. A day adds the shape's weight, varied within bounds that keep it positive.
 */
export function midnightWh(flow: Flow, day: number, tariff: number): number {
  const { shape } = flow;
  const weight = weightBefore(shape, day, tariff) - weightBefore(shape, flow.installedDay, tariff);
  const variation = shape.dayScatter * (shape.smallest[tariff] ?? 0) * unitAt(flow.dayStream, day);
  return Math.floor(flow.meanDailyWh * (weight + variation));
}

/** Size of a day relative to the mean, 1 ± `dayScatter`. For solar this is the clearness of the sky. */
export function dayFactor(flow: Flow, day: number): number {
  return 1 + flow.shape.dayScatter * (unitAt(flow.dayStream, day + 1) - unitAt(flow.dayStream, day));
}

/** Distributes `total` Wh over the slots of one tariff by weight, in whole Wh with an exact sum; a slot with load gets at least 1. */
export function apportion(total: number, weights: Float64Array, tariff: number, into: Uint32Array): void {
  let sum = 0;
  let loaded = 0;
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const weight = weights[slot] ?? 0;
    if (TARIFF_OF_SLOT[slot] !== tariff || weight <= 0) continue;
    sum += weight;
    loaded++;
  }
  if (loaded === 0) return;
  const least = total >= loaded ? 1 : 0;
  const rest = total - least * loaded;
  let seen = 0;
  let given = 0;
  let position = 0;
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const weight = weights[slot] ?? 0;
    if (TARIFF_OF_SLOT[slot] !== tariff || weight <= 0) continue;
    seen += weight;
    // The last slot absorbs rounding, regardless of the floating-point sum of the weights.
    const upTo = ++position === loaded ? rest : Math.min(rest, Math.floor((rest * seen) / sum));
    into[slot] = (into[slot] ?? 0) + least + upTo - given;
    given = upTo;
  }
}

const scattered = new Float64Array(SLOTS_PER_DAY);

/** Adds the Wh of each quarter-hour of the day to `into`; their sum per tariff equals the gain of the register that day. */
export function addDay(flow: Flow, day: number, into: Uint32Array): void {
  const weights = flow.shape.weights[weekdayOf(day)];
  if (!weights) return;
  const { scatter } = flow.shape;
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const chance = unitAt(flow.slotStream, day, slot);
    // Occasional large loads: a kettle, a pump, an oven.
    const spike = chance > 0.95 ? 1 + 2 * scatter : 1;
    scattered[slot] = (weights[slot] ?? 0) * (1 - scatter / 2 + scatter * chance) * spike;
  }
  for (let tariff = 0; tariff < TARIFF_COUNT; tariff++) {
    apportion(midnightWh(flow, day + 1, tariff) - midnightWh(flow, day, tariff), scattered, tariff, into);
  }
}
