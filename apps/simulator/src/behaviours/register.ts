import { demandRegister } from '@hes/dlms/cosem/classes/demand-register.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { simulate } from '#devices/simulate.ts';
import { DEVIATION_MINUTES, SLOT_MS } from '#world/calendar.ts';

export type NumberType = 'doubleLongUnsigned' | 'longUnsigned' | 'long64Unsigned';

export interface Quantity {
  /** The value as the register holds it: scaled and whole. */
  value(): number;
  type: NumberType;
  scaler: number;
  unit: number;
}

const BITS = { longUnsigned: 16, doubleLongUnsigned: 32, long64Unsigned: 64 } as const;

/** Infinity: every bit of the register is set. */
export function numberData(type: NumberType, value: number): Data {
  if (value === Number.POSITIVE_INFINITY)
    return type === 'long64Unsigned' ? { type, value: 2n ** 64n - 1n } : { type, value: 2 ** BITS[type] - 1 };
  return type === 'long64Unsigned' ? { type, value: BigInt(value) } : { type, value };
}

export const registerObject = simulate(register, (quantity: Quantity) => ({
  read: {
    value: () => numberData(quantity.type, quantity.value()),
    scalerUnit: () => ({ scaler: quantity.scaler, unit: quantity.unit }),
  },
}));

export interface Demand {
  /** Average of the period that ends, or is running, at an instant. */
  averageUntil(atMs: number): number;
  now(): number;
  unit: number;
}

/** Block demand over a quarter-hour, the period of load profile A. */
export const demandObject = simulate(demandRegister, (demand: Demand) => {
  const periodStart = (): number => Math.floor(demand.now() / SLOT_MS) * SLOT_MS;
  const watts = (value: number): Data => numberData('doubleLongUnsigned', Math.round(value));
  return {
    read: {
      currentAverageValue: () => watts(demand.averageUntil(demand.now())),
      lastAverageValue: () => watts(demand.averageUntil(periodStart())),
      scalerUnit: () => ({ scaler: 0, unit: demand.unit }),
      status: () => ({ type: 'null' as const }),
      captureTime: () => fromEpochMs(periodStart(), DEVIATION_MINUTES),
      startTimeCurrent: () => fromEpochMs(periodStart(), DEVIATION_MINUTES),
      period: () => SLOT_MS / 1000,
      numberOfPeriods: () => 1,
    },
  };
});
