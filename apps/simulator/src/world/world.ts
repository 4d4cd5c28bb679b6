import { SLOT_MS, SLOTS_PER_DAY, TARIFF_COUNT, TARIFF_OF_SLOT, dayStart, localDay } from './calendar.ts';
import { type Electric, electricOf, powerFactorOf } from './electric.ts';
import { createEnergy, type Direction, flowedAfter, gain, gainInTariff, swingAt } from './energy.ts';
import { EVENT_CODES, type EventLog, eventsOf, type MeterEvent } from './events.ts';
import { capturedBy, createExchanges, type Exchanges, initialWh, placeOf } from './exchange.ts';
import { type LocalTime, localTimeOf } from './local-time.ts';
import type { DcuPlan, MeterPlan, Plan, TransformerPlan } from './plan.ts';
import { streamOf } from './random.ts';
import { energySeries, type EnergySeries, gridSeries, type GridSeries } from './series.ts';
import { drawFleet, type WorldSize } from './scale.ts';
import { drawTown, drawUtility } from './town.ts';

/** 0 is the total, 1 to 4 the tariffs. */
export type Tariff = 0 | 1 | 2 | 3 | 4;

/** The simulated world at any moment. Queries have no side effects. */
export interface World {
  plan: Plan;
  /** Local time of device clocks. Load shapes always follow the zone of the test fleet, regardless of this zone. */
  localTime: LocalTime;
  /** All meters ever installed, removed ones included. */
  meterBySn: ReadonlyMap<string, MeterPlan>;
  dcuBySn: ReadonlyMap<string, DcuPlan>;
  /** The initial meters behind a DCU. */
  metersOf(dcu: DcuPlan): readonly MeterPlan[];
  /** The meters installed behind a DCU at a moment. */
  metersAt(dcu: DcuPlan, atMs: number): readonly MeterPlan[];
  /** Meters of the next DCU, the source of cross-talk. */
  neighboursAt(dcu: DcuPlan, atMs: number): readonly MeterPlan[];
  /** Whether a meter is installed at a moment; it is unresponsive before and after. */
  isUp(meter: MeterPlan, atMs: number): boolean;
  /** Moment of its first possible row. */
  beganAt(meter: MeterPlan): number;
  /** Replaces a meter and returns the plan of the new one. The only operation that changes the world. */
  exchange(meter: MeterPlan, atMs: number): MeterPlan;
  exchanges(): ReturnType<Exchanges['list']>;
  /** Wh in a register at an instant. The registers of a removed meter stay constant. */
  register(meter: MeterPlan, atMs: number, direction: Direction, tariff: Tariff): number;
  /** Wh that the customer of a meter consumed or exported between two instants, across meter replacements. */
  flowed(meter: MeterPlan, fromMs: number, toMs: number, direction: Direction, tariff: Tariff): number;
  /** Mean power in W over the period of whole quarter-hours that ends at an instant. */
  averagePower(meter: MeterPlan, endMs: number, seconds: number, direction: Direction): number;
  averageApparent(meter: MeterPlan, endMs: number, direction: Direction): number;
  /** Voltages, currents and power factor, averaged over the quarter-hour that ends at an instant. */
  electricOfSlot(meter: MeterPlan, endMs: number): Electric;
  /** Momentary voltages, currents and power factor. */
  electricAt(meter: MeterPlan, atMs: number): Electric;
  /** Captures of load profile A in a local day. */
  energySeries(meter: MeterPlan, day: number): EnergySeries;
  /** Captures of load profile B in a local day. */
  gridSeries(meter: MeterPlan, day: number): GridSeries;
  events(meter: MeterPlan, log: EventLog, fromMs: number, toMs: number): MeterEvent[];
  customersOf(transformer: TransformerPlan): readonly MeterPlan[];
}

