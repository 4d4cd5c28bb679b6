import { decode } from '@hes/dlms/codec/codec.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';

/** `doubleLongUnsigned` as `double-long-unsigned`. */
export const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

export const hexOctet = (octet: number): string => octet.toString(16).padStart(2, '0').toUpperCase();

/** NaN and infinities, which JSON lacks, become strings. */
const numberShape = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** Data as plain JSON: `{ t, v }`, octets in hex, structures and arrays as lists. */
export function dataShape(data: Data): unknown {
  const t = kebab(data.type);
  if (!('value' in data)) return { t };
  const { value } = data;
  if (Array.isArray(value)) return { t, v: value.map(dataShape) };
  if (value instanceof Uint8Array) return { t, v: toHex(value) };
  return { t, v: typeof value === 'number' ? numberShape(value) : value };
}

/** One encoded Data as plain JSON. Throws `DecodeError`. */
export const rawShape = (octets: Uint8Array): unknown => dataShape(decode(dataCodec, octets));

declare global {
  interface JSON {
    /** Inserts text into JSON verbatim; part of ES2025. */
    rawJSON(text: string): unknown;
  }
}

/** One line of JSON; 64-bit numbers keep all digits. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? JSON.rawJSON(String(part)) : part));

/** Any decoded value as plain JSON, for values without a specific shape. */
export function plainShape(value: unknown): unknown {
  if (value instanceof Uint8Array) return toHex(value);
  if (Array.isArray(value)) return value.map(plainShape);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, plainShape(part)]));
}
