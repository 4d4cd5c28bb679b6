import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';

/** Parts of a reading type of IEC 61968-9, annex C, that the quantities here need. Others are 0. */
interface Parts {
  /** 11: daily. */
  macroPeriod?: number;
  /** 2: average. */
  aggregate?: number;
  /** 1: bulk quantity, 6: indicating. */
  accumulation: number;
  /** 1: forward, 19: reverse. */
  flow?: number;
  /** 4: current, 12: energy, 15: frequency, 37: power, 38: power factor, 54: voltage. */
  measurement: number;
  tariff?: number;
  /** 128, 64, 32: phases A, B, C; 16: neutral. */
  phases?: number;
  /** 3: kilo. */
  multiplier?: number;
  /** 5: A, 29: V, 33: Hz, 38: W, 61: VA, 65: cos φ, 72: Wh. */
  unit: number;
}

/** Of electricity that was metered on the side of the customer. */
const COMMODITY = 1;

const codeOf = ({
  macroPeriod = 0,
  aggregate = 0,
  accumulation,
  flow = 0,
  measurement,
  tariff = 0,
  phases = 0,
  multiplier = 0,
  unit,
}: Parts) =>
  [macroPeriod, aggregate, 0, accumulation, flow, COMMODITY, measurement, 0, 0, 0, 0, tariff, 0, 0, phases, multiplier, unit, 0].join('.');

const FORWARD = 1;
const REVERSE = 19;
const PHASES: Record<string, number> = { '0': 16, '1': 128, '2': 64, '3': 32 };

const flowOf = (key: string): number => (key.includes('Minus') ? REVERSE : FORWARD);
const phasesOf = (key: string): number => PHASES[/\d$/.exec(key)?.[0] ?? ''] ?? 0;

/** Parts by the unit of a channel; power factors have none. */
const PARTS: Record<string, (key: string) => Parts> = {
  kWh: (key) => ({ accumulation: 1, flow: flowOf(key), measurement: 12, multiplier: 3, unit: 72 }),
  kW: (key) => ({ aggregate: 2, accumulation: 6, flow: flowOf(key), measurement: 37, multiplier: 3, unit: 38 }),
  kVA: (key) => ({ aggregate: 2, accumulation: 6, flow: flowOf(key), measurement: 37, multiplier: 3, unit: 61 }),
  V: (key) => ({ accumulation: 6, measurement: 54, phases: phasesOf(key), unit: 29 }),
  A: (key) => ({ accumulation: 6, measurement: 4, phases: phasesOf(key), unit: 5 }),
  Hz: () => ({ accumulation: 6, measurement: 15, unit: 33 }),
  none: (key) => ({ accumulation: 6, measurement: 38, phases: phasesOf(key), unit: 65 }),
};

const partsOf = (key: string, unit: string | undefined): Parts => {
  const parts = PARTS[unit ?? 'none'];
  if (parts === undefined) throw new Error(`The unit ${unit} has no reading type`);
  return parts(key);
};

const DAILY = 11;
const tariffOf = (key: string): number => Number(/T(\d)$/.exec(key)?.[1] ?? 0);

/** Reading types of the quantities of interval profiles, by their names in the API. */
const OF_CHANNELS = new Map(CHANNELS.map(({ key, unit }) => [key as string, codeOf(partsOf(key, unit))]));
const OF_REGISTERS = new Map(
  DAILY_REGISTERS.map(({ key }) => [key as string, codeOf({ ...partsOf(key, 'kWh'), macroPeriod: DAILY, tariff: tariffOf(key) })]),
);

/** Reading type of a quantity: 18 numbers of IEC 61968-9, annex C. */
export function readingTypeOf(profile: string, quantity: string): string {
  const code = (profile === 'daily' ? OF_REGISTERS : OF_CHANNELS).get(quantity);
  if (code === undefined) throw new Error(`The quantity ${quantity} has no reading type`);
  return code;
}
