import { DAY_MS, SLOT_MS, SLOTS_PER_DAY, dayStart, localDay } from './calendar.ts';
import type { Direction } from './energy.ts';
import type { Fitting, MeterPlan } from './plan.ts';
import { streamOf, unitAt } from './random.ts';
import type { EnergySeries } from './series.ts';

/** Every second meter comes with its registers at zero; the others were run on a test bench, which counts in one tariff only. */
const ZERO_SHARE = 0.5;
const BENCH_TARIFF = 2;
const LEAST_BENCH_WH = 120;
const MOST_BENCH_WH = 9_400;
/** The year of delivery, as it stands in front of the serial numbers of new meters: `31` for the first at a place. */
const NEW_BATCH = 30;
const SN_BATCH_LENGTH = 2;
/** As many as batches have numbers for. */
const MOST_EXCHANGES = 9;

/** Who hangs where since when. Places and their customers stay as they were drawn; only devices come and go. */
export interface Exchanges {
  /** Another meter takes the place of the one that hangs there now. Throws when that one cannot be taken down at this moment. */
  exchange(meter: MeterPlan, atMs: number): MeterPlan;
  /** Old and new, in the order in which they were exchanged. */
  list(): readonly { old: MeterPlan; fresh: MeterPlan; fitting: Fitting }[];
  /** Who hangs at a moment where this one hung first. */
  deviceAt(place: MeterPlan, atMs: number): MeterPlan;
  /** From when to when it hangs at its place. */
  spanOf(meter: MeterPlan): { fromMs: number; untilMs: number };
  isAny(): boolean;
}

/** Above the index of any place. */
const DEVICES_APART = 0x10_0000;

/** A number that no other device has: of a meter that was drawn with the town its index. */
export const deviceNumber = ({ index, fitting }: MeterPlan): number => index + (fitting?.number ?? 0) * DEVICES_APART;

/** The first meter of the place where this one hangs: the one that was drawn with the town. */
export const placeOf = (meter: MeterPlan): MeterPlan => meter.fitting?.place ?? meter;

export function createExchanges(seed: number): Exchanges {
  const successors = new Map<MeterPlan, MeterPlan>();
  const done: { old: MeterPlan; fresh: MeterPlan; fitting: Fitting }[] = [];

  const spanOf = (meter: MeterPlan): { fromMs: number; untilMs: number } => ({
    fromMs: meter.fitting?.atMs ?? dayStart(meter.installedDay),
    untilMs: successors.get(meter)?.fitting?.atMs ?? Number.POSITIVE_INFINITY,
  });

  return {
    exchange(old, atMs) {
      const { fromMs, untilMs } = spanOf(old);
      if (untilMs !== Number.POSITIVE_INFINITY) throw new RangeError(`Meter ${old.sn} was taken down already`);
      if (atMs <= fromMs) throw new RangeError(`Meter ${old.sn} did not hang there yet`);
      const fitting: Fitting = { place: placeOf(old), atMs, number: (old.fitting?.number ?? 0) + 1, benchWh: 0 };
      if (fitting.number > MOST_EXCHANGES) throw new RangeError('A place sees no more meters than that');
      fitting.benchWh = benchOf(seed, fitting);
      const fresh = freshMeter(fitting);
      successors.set(old, fresh);
      done.push({ old, fresh, fitting });
      return fresh;
    },
    list: () => done,
    deviceAt(place, atMs) {
      let device = place;
      for (let next = successors.get(device); next?.fitting && next.fitting.atMs <= atMs; next = successors.get(device)) device = next;
      return device;
    },
    spanOf,
    isAny: () => done.length > 0,
  };
}

function benchOf(seed: number, { place, number }: Fitting): number {
  const stream = streamOf(seed, `bench/${number}`);
  if (unitAt(stream, place.index) < ZERO_SHARE) return 0;
  return LEAST_BENCH_WH + Math.floor(unitAt(stream, place.index, 1) * (MOST_BENCH_WH - LEAST_BENCH_WH));
}

/** Same customer, phase and branch of the network; a clock just set, keys that nobody typed wrongly, and no history. */
function freshMeter(fitting: Fitting): MeterPlan {
  const { recordedPhase: _recorded, isUncommissioned: _unknown, ...place } = fitting.place;
  return {
    ...place,
    sn: `${NEW_BATCH + fitting.number}${place.sn.slice(SN_BATCH_LENGTH)}`,
    fitting,
    installedDay: localDay(fitting.atMs),
    driftSeconds: 0,
    isSilent: false,
    hasWrongKey: false,
    isTampered: false,
  };
}

/** What a new meter showed when it was put up. 0 is the total, 1 to 4 the tariffs. */
export const initialWh = (fitting: Fitting | undefined, direction: Direction, tariff: number): number =>
  fitting !== undefined && direction === 'plus' && (tariff === 0 || tariff === BENCH_TARIFF + 1) ? fitting.benchWh : 0;

/**
 * What one device captured of a day of its place, from what its registers showed at the quarters: a quarter in which it came
 * or went holds its own part only.
 */
export function capturedBy(place: EnergySeries, day: number, register: (atMs: number, direction: Direction) => number): EnergySeries {
  const series: EnergySeries = structuredClone(place);
  for (let slot = 0; slot < SLOTS_PER_DAY; slot++) {
    const atMs = dayStart(day) + slot * SLOT_MS;
    for (const [direction, energy, power, apparent] of COLUMNS) {
      const now = register(atMs, direction);
      const own = (now - register(atMs - SLOT_MS, direction)) * (DAY_MS / SLOT_MS / 24);
      const all = place[power][slot] ?? 0;
      series[energy][slot] = now;
      if (own === all) continue;
      series[apparent][slot] = Math.round(((place[apparent][slot] ?? 0) * own) / all);
      series[power][slot] = own;
    }
  }
  return series;
}

const COLUMNS = [
  ['plus', 'ePlus', 'pPlus', 'sPlus'],
  ['minus', 'eMinus', 'pMinus', 'sMinus'],
] as const;
