import { data } from '../cosem/classes/data.ts';
import { demandRegister } from '../cosem/classes/demand-register.ts';
import { extendedRegister } from '../cosem/classes/extended-register.ts';
import { register } from '../cosem/classes/register.ts';
import type { Data } from '../cosem/data-value.ts';
import { fromEpochMs } from '../cosem/date-time.ts';
import type { ScalerUnit } from '../cosem/scaler-unit.ts';
import { serverObject, type DescribedObject, type ObjectOptions } from './server-object.ts';

const nullValue = (): Data => ({ type: 'null' });

/** A measured value. */
export interface Measured {
  value(): Data;
  scalerUnit: ScalerUnit;
  /** Absent when it cannot be reset. */
  reset?(): void;
}

export const dataObject = (value: () => Data, options: ObjectOptions, write?: (value: Data) => void): DescribedObject =>
  serverObject(data, { read: { value }, ...(write === undefined ? {} : { write: { value: write } }) }, options);

export const registerObject = ({ value, scalerUnit, reset }: Measured, options: ObjectOptions): DescribedObject =>
  serverObject(
    register,
    { read: { value, scalerUnit: () => scalerUnit }, ...(reset === undefined ? {} : { invoke: { reset: () => reset() } }) },
    options,
  );

/** A value with its capture time, such as a maximum. */
export interface Stamped extends Measured {
  status?(): Data;
  /** Milliseconds since 1970. */
  capturedAt(): number;
  deviationMinutes: number;
}

export const extendedRegisterObject = (stamped: Stamped, options: ObjectOptions): DescribedObject => {
  const { value, scalerUnit, status, capturedAt, deviationMinutes, reset } = stamped;
  return serverObject(
    extendedRegister,
    {
      read: {
        value,
        scalerUnit: () => scalerUnit,
        status: status ?? nullValue,
        captureTime: () => fromEpochMs(capturedAt(), deviationMinutes),
      },
      ...(reset === undefined ? {} : { invoke: { reset: () => reset() } }),
    },
    options,
  );
};

export interface DemandOptions {
  /** Scaler and unit of the averages; the amounts added must have the same scaler. */
  scalerUnit: ScalerUnit;
  periodSeconds: number;
  numberOfPeriods: number;
  deviationMinutes: number;
  now(): number;
}

/** Average over a window of periods that slides by one period. */
export class Demand {
  readonly options: DemandOptions;
  #periods: number[] = [];
  #sum = 0;
  #startedAt: number;
  #capturedAt: number;
  #last = 0;

  constructor(options: DemandOptions) {
    this.options = options;
    this.#startedAt = options.now();
    this.#capturedAt = this.#startedAt;
  }

  /** Adds consumption in unit seconds, such as Ws for a demand in W. */
  add(amount: number): void {
    this.#sum += amount;
  }

  get current(): number {
    const { numberOfPeriods, periodSeconds } = this.options;
    return (this.#sum + this.#periods.reduce((sum, one) => sum + one, 0)) / (numberOfPeriods * periodSeconds);
  }

  get last(): number {
    return this.#last;
  }

  get startedAt(): number {
    return this.#startedAt;
  }

  get capturedAt(): number {
    return this.#capturedAt;
  }

  /** Ends the period: stores its average and starts the next. */
  nextPeriod(): void {
    this.#last = this.current;
    this.#capturedAt = this.#startedAt = this.options.now();
    // The current period counts as one of them.
    const kept = this.options.numberOfPeriods - 1;
    this.#periods = kept === 0 ? [] : [...this.#periods, this.#sum].slice(-kept);
    this.#sum = 0;
  }

  reset(): void {
    this.#periods = [];
    this.#sum = 0;
    this.#last = 0;
    this.#capturedAt = this.#startedAt = this.options.now();
  }
}

export const demandRegisterObject = (demand: Demand, options: ObjectOptions): DescribedObject => {
  const { scalerUnit, periodSeconds, numberOfPeriods, deviationMinutes } = demand.options;
  const whole = (value: number): Data => ({ type: 'doubleLongUnsigned', value: Math.round(value) });
  return serverObject(
    demandRegister,
    {
      read: {
        currentAverageValue: () => whole(demand.current),
        lastAverageValue: () => whole(demand.last),
        scalerUnit: () => scalerUnit,
        status: nullValue,
        captureTime: () => fromEpochMs(demand.capturedAt, deviationMinutes),
        startTimeCurrent: () => fromEpochMs(demand.startedAt, deviationMinutes),
        period: () => periodSeconds,
        numberOfPeriods: () => numberOfPeriods,
      },
      invoke: { reset: () => demand.reset(), nextPeriod: () => demand.nextPeriod() },
    },
    options,
  );
};
