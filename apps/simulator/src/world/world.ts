import { SLOT_MS, SLOTS_PER_DAY, TARIFF_COUNT, TARIFF_OF_SLOT, dayStart, localDay } from './calendar.ts';
import { type Electric, electricOf, powerFactorOf } from './electric.ts';
import { createEnergy, type Direction, type Energy, flowedAfter, gain, gainInTariff, swingAt } from './energy.ts';
import { EVENT_CODES, type EventLog, eventsOf, type MeterEvent } from './events.ts';
import { capturedBy, createReplacements, type Replacements, initialWh, placeOf } from './replacement.ts';
import { type LocalTime, localTimeOf } from './local-time.ts';
import type { FleetLanguage } from './names.ts';
import type { DcuPlan, MeterPlan, Plan, TransformerPlan } from './plan.ts';
import { streamOf } from './random.ts';
import { energySeries, type EnergySeries, gridSeries, type GridSeries } from './series.ts';
import { addDirectMeters, drawUniformFleet, type DirectScale, type WorldSize } from './scale.ts';
import { drawTestFleet, drawUtilityFleet } from './draw-fleet.ts';

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
  replaceMeter(meter: MeterPlan, atMs: number): MeterPlan;
  replacements(): ReturnType<Replacements['list']>;
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

function planOf(seed: number, size: WorldSize, language?: FleetLanguage): Plan {
  if (size === 'town') return drawTestFleet(seed, language);
  return typeof size === 'object' ? drawUniformFleet(seed, size) : drawUtilityFleet(seed, language, size === 'utility-even');
}

export function createWorld(
  seed: number,
  size: WorldSize = 'town',
  timeZone?: string,
  directMeters: DirectScale = { count: 0 },
  language?: FleetLanguage,
): World {
  const plan = planOf(seed, size, language);
  addDirectMeters(plan, directMeters);
  return new SimulatedWorld(plan, localTimeOf(timeZone));
}

interface Slot {
  day: number;
  slot: number;
}

class SimulatedWorld implements World {
  readonly plan: Plan;
  readonly localTime: LocalTime;
  readonly meterBySn: Map<string, MeterPlan>;
  readonly dcuBySn: ReadonlyMap<string, DcuPlan>;
  readonly #energy: Energy;
  readonly #replacements: Replacements;
  readonly #metersByDcu: MeterPlan[][];
  readonly #usualPeakW: number[];
  readonly #swingStream: number;
  readonly #electricStream: number;

