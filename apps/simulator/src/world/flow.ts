import { SLOTS_PER_DAY, TARIFF_COUNT, TARIFF_OF_SLOT, weekdayOf } from './calendar.ts';
import { unitAt } from './random.ts';
import { type Shape, weightBefore } from './shapes.ts';

/** Energy that runs one way through a meter. */
export interface Flow {
  shape: Shape;
  meanDailyWh: number;
  /** Local day on which the register stood at zero. */
  installedDay: number;
  /** Decides which days are big: one's own habits, or, for solar, the sky of the district. */
  dayStream: number;
  /** Decides which quarters are big. */
  slotStream: number;
}

/**
 * Wh in one tariff register at the local midnight that begins the day. One formula, so that any day costs the same
 * and a restart changes nothing: what a day adds is the shape's weight, varied within bounds that keep it positive.
 */
export function midnightWh(flow: Flow, day: number, tariff: number): number {
  const { shape } = flow;
  const weight = weightBefore(shape, day, tariff) - weightBefore(shape, flow.installedDay, tariff);
  const variation = shape.dayScatter * (shape.smallest[tariff] ?? 0) * unitAt(flow.dayStream, day);
  return Math.floor(flow.meanDailyWh * (weight + variation));
}

/** How big the day is beside an average one, 1 ± `dayScatter`. For solar this is how clear the sky is. */
export function dayFactor(flow: Flow, day: number): number {
  return 1 + flow.shape.dayScatter * (unitAt(flow.dayStream, day + 1) - unitAt(flow.dayStream, day));
}

/** Shares `total` Wh among the slots of one tariff by weight, in whole Wh that add up exactly; a loaded slot gets at least 1. */
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
    // The last one takes what rounding left, whatever the sum of the weights came to.
    const upTo = ++position === loaded ? rest : Math.min(rest, Math.floor((rest * seen) / sum));
    into[slot] = (into[slot] ?? 0) + least + upTo - given;
    given = upTo;
  }
}

const scattered = new Float64Array(SLOTS_PER_DAY);

/** Wh of each quarter of the day, added into `into`; their sum per tariff is what the registers gain that day. */
export function addDay(flow: Flow, day: number, into: Uint32Array): void {
  const weights = flow.shape.weights[weekdayOf(day)];
  if (!weights) return;
  const { scatter } = flow.shape;
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const chance = unitAt(flow.slotStream, day, slot);
    // Now and then something big runs: a kettle, a pump, an oven.
    const spike = chance > 0.95 ? 1 + 2 * scatter : 1;
    scattered[slot] = (weights[slot] ?? 0) * (1 - scatter / 2 + scatter * chance) * spike;
  }
  for (let tariff = 0; tariff < TARIFF_COUNT; tariff++) {
    apportion(midnightWh(flow, day + 1, tariff) - midnightWh(flow, day, tariff), scattered, tariff, into);
  }
}
