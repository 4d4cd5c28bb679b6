import { CHANNELS, channelOf, dailyRegisterOf, DAILY_REGISTERS } from '#storage/channels.ts';
import type { Source } from '#storage/day-rows.ts';
import type { DailyRow } from '#storage/staging.ts';
import type { MeterDevice } from '../devices.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';
import { oncePerMemory } from '../memory.ts';
import type { Column, ProfileAnswer } from './profile-layout.ts';
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

/** All bits of a register of 32 bits, and of 16: there is no value. An energy may well stand at 65,535; of 64 bits the storage takes none. */
const NO_VALUE = 0xffff_ffff;
const NO_SHORT_VALUE = 0xffff;

/** Whether a number as it was captured means that there is no value. */
export const isFull = (value: number, isEnergy: boolean): boolean => value === NO_VALUE || (value === NO_SHORT_VALUE && !isEnergy);

/**
 * value × 10^exponent as whole numbers; NaN stays NaN, and registers without a value are infinite, which no column holds. Division,
 * because 10^-1 has no exact double. Without an exponent they are rounded where they stand, which a second time changes nothing.
 */
function toIntegers(values: Float64Array, exponent: number, isEnergy: boolean): Float64Array {
  const factor = 10 ** Math.abs(exponent);
  const out = exponent === 0 ? values : new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number; // as: i is below the length
    out[i] = isFull(value, isEnergy) ? Number.POSITIVE_INFINITY : Math.round(exponent > 0 ? value * factor : value / factor);
  }
  return out;
}

/** A column that is one of our quantities: which, and by what power of ten it is counted there. */
export interface Quantity {
  column: number;
  /** Among channels or registers. */
  index: number;
  exponent: number;
  isEnergy: boolean;
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
    if (scaling === undefined || (channel.cosemUnit !== undefined && scaling.unit !== channel.cosemUnit)) return;
    const objects: readonly string[] = channel.objects;
    const preference = objects.indexOf(column.instance);
    if ((best[channelIndex]?.preference ?? Number.POSITIVE_INFINITY) <= preference) return;
    const isEnergy = scaling.unit === WATT_HOUR;
    best[channelIndex] = { column: index, index: channelIndex, exponent: scaling.scaler + channel.exponent, isEnergy, preference };
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
      : { column: index, index: register, exponent: scaling.scaler + TENTHS, isEnergy: true };
  }),
);

/** The columns of an answer that are channels, or registers of a freeze. */
export const quantitiesIn = (
  { columns }: Pick<ProfileAnswer, 'columns'>,
  { memory }: MeterDevice,
  isFreeze: boolean,
): readonly Quantity[] => (isFreeze ? registersIn(memory, columns) : channelsIn(memory, columns));

/** Values of each of `count` quantities; undefined: the meter does not capture it. */
function valuesOf({ data }: ProfileAnswer, quantities: readonly Quantity[], count: number): (Float64Array | undefined)[] {
  const values = Array.from({ length: count }, (): Float64Array | undefined => undefined);
  for (const { column, index, exponent, isEnergy } of quantities) {
    const captured = data.values[column];
    if (captured !== undefined) values[index] = toIntegers(captured, exponent, isEnergy);
  }
  return values;
}

/** The smallest difference that each of `count` quantities can show, in units of the storage; 1 where they are finer. */
function stepsOf(quantities: readonly Quantity[], count: number): number[] {
  const steps = Array.from({ length: count }, () => 1);
  for (const { index, exponent } of quantities) steps[index] = Math.max(1, 10 ** exponent);
  return steps;
}

/** The smallest difference that each channel, or register of a freeze, can show. */
export const resolutionOf = (answer: ProfileAnswer, device: MeterDevice, isFreeze: boolean): number[] =>
  stepsOf(quantitiesIn(answer, device, isFreeze), isFreeze ? DAILY_REGISTERS.length : CHANNELS.length);

/** Values of each channel of a profile. */
export const channelsOf = (answer: ProfileAnswer, { memory }: MeterDevice): (Float64Array | undefined)[] =>
  valuesOf(answer, channelsIn(memory, answer.columns), CHANNELS.length);

/** Registers of each row of a daily freeze, in tenths of a watt-hour. */
export const registersOf = (answer: ProfileAnswer, { memory }: MeterDevice): (Float64Array | undefined)[] =>
  valuesOf(answer, registersIn(memory, answer.columns), DAILY_REGISTERS.length);

export interface DailyOptions {
  zone: Zone;
  dcuId: string;
  readAt: number;
  source: Source;
  traceId: string | undefined;
  taskId: string | undefined;
}

/** Daily freezes as rows. A freeze is stamped with the midnight that begins its day in the utility's zone. */
export function dailyRowsOf(answer: ProfileAnswer, device: MeterDevice, options: DailyOptions): DailyRow[] {
  const registers = registersOf(answer, device);
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
      taskId: options.taskId,
    });
  }
  return rows;
}
