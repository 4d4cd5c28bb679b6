import { decode } from '@hes/dlms/codec/codec.ts';
import { asciiText } from '@hes/dlms/codec/text.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { DATE_TIME_SIZE, dateTimeCodec, toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { scaled } from '@hes/dlms/cosem/scaled.ts';
import type { ScalerUnit } from '@hes/dlms/cosem/scaler-unit.ts';
import { UNIT_NONE, unitSymbol } from '@hes/dlms/cosem/unit.ts';

/** A value of a meter as JavaScript has it. Integers beyond 2^53 are `bigint`; octets that are neither text nor a moment stay octets. */
export type PlainValue = number | bigint | boolean | string | Date | Uint8Array | null | PlainValue[];

/** A value with its unit. */
export interface Reading {
  /** Scaled, if the object has a scaler. */
  value: PlainValue;
  /** Symbol of the unit, such as `Wh`; empty without one. */
  unit: string;
  /** All digits of a number with its unit, exact also where `value` is rounded: `0.230 kV`. */
  text: string;
  /** The value as the meter encoded it. */
  raw: Data;
}

const isPrintable = (octets: Uint8Array): boolean => octets.length > 0 && octets.every((octet) => octet >= 0x20 && octet < 0x7f);

/** The moment in twelve octets; `deviationMinutes` (UTC minus local time) applies to meters that do not tell it. */
export function momentIn(octets: Uint8Array, deviationMinutes: number): Date | undefined {
  if (octets.length !== DATE_TIME_SIZE) return undefined;
  const epochMs = toEpochMs(decode(dateTimeCodec, octets), deviationMinutes);
  return epochMs === null ? undefined : new Date(epochMs);
}

const plainOctets = (octets: Uint8Array, deviationMinutes: number): PlainValue =>
  isPrintable(octets) ? asciiText(octets) : (momentIn(octets, deviationMinutes) ?? octets);

/** The value without its DLMS type. */
export function plainValue(data: Data, deviationMinutes = 0): PlainValue {
  switch (data.type) {
    case 'null':
    case 'dontCare':
      return null;
    case 'array':
    case 'structure':
    case 'compactArray':
      return data.value.map((item) => plainValue(item, deviationMinutes));
    case 'long64':
    case 'long64Unsigned':
      return Number.isSafeInteger(Number(data.value)) ? Number(data.value) : data.value;
    case 'octetString':
    case 'dateTime':
      return plainOctets(data.value, deviationMinutes);
    default:
      return data.value;
  }
}

const isNumber = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value));

/** A number times ten to the power of the scaler, to the nearest double; other values stay as they are. */
export function scaledValue(data: Data, scaler: number, deviationMinutes = 0): PlainValue {
  if (scaler === 0 || !('value' in data) || !isNumber(data.value) || data.type === 'enum') return plainValue(data, deviationMinutes);
  return Number(scaled(data.value, scaler));
}

/** A value with its scaler and unit. */
export function readingOf(raw: Data, { scaler, unit: code }: ScalerUnit = { scaler: 0, unit: UNIT_NONE }): Reading {
  const unit = unitSymbol(code);
  const value = scaledValue(raw, scaler);
  const digits = 'value' in raw && isNumber(raw.value) ? scaled(raw.value, scaler) : String(value);
  return { value, unit, text: `${digits} ${unit}`.trimEnd(), raw };
}
