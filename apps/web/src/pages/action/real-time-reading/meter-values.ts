import type { ReadValue } from '@hes/contract/orders/results.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';

export interface PhaseValues {
  name: 'L1' | 'L2' | 'L3';
  voltage: number | null;
  current: number | null;
  /** Import is positive. */
  power: number | null;
  factor: number | null;
  /** Lag of the current behind its voltage, in degrees; null when the meter returns too little to compute it. */
  angle: number | null;
}

export interface MeterNow {
  phases: PhaseValues[];
  power: number | null;
  reactive: number | null;
  factor: number | null;
  neutral: number | null;
  frequency: number | null;
  energy: { plus: number | null; minus: number | null; tariffs: (number | null)[] };
  relay: 'connected' | 'disconnected' | 'ready' | null;
  isOutputOn: boolean | null;
  clock: string | null;
}

const DEGREE = 180 / Math.PI;
const HALF_TURN = 180;
const RELAY = ['disconnected', 'connected', 'ready'] as const;
const NUMBERS = [1, 2, 3, 4] as const;

const difference = (plus: number | null, minus: number | null): number | null =>
  plus === null && minus === null ? null : (plus ?? 0) - (minus ?? 0);

/**
 * Lag of a current behind its voltage, in degrees. Imported reactive power makes it lag, exported makes it lead; exported active power adds
 * 180°.
 */
export function angleOf(factor: number | null, power: number | null, reactive: number | null): number | null {
  if (factor === null) return null;
  const turn = Math.acos(Math.min(1, Math.abs(factor))) * DEGREE;
  const lag = (power ?? 0) < 0 ? HALF_TURN - turn : turn;
  return (reactive ?? 0) < 0 ? -lag : lag;
}

/** The values of a meter by quantity. */
export function meterNow(values: readonly ReadValue[]): MeterNow {
  const byKey = new Map(values.map((value) => [value.item, value]));
  const number = (key: string): number | null => {
    const value = byKey.get(key)?.value;
    return typeof value === 'number' ? value : null;
  };
  const text = (key: string): string | null => {
    const value = byKey.get(key)?.value;
    return value === null || value === undefined ? null : String(value);
  };
  const power = difference(number('P_PLUS'), number('P_MINUS'));
  const reactive = difference(number('Q_PLUS'), number('Q_MINUS'));
  const factor = number('PF');
  const isThree = number('U2') !== null || number('U3') !== null;
  const phase = (name: PhaseValues['name'], at: 1 | 2 | 3): PhaseValues => {
    const own = isThree ? difference(number(`P${at}_PLUS`), number(`P${at}_MINUS`)) : power;
    const ownFactor = isThree ? number(`PF${at}`) : factor;
    return {
      name,
      voltage: number(`U${at}`),
      current: number(`I${at}`),
      power: own,
      factor: ownFactor,
      angle: angleOf(ownFactor, own ?? power, reactive),
    };
  };
  const output = text('RELAY_OUTPUT');
  return {
    phases: isThree ? [phase('L1', 1), phase('L2', 2), phase('L3', 3)] : [phase('L1', 1)],
    power,
    reactive,
    factor,
    neutral: number('I0'),
    frequency: number('FREQUENCY'),
    energy: { plus: number('E_PLUS'), minus: number('E_MINUS'), tariffs: NUMBERS.map((tariff) => number(`E_PLUS_T${tariff}`)) },
    relay: RELAY[number('RELAY_STATE') ?? -1] ?? null,
    isOutputOn: output === null ? null : output === 'true',
    clock: text('CLOCK'),
  };
}

/** The values of a meter in one round. */
export interface Sample {
  at: string;
  values: ReadValue[];
}

/** Adds the values of an item to the series of its meter. Each round is added once. */
export function addSample(series: ReadonlyMap<string, Sample[]>, item: TaskItemRow): ReadonlyMap<string, Sample[]> {
  const { meterId, state, finishedAt, result } = item;
  if (meterId === null || state !== 'read_success' || finishedAt === null || !result?.values) return series;
  const known = series.get(meterId) ?? [];
  if (known.at(-1)?.at === finishedAt) return series;
  return new Map([...series, [meterId, [...known, { at: finishedAt, values: result.values }]]]);
}
