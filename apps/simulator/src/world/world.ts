import { SLOT_MS, SLOTS_PER_DAY, TARIFF_COUNT, TARIFF_OF_SLOT, dayStart, localDay } from './calendar.ts';
import { type Electric, electricOf, powerFactorOf } from './electric.ts';
import { createEnergy, type Direction, flowedAfter, gain, gainInTariff, swingAt } from './energy.ts';
import { type EventLog, eventsOf, type MeterEvent } from './events.ts';
import { type LocalTime, localTimeOf } from './local-time.ts';
import type { DcuPlan, MeterPlan, Plan, TransformerPlan } from './plan.ts';
import { streamOf } from './random.ts';
import { energySeries, type EnergySeries, gridSeries, type GridSeries } from './series.ts';
import { drawFleet, type WorldSize } from './scale.ts';
import { drawTown, drawUtility } from './town.ts';

/** 0 is the total, 1 to 4 the tariffs. */
export type Tariff = 0 | 1 | 2 | 3 | 4;

/** Everything that can be asked of the simulated world, for any moment; asking changes nothing. */
export interface World {
  plan: Plan;
  /** What clocks of the field show. People get up and machines begin by the town's own time, wherever that is. */
  localTime: LocalTime;
  meterBySn: ReadonlyMap<string, MeterPlan>;
  dcuBySn: ReadonlyMap<string, DcuPlan>;
  metersOf(dcu: DcuPlan): readonly MeterPlan[];
  /** Meters of the next DCU: what cross-talk comes from. */
  neighboursOf(dcu: DcuPlan): readonly MeterPlan[];
  /** Wh in a register at an instant. */
  register(meter: MeterPlan, atMs: number, direction: Direction, tariff: Tariff): number;
  /** Mean power of the period of whole quarters that ends at an instant, W. */
  averagePower(meter: MeterPlan, endMs: number, seconds: number, direction: Direction): number;
  averageApparent(meter: MeterPlan, endMs: number, direction: Direction): number;
  /** Voltages, currents and power factor as averages of the quarter that ends at an instant. */
  electricOfSlot(meter: MeterPlan, endMs: number): Electric;
  /** The same at one instant. */
  electricAt(meter: MeterPlan, atMs: number): Electric;
  /** What load profile A captures in a local day. */
  energySeries(meter: MeterPlan, day: number): EnergySeries;
  /** What load profile B captures in a local day. */
  gridSeries(meter: MeterPlan, day: number): GridSeries;
  events(meter: MeterPlan, log: EventLog, fromMs: number, toMs: number): MeterEvent[];
  customersOf(transformer: TransformerPlan): readonly MeterPlan[];
}

/** A transformer's usual peak beside its mean load. */
const PEAK_FACTOR = 2.5;
const HOUR_S = 3600;

const planOf = (seed: number, size: WorldSize): Plan =>
  size === 'town' ? drawTown(seed) : size === 'utility' ? drawUtility(seed) : drawFleet(seed, size);

