import { pick, unitAt, between } from './random.ts';
import { type LoadKind, shapeOf } from './shapes.ts';
import type { MeterPlan } from './plan.ts';

/** Mean daily energy of each kind of customer, Wh. */
const DAILY_WH: Record<LoadKind, readonly [from: number, to: number]> = {
  household: [3_500, 13_000],
  prosumer: [4_000, 9_000],
  shop: [18_000, 55_000],
  bakery: [95_000, 130_000],
  school: [120_000, 170_000],
  workshop: [45_000, 110_000],
  lighting: [9_000, 16_000],
  solar: [4_000, 9_000],
};

/** Kinds that are always connected to all three phases. */
const THREE_PHASE: ReadonlySet<LoadKind | 'master'> = new Set(['bakery', 'school', 'workshop', 'master']);

const SHIFTS = [-0.75, -0.5, -0.25, 0, 0, 0.25, 0.5, 0.75] as const;

/** Consumption and connection of one customer of this kind. */
export function drawCustomer(
  stream: number,
  index: number,
  kind: LoadKind,
): Pick<MeterPlan, 'meanDailyWh' | 'exportDailyWh' | 'shiftHours' | 'phase'> {
  const [from, to] = DAILY_WH[kind];
  const isThreePhase =
    THREE_PHASE.has(kind) || (kind === 'shop' && unitAt(stream, index, 1) < 0.4) || (kind === 'prosumer' && unitAt(stream, index, 1) < 0.5);
  return {
    // Squared, because few customers use much and many use little.
    meanDailyWh: Math.round(from + (to - from) * unitAt(stream, index, 2) ** 2),
    exportDailyWh: kind === 'prosumer' ? Math.round(between(stream, index, DAILY_WH.solar[0], DAILY_WH.solar[1])) : 0,
    // Import stops exactly while the sun shines, so the day of a prosumer must not be shifted against it.
    shiftHours: kind === 'prosumer' ? 0 : pick(stream + 1, index, SHIFTS),
    phase: isThreePhase ? 'abc' : pick(stream + 2, index, ['a', 'b', 'c']),
  };
}

/**
 * Scales down the solar export of one transformer so that it never feeds back: its master meter then equals the sum of its
 * meters and the losses in every quarter-hour. A roof that rounds to 0 Wh a day exports nothing.
 */
export function limitExport(meters: MeterPlan[]): void {
  const solar = shapeOf('solar');
  let share = 1;
  for (let weekday = 0; weekday < 7; weekday++) {
    solar.weights[weekday]?.forEach((sunWeight, slot) => {
      if (sunWeight <= 0) return;
      const leastLoad = meters.reduce((sum, meter) => sum + leastOf(meter, weekday, slot), 0);
      const mostSun =
        meters.reduce((sum, meter) => sum + meter.exportDailyWh, 0) * sunWeight * (1 + solar.dayScatter) * (1 + solar.scatter);
      if (mostSun > 0) share = Math.min(share, leastLoad / mostSun);
    });
  }
  for (const meter of meters) meter.exportDailyWh = Math.max(0, Math.round(meter.exportDailyWh * share));
}

/** Lower bound of the consumption of a customer in one quarter-hour, Wh. */
function leastOf(meter: MeterPlan, weekday: number, slot: number): number {
  if (meter.kind === 'master') return 0;
  const shape = shapeOf(meter.kind, meter.shiftHours);
  return meter.meanDailyWh * (shape.weights[weekday]?.[slot] ?? 0) * (1 - shape.dayScatter) * (1 - shape.scatter / 2) * 0.85;
}
