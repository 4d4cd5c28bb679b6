import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import { data as dataClass } from '@hes/dlms/cosem/classes/data.ts';
import { demandRegister } from '@hes/dlms/cosem/classes/demand-register.ts';
import { extendedRegister } from '@hes/dlms/cosem/classes/extended-register.ts';
import { register } from '@hes/dlms/cosem/classes/register.ts';
import { channelOf, dailyRegisterOf } from '#storage/channels.ts';
import type { Source } from '#storage/day-rows.ts';
import type { DailyRow } from '#storage/staging.ts';
import type { MeterDevice } from '../devices.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';
import { cachePerMetadata } from '../meter-metadata.ts';
import type { Column, ProfileAnswer } from './profile-layout.ts';
import { scalingOf } from './scalers.ts';

const STATUS = /^0\.\d+\.96\.10\.\d+\.255$/;
/** Attributes that hold a value, by class. */
const VALUE_ATTRIBUTES: ReadonlyMap<number, readonly number[]> = new Map<number, readonly number[]>([
  ...[dataClass, register, extendedRegister].map(({ id, attributes }) => [id, [attributes.value.id]] as const),
  [demandRegister.id, [demandRegister.attributes.currentAverageValue.id, demandRegister.attributes.lastAverageValue.id]],
]);
const WATT_HOUR = 30;
const TENTHS = 1;

const isValue = (column: Column): boolean =>
  column.dataIndex === 0 && VALUE_ATTRIBUTES.get(column.classId)?.includes(column.attributeId) === true;

const statusIn = cachePerMetadata((_metadata, columns: readonly Column[]): number =>
  columns.findIndex((column) => column.classId === dataClass.id && isValue(column) && STATUS.test(column.instance)),
);

/** Captured status words; undefined: not captured. */
export const statusOf = ({ columns, data }: ProfileAnswer, { metadata }: MeterDevice): Float64Array | undefined =>
  data.values[statusIn(metadata, columns)];

/** Registers of 32 and 16 bits with all bits set have no value. The 16-bit rule does not apply to energies, for which 65,535 is valid. */
const NO_VALUE = 0xffff_ffff;
const NO_SHORT_VALUE = 0xffff;

/** Whether a captured number means that there is no value. */
export const isFull = (value: number, isEnergy: boolean): boolean => value === NO_VALUE || (value === NO_SHORT_VALUE && !isEnergy);

/**
 * value × 10^exponent as integers; NaN stays NaN, and a register without value becomes infinite, which no column stores. Negative exponents
 * divide, because 10^-1 has no exact double. With exponent 0 the array is rounded in place, which is idempotent.
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

/** A column with a stored quantity. */
export interface Quantity {
  column: number;
  /** Index of the channel or register. */
  index: number;
  /** Power of ten from captured numbers to storage units. */
  exponent: number;
  isEnergy: boolean;
}

/**
 * Columns of a profile as channels, matched by object and attribute and not by position. A column with an unexpected unit or without known
 * scaler is left out: a gap can be refilled later, a wrong value would remain undetected.
 */
const channelsIn = cachePerMetadata((metadata, columns: readonly Column[]): readonly Quantity[] => {
  const best: (Quantity & { preference: number })[] = [];
  columns.forEach((column, index) => {
    const channelIndex = isValue(column) ? channelOf(column.instance) : undefined;
    const channel = channelIndex === undefined ? undefined : CHANNELS[channelIndex];
    if (channelIndex === undefined || channel === undefined) return;
    const scaling = scalingOf(metadata, column);
    if (scaling === undefined || (channel.cosemUnit !== undefined && scaling.unit !== channel.cosemUnit)) return;
    const objects: readonly string[] = channel.objects;
    const preference = objects.indexOf(column.instance);
    if ((best[channelIndex]?.preference ?? Number.POSITIVE_INFINITY) <= preference) return;
    const isEnergy = scaling.unit === WATT_HOUR;
    best[channelIndex] = { column: index, index: channelIndex, exponent: scaling.scaler + channel.exponent, isEnergy, preference };
  });
  // `flatMap` skips the holes of the sparse array.
  return best.flatMap((quantity) => quantity);
});

/** Columns of a freeze as registers, matched likewise. */
const registersIn = cachePerMetadata((metadata, columns: readonly Column[]): readonly Quantity[] =>
  columns.flatMap((column, index) => {
    const register = isValue(column) ? dailyRegisterOf(column.instance) : undefined;
    const scaling = register === undefined ? undefined : scalingOf(metadata, column);
    return register === undefined || scaling?.unit !== WATT_HOUR
      ? []
      : { column: index, index: register, exponent: scaling.scaler + TENTHS, isEnergy: true };
  }),
);

/** Columns of a response that are channels, or registers of a freeze. */
export const quantitiesIn = (
  { columns }: Pick<ProfileAnswer, 'columns'>,
  { metadata }: MeterDevice,
  isFreeze: boolean,
): readonly Quantity[] => (isFreeze ? registersIn(metadata, columns) : channelsIn(metadata, columns));

/** Values of `count` quantities; undefined: not captured. */
function valuesOf({ data }: ProfileAnswer, quantities: readonly Quantity[], count: number): (Float64Array | undefined)[] {
  const values = Array.from({ length: count }, (): Float64Array | undefined => undefined);
  for (const { column, index, exponent, isEnergy } of quantities) {
    const captured = data.values[column];
    if (captured !== undefined) values[index] = toIntegers(captured, exponent, isEnergy);
  }
  return values;
}

/** Resolution of `count` quantities in storage units, at least 1. */
function stepsOf(quantities: readonly Quantity[], count: number): number[] {
  const steps = Array.from({ length: count }, () => 1);
  for (const { index, exponent } of quantities) steps[index] = Math.max(1, 10 ** exponent);
  return steps;
}

/** Resolution of each channel, or register of a freeze. */
export const resolutionOf = (answer: ProfileAnswer, device: MeterDevice, isFreeze: boolean): number[] =>
  stepsOf(quantitiesIn(answer, device, isFreeze), isFreeze ? DAILY_REGISTERS.length : CHANNELS.length);

/** Values of each channel of a profile. */
export const channelsOf = (answer: ProfileAnswer, { metadata }: MeterDevice): (Float64Array | undefined)[] =>
  valuesOf(answer, channelsIn(metadata, answer.columns), CHANNELS.length);

/** Registers of each row of a daily freeze, in tenths of a watt-hour. */
export const registersOf = (answer: ProfileAnswer, { metadata }: MeterDevice): (Float64Array | undefined)[] =>
  valuesOf(answer, registersIn(metadata, answer.columns), DAILY_REGISTERS.length);

export interface DailyOptions {
  zone: Zone;
  dcuId: string;
  readAt: number;
  source: Source;
  traceId: string | undefined;
  taskId: string | undefined;
}

/** Rows of daily freezes. The time of a freeze is the midnight at the begin of its day in the zone of the utility. */
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
