import { DAY_MS, type DayRow } from './day-rows.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { P_AVG_PLUS_CHANNEL, U1_CHANNEL } from './channels.ts';

/** A single value with its unit, as lists show it. */
export interface LatestValue {
  value: number | string | null;
  unit: string;
  /** ISO instant. */
  at: string;
  traceId: string | null;
}

/** Newest values of one meter within a batch. */
export interface Latest {
  freezeDay?: number;
  ePlusTenthWh?: number | undefined;
  eMinusTenthWh?: number | undefined;
  lpaStamp?: number;
  pAvgPlusW?: number | undefined;
  u1Stamp?: number;
  u1Mv?: number | undefined;
  values: Record<string, LatestValue>;
}

const withoutNaN = (value: number | undefined): number | undefined => (value === undefined || Number.isNaN(value) ? undefined : value);

/** Collects the newest values of a batch: `meter_latest` is written once per meter and batch. */
export class LatestBatch {
  readonly meters = new Map<string, Latest>();

  entryOf(meterId: string): Latest {
    let latest = this.meters.get(meterId);
    if (latest === undefined) this.meters.set(meterId, (latest = { values: {} }));
    return latest;
  }

  addProfile(row: DayRow, stamp: number, now: number): void {
    const slot = Math.floor(((stamp - row.leadSeconds * 1000) % DAY_MS) / (row.periodSeconds * 1000));
    const latest = this.entryOf(row.meterId);
    if (row.profile === 'lpa' && stamp >= (latest.lpaStamp ?? 0)) {
      latest.lpaStamp = stamp;
      latest.pAvgPlusW = withoutNaN(row.channels[P_AVG_PLUS_CHANNEL]?.[slot]);
    }
    // The table has no timestamp for the voltage, so only captures of the last 24 h may replace it.
    if (row.profile === 'lpb' && now - stamp < DAY_MS && stamp >= (latest.u1Stamp ?? 0)) {
      latest.u1Stamp = stamp;
      latest.u1Mv = withoutNaN(row.channels[U1_CHANNEL]?.[slot]);
    }
  }

  addDaily(meterId: string, day: number, registers: readonly number[]): void {
    const latest = this.entryOf(meterId);
    if (day < (latest.freezeDay ?? 0)) return;
    latest.freezeDay = day;
    latest.ePlusTenthWh = withoutNaN(registers[0]);
    latest.eMinusTenthWh = withoutNaN(registers[1]);
  }
}

/** Approximate number of values in a day row: captured slots times captured channels. */
export const countValues = (row: DayRow): number => row.present * CHANNELS.filter((_, index) => row.channels[index] !== undefined).length;
