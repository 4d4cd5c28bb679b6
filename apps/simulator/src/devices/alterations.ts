import type { CaptureObject } from '@hes/dlms/cosem/capture-object.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { IntervalSpec } from '#behaviours/interval-profile.ts';
import type { Faults } from '#control/faults.ts';
import { dayStart, SLOT_MS } from '#world/calendar.ts';

/** Changes of a meter by a new parameter set or firmware. Moments in epoch milliseconds; undefined: unchanged. */
export interface Alterations {
  /** Interval profiles capture at twice the period from this moment on. */
  longerPeriodFrom: number | undefined;
  /** E+ and E− swap their columns, and the buffers start again, at this moment. */
  swappedFrom: number | undefined;
  /** Energies are counted in tens of watt-hours from this moment on. */
  tensFrom: number | undefined;
  /** The interval profiles hold no older rows. */
  heldFrom: number;
  /** All bits of E+ are 1. */
  isFull: boolean;
}

export const TENS_SCALER = 1;
const TENS = 10;
/** Stands for a number with all bits of its register set. */
export const ALL_ONES = Number.POSITIVE_INFINITY;

const E_PLUS = WELL_KNOWN.E_PLUS.instance;
const E_MINUS = WELL_KNOWN.E_MINUS.instance;
const ENERGY = /^1\.0\.[12]\.8\./;

export function alterationsOf(faults: Faults, sn: string): Alterations {
  const from = (kind: 'other_period' | 'other_layout' | 'other_scaler'): number | undefined => {
    const fault = faults.of(sn, kind);
    return fault === undefined || (fault.skip ?? 0) > 0 ? undefined : (fault.at ?? 0);
  };
  return {
    longerPeriodFrom: from('other_period'),
    swappedFrom: from('other_layout'),
    tensFrom: from('other_scaler'),
    heldFrom: faults.of(sn, 'rollover')?.at ?? 0,
    isFull: faults.has(sn, 'full_register'),
  };
}

const isEnergy = ({ instance }: CaptureObject): boolean => ENERGY.test(instance);

/** The number as the register or the row holds it. */
export function alteredNumber(altered: Alterations, instance: string, at: number, value: number): number {
  if (altered.isFull && instance === E_PLUS) return ALL_ONES;
  return altered.tensFrom !== undefined && at >= altered.tensFrom && ENERGY.test(instance) ? Math.floor(value / TENS) : value;
}

/** The profile as the altered meter captures it; the unchanged specification without alterations. */
export function alteredSpec<M>(spec: IntervalSpec<M>, altered: Alterations): IntervalSpec<M> {
  const { swappedFrom, tensFrom, longerPeriodFrom, isFull } = altered;
  const longer =
    typeof spec.period === 'number' && longerPeriodFrom !== undefined ? { from: longerPeriodFrom, period: 2 * spec.period } : undefined;
  if (swappedFrom === undefined && tensFrom === undefined && longer === undefined && !isFull) return spec;
  const { dayOf, momentOf } = spec;
  /** Position in the usual profile of each column of the altered one. */
  const orderOf = (meter: M): number[] => {
    const columns = spec.columns(meter).map(({ object }) => object);
    const [plus, minus] = [E_PLUS, E_MINUS].map((instance) => columns.findIndex((object) => object.instance === instance));
    return columns.map(
      (_, index) => (swappedFrom === undefined ? index : index === plus ? minus : index === minus ? plus : index) ?? index,
    );
  };
  const columnsOf = (meter: M) => {
    const usual = spec.columns(meter);
    return orderOf(meter).flatMap((index) => usual[index] ?? []);
  };
  const numberOf = (meter: M, index: number, at: number, value: number): number => {
    const object = spec.columns(meter)[index]?.object;
    return object !== undefined && isEnergy(object) ? alteredNumber(altered, object.instance, at, value) : value;
  };
  return {
    ...spec,
    ...(longer === undefined ? {} : { longer }),
    columns: columnsOf,
    ...(dayOf && {
      dayOf: (meter: M, day: number) => {
        const values = dayOf(meter, day);
        return orderOf(meter).map((index) =>
          Array.from(values[index] ?? [], (value, slot) => numberOf(meter, index, dayStart(day) + slot * SLOT_MS, value)),
        );
      },
    }),
    ...(momentOf && {
      momentOf: (meter: M, at: number) => {
        const values = momentOf(meter, at);
        return orderOf(meter).map((index) => numberOf(meter, index, at, values[index] ?? 0));
      },
    }),
  };
}
