import { CHANNELS, channelOf, dailyRegisterOf, DAILY_REGISTERS } from '#storage/channels.ts';
import type { Source } from '#storage/day-rows.ts';
import type { DailyRow } from '#storage/staging.ts';
import type { MeterDevice } from '../devices.ts';
import type { Zone } from '#platform/zone.ts';
import type { Column, ProfileAnswer } from './read-profile.ts';
import { scalingOf } from './scalers.ts';

const STATUS = /^0\.\d+\.96\.10\.\d+\.255$/;
const DATA_CLASS = 1;
/** Attributes that hold a value, by class. */
const VALUE_ATTRIBUTES: Readonly<Record<number, readonly number[]>> = { 1: [2], 3: [2], 4: [2], 5: [2, 3] };
const WATT_HOUR = 30;
const TENTHS = 1;

const isValue = (column: Column): boolean =>
  column.dataIndex === 0 && VALUE_ATTRIBUTES[column.classId]?.includes(column.attributeId) === true;

/** The captured status word, if the profile has one. */
export function statusOf(answer: ProfileAnswer): Float64Array | undefined {
  const index = answer.columns.findIndex((column) => column.classId === DATA_CLASS && isValue(column) && STATUS.test(column.instance));
  return answer.data.values[index];
}

/**
 * value × 10^exponent as whole numbers; NaN stays NaN. Division, because 10^-1 has no exact double. Without an exponent they are
 * rounded where they stand, which a second time changes nothing.
 */
function toIntegers(values: Float64Array, exponent: number): Float64Array {
  if (exponent === 0) {
    for (let i = 0; i < values.length; i++) values[i] = Math.round(values[i] as number); // as: i is below the length
    return values;
  }
  const factor = 10 ** Math.abs(exponent);
  return exponent > 0 ? values.map((value) => Math.round(value * factor)) : values.map((value) => Math.round(value / factor));
}

/**
 * A profile's columns as channels, matched by object and attribute, never by position. A column of another unit than the
 * channel's, or without a known scaler, is left out: a gap can be filled later, a wrong value cannot be found.
 */
export function channelsOf(answer: ProfileAnswer, device: MeterDevice): (Float64Array | undefined)[] {
  const channels: (Float64Array | undefined)[] = CHANNELS.map(() => undefined);
  const rank: number[] = [];
  answer.columns.forEach((column, index) => {
    const channelIndex = isValue(column) ? channelOf(column.instance) : undefined;
    const channel = channelIndex === undefined ? undefined : CHANNELS[channelIndex];
    const values = answer.data.values[index];
    if (channelIndex === undefined || channel === undefined || values === undefined) return;
    const scaling = scalingOf(device, column);
    if (scaling === undefined || (channel.unit !== undefined && scaling.unit !== channel.unit)) return;
    const objects: readonly string[] = channel.objects;
    const preference = objects.indexOf(column.instance);
    if ((rank[channelIndex] ?? Number.POSITIVE_INFINITY) <= preference) return;
    rank[channelIndex] = preference;
    channels[channelIndex] = toIntegers(values, scaling.scaler + channel.exponent);
  });
  return channels;
}

export interface DailyOptions {
  zone: Zone;
  dcuId: string;
  readAt: number;
  source: Source;
  traceId: string | undefined;
}

/** Daily freezes as rows. A freeze is stamped with the midnight that begins its day in the utility's zone. */
export function dailyRowsOf(answer: ProfileAnswer, device: MeterDevice, options: DailyOptions): DailyRow[] {
  const registers = DAILY_REGISTERS.map((): Float64Array | undefined => undefined);
  answer.columns.forEach((column, index) => {
    const register = isValue(column) ? dailyRegisterOf(column.instance) : undefined;
    const values = answer.data.values[index];
    if (register === undefined || values === undefined) return;
    const scaling = scalingOf(device, column);
    if (scaling?.unit === WATT_HOUR) registers[register] = toIntegers(values, scaling.scaler + TENTHS);
  });
  const status = statusOf(answer);
  const rows: DailyRow[] = [];
  for (let row = 0; row < answer.data.rows; row++) {
    const stamp = answer.data.clock[row] ?? Number.NaN;
    const word = status?.[row];
    if (Number.isNaN(stamp) || stamp > options.readAt + 86_400_000) continue;
    rows.push({
      meterId: device.id,
      dcuId: options.dcuId,
      freezeDay: options.zone.dayOf(stamp),
      registers: registers.map((values) => values?.[row] ?? Number.NaN),
      statusWord: word === undefined || Number.isNaN(word) ? undefined : word,
      deviceTime: new Date(stamp).toISOString(),
      readAt: options.readAt,
      source: options.source,
      traceId: options.traceId,
    });
  }
  return rows;
}
