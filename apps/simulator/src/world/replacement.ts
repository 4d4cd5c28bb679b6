import { DAY_MS, SLOT_MS, SLOTS_PER_DAY, dayStart, localDay } from './calendar.ts';
import type { Direction } from './energy.ts';
import type { Installation, MeterPlan } from './plan.ts';
import { streamOf, unitAt } from './random.ts';
import type { EnergySeries } from './series.ts';

/** Share of new meters whose registers start at zero; the others ran on a test bench, which counts in one tariff only. */
const ZERO_SHARE = 0.5;
const BENCH_TARIFF = 2;
const LEAST_BENCH_WH = 120;
const MOST_BENCH_WH = 9_400;
/** Batch number that prefixes the serial numbers of new meters: `31` for the first replacement at a place. */
const NEW_BATCH = 30;
const SN_BATCH_LENGTH = 2;
/** Limit given by the two digits of a batch number. */
const MOST_REPLACEMENTS = 9;

/** Which meter is installed where, and since when. Places and their customers are fixed; only meters change. */
export interface Replacements {
  /** Replaces an installed meter and returns its successor. Throws a RangeError if the meter is not installed at that moment. */
  replaceMeter(meter: MeterPlan, atMs: number): MeterPlan;
  /** Old and new meters in the order of replacement. */
  list(): readonly { old: MeterPlan; successor: MeterPlan; installation: Installation }[];
  /** The meter installed at a moment at the place of this first meter. */
  deviceAt(place: MeterPlan, atMs: number): MeterPlan;
  /** The period during which the meter is installed at its place. */
  spanOf(meter: MeterPlan): { fromMs: number; untilMs: number };
  hasAny(): boolean;
}

/** Exceeds the index of any place. */
const DEVICES_APART = 0x10_0000;

/** A fleet-wide unique number; for an initial meter its index. */
export const deviceNumber = ({ index, installation }: MeterPlan): number => index + (installation?.number ?? 0) * DEVICES_APART;

/** The initial meter of the place at which this one is installed. */
export const placeOf = (meter: MeterPlan): MeterPlan => meter.installation?.place ?? meter;

export function createReplacements(seed: number): Replacements {
  const successors = new Map<MeterPlan, MeterPlan>();
  const replaced: { old: MeterPlan; successor: MeterPlan; installation: Installation }[] = [];

  const spanOf = (meter: MeterPlan): { fromMs: number; untilMs: number } => ({
    fromMs: meter.installation?.atMs ?? dayStart(meter.installedDay),
    untilMs: successors.get(meter)?.installation?.atMs ?? Number.POSITIVE_INFINITY,
  });

  return {
    replaceMeter(old, atMs) {
      const { fromMs, untilMs } = spanOf(old);
      if (untilMs !== Number.POSITIVE_INFINITY) throw new RangeError(`Meter ${old.sn} has already been removed`);
      if (atMs <= fromMs) throw new RangeError(`Meter ${old.sn} was not yet installed`);
      const installation: Installation = { place: placeOf(old), atMs, number: (old.installation?.number ?? 0) + 1, benchWh: 0 };
      if (installation.number > MOST_REPLACEMENTS) throw new RangeError(`A place has at most ${MOST_REPLACEMENTS} replacements`);
      installation.benchWh = drawBenchWh(seed, installation);
      const successor = createSuccessor(installation);
      successors.set(old, successor);
      replaced.push({ old, successor, installation });
      return successor;
    },
    list: () => replaced,
    deviceAt(place, atMs) {
      let device = place;
      for (let next = successors.get(device); next?.installation && next.installation.atMs <= atMs; next = successors.get(device))
        device = next;
      return device;
    },
    spanOf,
    hasAny: () => replaced.length > 0,
  };
}

function drawBenchWh(seed: number, { place, number }: Installation): number {
  const stream = streamOf(seed, `bench/${number}`);
  if (unitAt(stream, place.index) < ZERO_SHARE) return 0;
  return LEAST_BENCH_WH + Math.floor(unitAt(stream, place.index, 1) * (MOST_BENCH_WH - LEAST_BENCH_WH));
}

/** Same customer, phase and branch of the network; an accurate clock, correct keys and no history. */
function createSuccessor(installation: Installation): MeterPlan {
  const { recordedPhase: _recorded, isUncommissioned: _unknown, ...place } = installation.place;
  return {
    ...place,
    sn: `${NEW_BATCH + installation.number}${place.sn.slice(SN_BATCH_LENGTH)}`,
    installation,
    installedDay: localDay(installation.atMs),
    driftSeconds: 0,
    isSilent: false,
    hasWrongKey: false,
    isTampered: false,
  };
}

/** Initial reading of a new meter. 0 is the total, 1 to 4 the tariffs. */
export const initialWh = (installation: Installation | undefined, direction: Direction, tariff: number): number =>
  installation !== undefined && direction === 'plus' && (tariff === 0 || tariff === BENCH_TARIFF + 1) ? installation.benchWh : 0;

/**
 * The day curve that one meter captured at its place, from its registers at the quarter-hours. The quarter-hour of a
 * replacement holds only the part of this meter.
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