  constructor(plan: Plan, localTime: LocalTime) {
    this.plan = plan;
    this.localTime = localTime;
    this.meterBySn = new Map(plan.meters.map((meter) => [meter.sn, meter]));
    this.dcuBySn = new Map(plan.dcus.map((dcu) => [dcu.sn, dcu]));
    this.#energy = createEnergy(plan);
    this.#replacements = createReplacements(plan.seed);
    this.#metersByDcu = plan.dcus.map(() => []);
    for (const meter of plan.meters) if (meter.isDirect !== true) this.#metersByDcu[meter.dcu.index]?.push(meter);
    this.#usualPeakW = plan.transformers.map(
      (transformer) => this.customersOf(transformer).reduce((sum, meter) => sum + meter.meanDailyWh, 0) * (PEAK_FACTOR / 24),
    );
    this.#swingStream = streamOf(plan.seed, 'swing');
    this.#electricStream = streamOf(plan.seed, 'electric');
  }

  customersOf(transformer: TransformerPlan): readonly MeterPlan[] {
    return this.#energy.customersOf(transformer);
  }

  metersOf(dcu: DcuPlan): readonly MeterPlan[] {
    return this.#metersByDcu[dcu.index] ?? [];
  }

  metersAt(dcu: DcuPlan, atMs: number): readonly MeterPlan[] {
    return this.#metersAt(dcu.index, atMs);
  }

  neighboursAt(dcu: DcuPlan, atMs: number): readonly MeterPlan[] {
    const count = this.#metersByDcu.length;
    return count > 1 ? this.#metersAt((dcu.index + 1) % count, atMs) : [];
  }

  isUp(meter: MeterPlan, atMs: number): boolean {
    if (!this.#replacements.hasAny()) return true;
    const { fromMs, untilMs } = this.#replacements.spanOf(meter);
    return (meter.installation === undefined || atMs >= fromMs) && atMs < untilMs;
  }

  beganAt(meter: MeterPlan): number {
    return this.#replacements.spanOf(meter).fromMs;
  }

  replaceMeter(meter: MeterPlan, atMs: number): MeterPlan {
    const successor = this.#replacements.replaceMeter(meter, atMs);
    this.meterBySn.set(successor.sn, successor);
    return successor;
  }

  replacements(): ReturnType<Replacements['list']> {
    return this.#replacements.list();
  }

  register(meter: MeterPlan, atMs: number, direction: Direction, tariff: Tariff): number {
    if (!this.#replacements.hasAny()) return this.#flowedUntil(meter, atMs, direction, tariff);
    const { fromMs, untilMs } = this.#replacements.spanOf(meter);
    const place = placeOf(meter);
    const now = this.#flowedUntil(place, Math.min(atMs, untilMs), direction, tariff);
    if (place === meter) return now;
    return initialWh(meter.installation, direction, tariff) + Math.max(0, now - this.#flowedUntil(place, fromMs, direction, tariff));
  }

  flowed(meter: MeterPlan, fromMs: number, toMs: number, direction: Direction, tariff: Tariff): number {
    const place = placeOf(meter);
    return this.#flowedUntil(place, toMs, direction, tariff) - this.#flowedUntil(place, fromMs, direction, tariff);
  }

  averagePower(meter: MeterPlan, endMs: number, seconds: number, direction: Direction): number {
    const wh = this.register(meter, endMs, direction, 0) - this.register(meter, endMs - seconds * 1000, direction, 0);
    return (wh * HOUR_S) / seconds;
  }

  averageApparent(meter: MeterPlan, endMs: number, direction: Direction): number {
    const watts = this.averagePower(meter, endMs, SLOT_MS / 1000, direction);
    if (watts === 0) return 0;
    return Math.round(watts / powerFactorOf(meter, this.#electricStream ^ meter.index, slotNumber(slotBefore(endMs))));
  }

  electricOfSlot(meter: MeterPlan, endMs: number): Electric {
    const slot = slotBefore(endMs);
    return this.#electric(meter, slot, 1, slotNumber(slot));
  }

  electricAt(meter: MeterPlan, atMs: number): Electric {
    const day = localDay(atMs);
    const passed = (atMs - dayStart(day)) / SLOT_MS;
    const slot = Math.floor(passed);
    const swing = swingAt(this.#swingStream ^ meter.index, slotNumber({ day, slot }), passed - slot);
    return this.#electric(meter, { day, slot }, swing, Math.floor(atMs / 1000));
  }

  energySeries(meter: MeterPlan, day: number): EnergySeries {
    const total = (of: MeterPlan, at: number, direction: Direction): number => this.#totalAtMidnight(of, at, direction);
    const place = energySeries(this.#energy, total, this.#electricStream ^ meter.index, placeOf(meter), day);
    const isWhole = !this.#replacements.hasAny() || this.#replacements.deviceAt(meter, Number.POSITIVE_INFINITY) === meter;
    if (isWhole && meter.installation === undefined) return place;
    return capturedBy(place, day, (atMs, direction) => this.register(meter, atMs, direction, 0));
  }

  gridSeries(meter: MeterPlan, day: number): GridSeries {
    return gridSeries((slot) => this.electricOfSlot(meter, dayStart(day) + slot * SLOT_MS), meter.phase === 'abc' ? 3 : 1);
  }

  /** Events within the installed period; a replacement meter starts with a power-up. */
  events(meter: MeterPlan, log: EventLog, fromMs: number, toMs: number): MeterEvent[] {
    const logged = eventsOf(this.plan.seed, meter, log, fromMs, toMs);
    if (!this.#replacements.hasAny()) return logged;
    const up = meter.installation?.atMs;
    const own = logged.filter(({ at }) => this.isUp(meter, at));
    return log === 'standard' && up !== undefined && up >= fromMs && up <= toMs ? [{ at: up, code: EVENT_CODES.powerUp }, ...own] : own;
  }

  #metersAt(dcuIndex: number, atMs: number): readonly MeterPlan[] {
    const initial = this.#metersByDcu[dcuIndex] ?? [];
    return this.#replacements.hasAny() ? initial.map((meter) => this.#replacements.deviceAt(meter, atMs)) : initial;
  }

  /** Register of a hypothetical meter that has been installed since the beginning. */
  #flowedUntil(meter: MeterPlan, atMs: number, direction: Direction, tariff: Tariff): number {
    const day = localDay(atMs);
    let base = 0;
    for (let t = 0; t < TARIFF_COUNT; t++) if (tariff === 0 || tariff === t + 1) base += this.#energy.midnight(meter, day, direction, t);
    const passed = (atMs - dayStart(day)) / SLOT_MS;
    if (passed === 0) return base;
    const cumulated = this.#energy.curve(meter, day)[direction];
    const slot = Math.floor(passed);
    const full = tariff === 0 ? (cumulated[slot] ?? 0) : gainInTariff(cumulated, slot, tariff - 1);
    const isRunning = tariff === 0 || TARIFF_OF_SLOT[slot] === tariff - 1;
    const part =
      isRunning && passed > slot
        ? Math.floor(gain(cumulated, slot) * flowedAfter(this.#swingStream ^ meter.index, slotNumber({ day, slot }), passed - slot))
        : 0;
    return base + full + part;
  }

  #totalAtMidnight(meter: MeterPlan, day: number, direction: Direction): number {
    let sum = 0;
    for (let tariff = 0; tariff < TARIFF_COUNT; tariff++) sum += this.#energy.midnight(meter, day, direction, tariff);
    return sum;
  }

  #electric(meter: MeterPlan, { day, slot }: Slot, factor: number, moment: number): Electric {
    const { plus, minus } = this.#energy.curve(meter, day);
    const powerW = (gain(plus, slot) - gain(minus, slot)) * (SLOTS_PER_DAY / 24) * factor;
    const loadW = (this.#energy.transformerLoad(meter.transformer, day)[slot] ?? 0) * (SLOTS_PER_DAY / 24);
    const utilisation = loadW / Math.max(1, this.#usualPeakW[meter.transformer.index] ?? 1);
    return electricOf(meter, powerW, utilisation, this.#electricStream ^ meter.index, moment);
  }
}

/** Day and slot of the quarter-hour that ends at, or contains the moment just before, an instant. */
function slotBefore(endMs: number): Slot {
  const day = localDay(endMs - 1);
  return { day, slot: Math.floor((endMs - 1 - dayStart(day)) / SLOT_MS) };
}

const slotNumber = ({ day, slot }: Slot): number => day * SLOTS_PER_DAY + slot;