export function createWorld(seed: number, size: WorldSize = 'town', timeZone?: string): World {
  const plan = planOf(seed, size);
  const energy = createEnergy(plan);
  const swingStream = streamOf(seed, 'swing');
  const electricStream = streamOf(seed, 'electric');
  const usualPeakW = plan.transformers.map(
    (transformer) => energy.customersOf(transformer).reduce((sum, meter) => sum + meter.meanDailyWh, 0) * (PEAK_FACTOR / 24),
  );
  const metersByDcu: MeterPlan[][] = plan.dcus.map(() => []);
  for (const meter of plan.meters) metersByDcu[meter.dcu.index]?.push(meter);

  function register(meter: MeterPlan, atMs: number, direction: Direction, tariff: Tariff): number {
    const day = localDay(atMs);
    let base = 0;
    for (let t = 0; t < TARIFF_COUNT; t++) if (tariff === 0 || tariff === t + 1) base += energy.midnight(meter, day, direction, t);
    const passed = (atMs - dayStart(day)) / SLOT_MS;
    if (passed === 0) return base;
    const cumulated = energy.curve(meter, day)[direction];
    const slot = Math.floor(passed);
    const full = tariff === 0 ? (cumulated[slot] ?? 0) : gainInTariff(cumulated, slot, tariff - 1);
    const isRunning = tariff === 0 || TARIFF_OF_SLOT[slot] === tariff - 1;
    const part =
      isRunning && passed > slot
        ? Math.floor(gain(cumulated, slot) * flowedAfter(swingStream ^ meter.index, day * SLOTS_PER_DAY + slot, passed - slot))
        : 0;
    return base + full + part;
  }

  /** Day and slot of the quarter that ends at, or contains what lies just before, an instant. */
  function slotBefore(endMs: number): { day: number; slot: number } {
    const day = localDay(endMs - 1);
    return { day, slot: Math.floor((endMs - 1 - dayStart(day)) / SLOT_MS) };
  }

  const slotNumber = ({ day, slot }: { day: number; slot: number }): number => day * SLOTS_PER_DAY + slot;

  function totalAtMidnight(meter: MeterPlan, day: number, direction: Direction): number {
    let sum = 0;
    for (let tariff = 0; tariff < TARIFF_COUNT; tariff++) sum += energy.midnight(meter, day, direction, tariff);
    return sum;
  }

  function averagePower(meter: MeterPlan, endMs: number, seconds: number, direction: Direction): number {
    const wh = register(meter, endMs, direction, 0) - register(meter, endMs - seconds * 1000, direction, 0);
    return (wh * HOUR_S) / seconds;
  }

  function averageApparent(meter: MeterPlan, endMs: number, direction: Direction): number {
    const watts = averagePower(meter, endMs, SLOT_MS / 1000, direction);
    return watts === 0 ? 0 : Math.round(watts / powerFactorOf(meter, electricStream ^ meter.index, slotNumber(slotBefore(endMs))));
  }

  function electric(meter: MeterPlan, day: number, slot: number, factor: number, moment: number): Electric {
    const { plus, minus } = energy.curve(meter, day);
    const powerW = (gain(plus, slot) - gain(minus, slot)) * (SLOTS_PER_DAY / 24) * factor;
    const loadW = (energy.transformerLoad(meter.transformer, day)[slot] ?? 0) * (SLOTS_PER_DAY / 24);
    const utilisation = loadW / Math.max(1, usualPeakW[meter.transformer.index] ?? 1);
    return electricOf(meter, powerW, utilisation, electricStream ^ meter.index, moment);
  }

  function electricOfSlot(meter: MeterPlan, endMs: number): Electric {
    const { day, slot } = slotBefore(endMs);
    return electric(meter, day, slot, 1, day * SLOTS_PER_DAY + slot);
  }

  function electricAt(meter: MeterPlan, atMs: number): Electric {
    const day = localDay(atMs);
    const passed = (atMs - dayStart(day)) / SLOT_MS;
    const slot = Math.floor(passed);
    const swing = swingAt(swingStream ^ meter.index, day * SLOTS_PER_DAY + slot, passed - slot);
    return electric(meter, day, slot, swing, Math.floor(atMs / 1000));
  }

  return {
    plan,
    localTime: localTimeOf(timeZone),
    meterBySn: new Map(plan.meters.map((meter) => [meter.sn, meter])),
    dcuBySn: new Map(plan.dcus.map((dcu) => [dcu.sn, dcu])),
    metersOf: (dcu) => metersByDcu[dcu.index] ?? [],
    neighboursOf: (dcu) => (metersByDcu.length > 1 ? (metersByDcu[(dcu.index + 1) % metersByDcu.length] ?? []) : []),
    register,
    averagePower,
    averageApparent,
    electricOfSlot,
    electricAt,
    energySeries: (meter, day) => energySeries(energy, totalAtMidnight, electricStream ^ meter.index, meter, day),
    gridSeries: (meter, day) => gridSeries((slot) => electricOfSlot(meter, dayStart(day) + slot * SLOT_MS), meter.phase === 'abc' ? 3 : 1),
    events: (meter, log, fromMs, toMs) => eventsOf(seed, meter, log, fromMs, toMs),
    customersOf: energy.customersOf,
  };
}
