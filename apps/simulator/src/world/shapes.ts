import { SLOTS_PER_DAY, TARIFF_COUNT, TARIFF_OF_SLOT, weekdayOf, weekOf } from './calendar.ts';

/** Use of a connection, which decides the shape of its days. */
export type LoadKind = 'household' | 'prosumer' | 'shop' | 'bakery' | 'school' | 'workshop' | 'lighting' | 'solar';

/**
 * The relative load of the 96 quarter-hours of each weekday. The mean day of the week has weight 1, so a mean daily energy
 * scales it. Sums by tariff and prefix sums over the week make a register at any midnight one formula.
 */
export interface Shape {
  weights: readonly Float64Array[];
  /** Weight of a whole week by tariff. */
  week: Float64Array;
  /** `[weekday * 4 + tariff]`: weight since Monday. */
  sinceMonday: Float64Array;
  /** By tariff, the weight of the smallest day: the bound within which a day may vary without turning negative. */
  smallest: Float64Array;
  /** Variation of single quarter-hours: 0 none, 1 large. */
  scatter: number;
  /** Variation of days, as a share of `smallest`. */
  dayScatter: number;
}

type Curve = (hour: number, weekday: number) => number;

const bump = (hour: number, at: number, width: number): number => {
  const distance = Math.min(Math.abs(hour - at), 24 - Math.abs(hour - at));
  return Math.exp(-0.5 * (distance / width) ** 2);
};
/** 1 between opening and closing with half an hour of ramp, else 0. */
const open = (hour: number, from: number, to: number): number => Math.max(0, Math.min(1, (hour - from + 0.25) * 2, (to + 0.25 - hour) * 2));
const isWeekend = (weekday: number): boolean => weekday >= 5;

const home: Curve = (hour, weekday) =>
  isWeekend(weekday)
    ? 0.3 + 0.75 * bump(hour, 9, 1.4) + 0.8 * bump(hour, 12.5, 1.2) + 1.5 * bump(hour, 19.5, 1.8)
    : 0.25 + 0.85 * bump(hour, 7, 0.8) + 0.4 * bump(hour, 12.2, 0.9) + 1.6 * bump(hour, 19.5, 1.6);

/** Output of a roof facing south, without clouds. Export is the remainder after the load of the house. */
const sun: Curve = (hour) => (hour > 6.5 && hour < 17.5 ? Math.max(0, Math.sin(((hour - 6.5) / 11) * Math.PI) ** 1.4 - 0.22) : 0);

const CURVES: Record<LoadKind, Curve> = {
  household: home,
  // While the roof delivers more than the house consumes, nothing is imported.
  prosumer: (hour, weekday) => (sun(hour, weekday) > 0 ? 0 : home(hour, weekday)),
  shop: (hour, weekday) => 0.12 + open(hour, weekday === 6 ? 10 : 9, weekday === 6 ? 20 : 21) * (0.85 + 0.3 * bump(hour, 18.5, 1.5)),
  bakery: (hour, weekday) => 0.1 + open(hour, 1.5, 6.5) * (weekday === 0 ? 0.5 : 1.6) + open(hour, 6.5, 18) * 0.35,
  school: (hour, weekday) => 0.12 + (isWeekend(weekday) ? 0.03 : 1) * open(hour, 7.5, 17) * (1 - 0.2 * bump(hour, 12.5, 0.5)),
  workshop: (hour, weekday) =>
    0.1 + (weekday === 6 ? 0.05 : weekday === 5 ? 0.5 : 1) * open(hour, 8, 17.5) * (1 - 0.6 * bump(hour, 12.5, 0.4)),
  lighting: (hour) => 0.03 + Math.max(open(hour, -1, 5.75), open(hour, 18, 25)),
  solar: sun,
};

const SCATTER: Record<LoadKind, { slot: number; day: number }> = {
  household: { slot: 0.7, day: 0.35 },
  prosumer: { slot: 0.6, day: 0.35 },
  shop: { slot: 0.25, day: 0.3 },
  bakery: { slot: 0.25, day: 0.25 },
  school: { slot: 0.2, day: 0.3 },
  workshop: { slot: 0.5, day: 0.35 },
  lighting: { slot: 0.03, day: 0.05 },
  solar: { slot: 0.35, day: 0.6 },
};

const shapes = new Map<string, Shape>();

/** The load shape of a kind of customer, delayed by `shiftHours`. Shapes are shared and must not be modified. */
export function shapeOf(kind: LoadKind, shiftHours = 0): Shape {
  const key = `${kind}/${shiftHours}`;
  const known = shapes.get(key);
  if (known) return known;
  const shape = buildShape(CURVES[kind], shiftHours, SCATTER[kind]);
  shapes.set(key, shape);
  return shape;
}

function buildShape(curve: Curve, shiftHours: number, scatter: { slot: number; day: number }): Shape {
  const weights = Array.from({ length: 7 }, (_, weekday) =>
    Float64Array.from({ length: SLOTS_PER_DAY }, (_unused, slot) => curve(((((slot + 0.5) / 4 - shiftHours) % 24) + 24) % 24, weekday)),
  );
  const meanDay = weights.reduce((sum, day) => sum + day.reduce((a, b) => a + b, 0), 0) / 7;
  const week = new Float64Array(TARIFF_COUNT);
  const sinceMonday = new Float64Array(7 * TARIFF_COUNT);
  const smallest = new Float64Array(TARIFF_COUNT).fill(Number.POSITIVE_INFINITY);
  weights.forEach((day, weekday) => {
    sinceMonday.set(week, weekday * TARIFF_COUNT);
    const sums = new Float64Array(TARIFF_COUNT);
    day.forEach((weight, slot) => {
      day[slot] = weight / meanDay;
      const tariff = TARIFF_OF_SLOT[slot] ?? 0;
      sums[tariff] = (sums[tariff] ?? 0) + weight / meanDay;
    });
    sums.forEach((sum, tariff) => {
      week[tariff] = (week[tariff] ?? 0) + sum;
      smallest[tariff] = Math.min(smallest[tariff] ?? 0, sum);
    });
  });
  return { weights, week, sinceMonday, smallest, scatter: scatter.slot, dayScatter: scatter.day };
}

/** Weight of all time before the day, in one tariff. */
export function weightBefore(shape: Shape, day: number, tariff: number): number {
  return weekOf(day) * (shape.week[tariff] ?? 0) + (shape.sinceMonday[weekdayOf(day) * TARIFF_COUNT + tariff] ?? 0);
}
