import { BoundedCache } from '@hes/contract/core/bounded-cache.ts';
import { SLOTS_PER_DAY, TARIFF_COUNT, TARIFF_OF_SLOT } from './calendar.ts';
import { addDay, apportion, type Flow, midnightWh } from './flow.ts';
import type { MeterPlan, Plan, TransformerPlan } from './plan.ts';
import { streamOf, unitAt } from './random.ts';
import { shapeOf } from './shapes.ts';

export type Direction = 'plus' | 'minus';

/** One local day of one meter. */
export interface DayCurve {
  /** Wh since local midnight at each quarter-hour, 97 values. */
  plus: Uint32Array;
  minus: Uint32Array;
}

/** The energy model of the world. A midnight costs one formula and a day 96 steps; only a small cache is kept. */
export interface Energy {
  /** Wh in a tariff register (0 to 3) at local midnight. */
  midnight(meter: MeterPlan, day: number, direction: Direction, tariff: number): number;
  curve(meter: MeterPlan, day: number): DayCurve;
  /** Net Wh of each quarter-hour through a transformer: without its losses, with unmetered consumption. */
  transformerLoad(transformer: TransformerPlan, day: number): Float64Array;
  customersOf(transformer: TransformerPlan): readonly MeterPlan[];
}

/** Losses grow with load. By tariff: sharp, peak, flat, valley. */
const LOSS_BY_TARIFF = [1.25, 1.15, 1, 0.75] as const;
const LOSS_EXPONENT = 1.3;
const CURVES_KEPT = 1536;
const DAYS_PER_KEY = 100_000;

export const createEnergy = (plan: Plan): Energy => new EnergyModel(plan);

/** The flows of all customers, by index of their meter. */
interface Flows {
  imports: Flow[];
  exports: (Flow | undefined)[];
  stolen: (Flow | undefined)[];
}

function createFlows({ seed, meters }: Plan): Flows {
  const slotStream = streamOf(seed, 'slots');
  const habitStream = streamOf(seed, 'habits');
  const flows: Flows = { imports: [], exports: [], stolen: [] };
  for (const meter of meters) {
    if (meter.kind === 'master') continue;
    const own = { installedDay: meter.installedDay, slotStream: slotStream ^ meter.index };
    const imported = { ...own, shape: shapeOf(meter.kind, meter.shiftHours), dayStream: habitStream ^ meter.index };
    flows.imports[meter.index] = { ...imported, meanDailyWh: meter.meanDailyWh };
    if (meter.stolenDailyWh) flows.stolen[meter.index] = { ...imported, meanDailyWh: meter.stolenDailyWh };
    if (meter.exportDailyWh <= 0) continue;
    flows.exports[meter.index] = {
      ...own,
      shape: shapeOf('solar'),
      meanDailyWh: meter.exportDailyWh,
      dayStream: meter.transformer.skyStream,
      slotStream: ~own.slotStream,
    };
  }
  return flows;
}

class EnergyModel implements Energy {
  readonly #flows: Flows;
  readonly #customers: MeterPlan[][];
  /** Delivered Wh at installation, by meter and tariff: offset of the registers of master meters. */
  readonly #masterBase = new Map<number, number>();
  readonly #loads = new BoundedCache<number, Float64Array>(CURVES_KEPT);
  readonly #curves = new BoundedCache<number, DayCurve>(CURVES_KEPT);

  constructor(plan: Plan) {
    this.#flows = createFlows(plan);
    this.#customers = plan.transformers.map(() => []);
    for (const meter of plan.meters) if (meter.kind !== 'master') this.#customers[meter.transformer.index]?.push(meter);
  }

  customersOf(transformer: TransformerPlan): readonly MeterPlan[] {
    return this.#customers[transformer.index] ?? [];
  }

  midnight(meter: MeterPlan, day: number, direction: Direction, tariff: number): number {
    if (direction === 'minus') return flowWh(this.#flows.exports[meter.index], day, tariff);
    return meter.kind === 'master' ? this.#masterMidnight(meter, day, tariff) : flowWh(this.#flows.imports[meter.index], day, tariff);
  }

  curve(meter: MeterPlan, day: number): DayCurve {
    return this.#curves.getOrSet(meter.index * DAYS_PER_KEY + day, () => {
      const imported = this.#flows.imports[meter.index];
      const exported = this.#flows.exports[meter.index];
      return {
        plus: cumulate(imported ? customerSlots(imported, day) : this.#masterSlots(meter, day)),
        minus: exported ? cumulate(customerSlots(exported, day)) : NO_ENERGY,
      };
    });
  }

