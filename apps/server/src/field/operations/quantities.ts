import { CHANNELS, channelOf, dailyRegisterOf, DAILY_REGISTERS } from '#storage/channels.ts';
import type { Source } from '#storage/day-rows.ts';
import type { DailyRow } from '#storage/staging.ts';
import type { MeterDevice } from '../devices.ts';
import type { Zone } from '#platform/zone.ts';
import { oncePerMemory } from '../memory.ts';
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

const statusIn = oncePerMemory((_memory, columns: readonly Column[]): number =>
  columns.findIndex((column) => column.classId === DATA_CLASS && isValue(column) && STATUS.test(column.instance)),
);

/** The captured status word, if the profile has one. */
export const statusOf = ({ columns, data }: ProfileAnswer, { memory }: MeterDevice): Float64Array | undefined =>
  data.values[statusIn(memory, columns)];

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

/** A column that is one of our quantities: which, and by what power of ten it is counted there. */
interface Quantity {
  column: number;
  /** Among channels or registers. */
  index: number;
  exponent: number;
}

/**
 * A profile's columns as channels, matched by object and attribute, never by position. A column of another unit than the
 * channel's, or without a known scaler, is left out: a gap can be filled later, a wrong value cannot be found.
 */
const channelsIn = oncePerMemory((memory, columns: readonly Column[]): readonly Quantity[] => {
  const best: (Quantity & { preference: number })[] = [];
  columns.forEach((column, index) => {
    const channelIndex = isValue(column) ? channelOf(column.instance) : undefined;
    const channel = channelIndex === undefined ? undefined : CHANNELS[channelIndex];
    if (channelIndex === undefined || channel === undefined) return;
    const scaling = scalingOf(memory, column);
    if (scaling === undefined || (channel.unit !== undefined && scaling.unit !== channel.unit)) return;
    const objects: readonly string[] = channel.objects;
    const preference = objects.indexOf(column.instance);
    if ((best[channelIndex]?.preference ?? Number.POSITIVE_INFINITY) <= preference) return;
    best[channelIndex] = { column: index, index: channelIndex, exponent: scaling.scaler + channel.exponent, preference };
  });
  // Without the channels that it does not have.
  return best.flatMap((quantity) => quantity);
});

/** The registers of a daily freeze, matched likewise. */
const registersIn = oncePerMemory((memory, columns: readonly Column[]): readonly Quantity[] =>
  columns.flatMap((column, index) => {
    const register = isValue(column) ? dailyRegisterOf(column.instance) : undefined;
    const scaling = register === undefined ? undefined : scalingOf(memory, column);
    return register === undefined || scaling?.unit !== WATT_HOUR
      ? []
      : { column: index, index: register, exponent: scaling.scaler + TENTHS };
  }),
);

/** Values of each of `count` quantities; undefined: the meter does not capture it. */
function valuesOf({ data }: ProfileAnswer, quantities: readonly Quantity[], count: number): (Float64Array | undefined)[] {
  const values = Array.from({ length: count }, (): Float64Array | undefined => undefined);
  for (const { column, index, exponent } of quantities) {
    const captured = data.values[column];
    if (captured !== undefined) values[index] = toIntegers(captured, exponent);
  }
  return values;
}

/** Values of each channel of a profile. */
export const channelsOf = (answer: ProfileAnswer, { memory }: MeterDevice): (Float64Array | undefined)[] =>
  valuesOf(answer, channelsIn(memory, answer.columns), CHANNELS.length);

export interface DailyOptions {
  zone: Zone;
  dcuId: string;
  readAt: number;
  source: Source;
  traceId: string | undefined;
}

/** Daily freezes as rows. A freeze is stamped with the midnight that begins its day in the utility's zone. */
export function dailyRowsOf(answer: ProfileAnswer, device: MeterDevice, options: DailyOptions): DailyRow[] {
  const registers = valuesOf(answer, registersIn(device.memory, answer.columns), DAILY_REGISTERS.length);
  const status = statusOf(answer, device);
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