/** Usual peak of a transformer relative to its mean load. */
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
  const meterBySn = new Map(plan.meters.map((meter) => [meter.sn, meter]));
  const exchanges = createExchanges(seed);

  /** Register of a hypothetical meter that has been installed since the beginning. */
  function flowedUntil(meter: MeterPlan, atMs: number, direction: Direction, tariff: Tariff): number {
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

  function register(meter: MeterPlan, atMs: number, direction: Direction, tariff: Tariff): number {
    if (!exchanges.isAny()) return flowedUntil(meter, atMs, direction, tariff);
    const { fromMs, untilMs } = exchanges.spanOf(meter);
    const place = placeOf(meter);
    const now = flowedUntil(place, Math.min(atMs, untilMs), direction, tariff);
    if (place === meter) return now;
    return initialWh(meter.fitting, direction, tariff) + Math.max(0, now - flowedUntil(place, fromMs, direction, tariff));
  }

  const metersAt = (dcuIndex: number, atMs: number): readonly MeterPlan[] => {
    const drawn = metersByDcu[dcuIndex] ?? [];
    return exchanges.isAny() ? drawn.map((meter) => exchanges.deviceAt(meter, atMs)) : drawn;
  };

  function exchange(meter: MeterPlan, atMs: number): MeterPlan {
    const fresh = exchanges.exchange(meter, atMs);
    meterBySn.set(fresh.sn, fresh);
    return fresh;
  }

  const isUp = (meter: MeterPlan, atMs: number): boolean => {
    if (!exchanges.isAny()) return true;
    const { fromMs, untilMs } = exchanges.spanOf(meter);
    return (meter.fitting === undefined || atMs >= fromMs) && atMs < untilMs;
  };

  function capturedEnergy(meter: MeterPlan, day: number): EnergySeries {
    const place = energySeries(energy, totalAtMidnight, electricStream ^ meter.index, placeOf(meter), day);
    const isWhole = !exchanges.isAny() || exchanges.deviceAt(meter, Number.POSITIVE_INFINITY) === meter;
    if (isWhole && meter.fitting === undefined) return place;
    return capturedBy(place, day, (atMs, direction) => register(meter, atMs, direction, 0));
  }

  /** Events within the installed period; a replacement meter starts with a power-up. */
  function loggedEvents(meter: MeterPlan, log: EventLog, fromMs: number, toMs: number): MeterEvent[] {
    const logged = eventsOf(seed, meter, log, fromMs, toMs);
    if (!exchanges.isAny()) return logged;
    const up = meter.fitting?.atMs;
    const own = logged.filter(({ at }) => isUp(meter, at));
    return log === 'standard' && up !== undefined && up >= fromMs && up <= toMs ? [{ at: up, code: EVENT_CODES.powerUp }, ...own] : own;
  }

  /** Day and slot of the quarter-hour that ends at, or contains the moment just before, an instant. */
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
    meterBySn,
    dcuBySn: new Map(plan.dcus.map((dcu) => [dcu.sn, dcu])),
    metersOf: (dcu) => metersByDcu[dcu.index] ?? [],
    metersAt: (dcu, atMs) => metersAt(dcu.index, atMs),
    neighboursAt: (dcu, atMs) => (metersByDcu.length > 1 ? metersAt((dcu.index + 1) % metersByDcu.length, atMs) : []),
    isUp,
    beganAt: (meter) => exchanges.spanOf(meter).fromMs,
    exchange,
    exchanges: exchanges.list,
    register,
    flowed: (meter, fromMs, toMs, direction, tariff) =>
      flowedUntil(placeOf(meter), toMs, direction, tariff) - flowedUntil(placeOf(meter), fromMs, direction, tariff),
    averagePower,
    averageApparent,
    electricOfSlot,
    electricAt,
    energySeries: capturedEnergy,
    gridSeries: (meter, day) => gridSeries((slot) => electricOfSlot(meter, dayStart(day) + slot * SLOT_MS), meter.phase === 'abc' ? 3 : 1),
    events: loggedEvents,
    customersOf: energy.customersOf,
  };
}