  transformerLoad(transformer: TransformerPlan, day: number): Float64Array {
    return this.#loads.getOrSet(transformer.index * DAYS_PER_KEY + day, () => {
      const sum = new Float64Array(SLOTS_PER_DAY);
      for (const meter of this.customersOf(transformer)) {
        const { plus, minus } = this.curve(meter, day);
        const unmetered = this.#flows.stolen[meter.index];
        const past = unmetered && customerSlots(unmetered, day);
        for (let slot = 0; slot < SLOTS_PER_DAY; slot++)
          sum[slot] = (sum[slot] ?? 0) + gain(plus, slot) - gain(minus, slot) + (past?.[slot] ?? 0);
      }
      return sum;
    });
  }

  /** Wh that all customers have drawn, metered and unmetered, and Wh lost on the way. */
  #deliveredWh(transformer: TransformerPlan, day: number, tariff: number): { net: number; loss: number } {
    const { imports, exports, stolen } = this.#flows;
    let gross = 0;
    let returned = 0;
    for (const meter of this.customersOf(transformer)) {
      gross += flowWh(imports[meter.index], day, tariff) + flowWh(stolen[meter.index], day, tariff);
      returned += flowWh(exports[meter.index], day, tariff);
    }
    return { net: gross - returned, loss: Math.floor(gross * transformer.lossShare * (LOSS_BY_TARIFF[tariff] ?? 1)) };
  }

  #masterMidnight(meter: MeterPlan, day: number, tariff: number): number {
    const total = (at: number): number => {
      const { net, loss } = this.#deliveredWh(meter.transformer, at, tariff);
      return net + loss;
    };
    const key = meter.index * TARIFF_COUNT + tariff;
    let base = this.#masterBase.get(key);
    if (base === undefined) this.#masterBase.set(key, (base = total(meter.installedDay)));
    return total(day) - base;
  }

  #masterSlots(meter: MeterPlan, day: number): Uint32Array {
    const load = this.transformerLoad(meter.transformer, day);
    const slots = new Uint32Array(SLOTS_PER_DAY);
    const weights = load.map((wh) => Math.max(1, wh) ** LOSS_EXPONENT);
    for (let tariff = 0; tariff < TARIFF_COUNT; tariff++) {
      const lossAt = (at: number): number => this.#deliveredWh(meter.transformer, at, tariff).loss;
      apportion(lossAt(day + 1) - lossAt(day), weights, tariff, slots);
    }
    for (let slot = 0; slot < SLOTS_PER_DAY; slot++) slots[slot] = (slots[slot] ?? 0) + (load[slot] ?? 0);
    return slots;
  }
}

const NO_ENERGY = new Uint32Array(SLOTS_PER_DAY + 1);

const flowWh = (flow: Flow | undefined, day: number, tariff: number): number => (flow ? midnightWh(flow, day, tariff) : 0);

function customerSlots(flow: Flow, day: number): Uint32Array {
  const slots = new Uint32Array(SLOTS_PER_DAY);
  addDay(flow, day, slots);
  return slots;
}

/** Wh of one quarter-hour of a cumulative day curve. */
export function gain(cumulated: Uint32Array, slot: number): number {
  return (cumulated[slot + 1] ?? 0) - (cumulated[slot] ?? 0);
}

/** Wh since local midnight in one tariff only. */
export function gainInTariff(cumulated: Uint32Array, slots: number, tariff: number): number {
  let sum = 0;
  for (let slot = 0; slot < slots; slot++) if (TARIFF_OF_SLOT[slot] === tariff) sum += gain(cumulated, slot);
  return sum;
}

function cumulate(slots: Uint32Array): Uint32Array {
  const cumulated = new Uint32Array(SLOTS_PER_DAY + 1);
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) cumulated[slot + 1] = (cumulated[slot] ?? 0) + (slots[slot] ?? 0);
  return cumulated;
}

/** Relative amplitude and frequency with which power varies within one quarter-hour. */
const SWING = 0.25;
const SWINGS_PER_SLOT = 3;

/** Share of a quarter-hour's energy that has flowed after `fraction` of it; monotonic, and exactly 1 at the end. */
export function flowedAfter(stream: number, slotNumber: number, fraction: number): number {
  const phase = 2 * Math.PI * unitAt(stream, slotNumber);
  const turn = 2 * Math.PI * SWINGS_PER_SLOT;
  return fraction + (SWING / turn) * (Math.cos(phase) - Math.cos(turn * fraction + phase));
}

/** Power at `fraction` of a quarter-hour relative to its mean: the derivative of `flowedAfter`. */
export function swingAt(stream: number, slotNumber: number, fraction: number): number {
  return 1 + SWING * Math.sin(2 * Math.PI * (SWINGS_PER_SLOT * fraction + unitAt(stream, slotNumber)));
}
