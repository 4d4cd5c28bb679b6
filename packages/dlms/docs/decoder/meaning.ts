import {
  dateTimeCodec,
  decode,
  fromHex,
  obisCodec,
  toHex,
  unitSymbol,
  type AnnotatedNode,
  type CosemDateTime,
} from '@hes/dlms/entry/root.ts';

const OCTET_STRING = /^octetString ([0-9A-F]+)$/;
const NAME_SIZE = 6;
const DATE_TIME_SIZE = 12;

const padded = (value: number | null, size: number): string => (value === null ? '?'.repeat(size) : String(value).padStart(size, '0'));

function textOf({ year, month, day, hour, minute, second, deviationMinutes }: CosemDateTime): string {
  const local = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)} ${padded(hour, 2)}:${padded(minute, 2)}:${padded(second, 2)}`;
  return deviationMinutes === null
    ? `${local}, time zone unknown`
    : `${local}, UTC${deviationMinutes > 0 ? '−' : '+'}${Math.abs(deviationMinutes) / 60} h`;
}

function dateTimeIn(octets: Uint8Array): string | undefined {
  if (octets.length !== DATE_TIME_SIZE) return undefined;
  try {
    return textOf(decode(dateTimeCodec, octets));
  } catch {
    return undefined;
  }
}

/** The pair of a power of ten and a unit, as registers have it. */
function scalerUnitIn([scaler, unit, ...more]: readonly AnnotatedNode[]): string | undefined {
  const power = /^integer (-?\d+)$/.exec(scaler?.value ?? '')?.[1];
  const code = /^enum (\d+)$/.exec(unit?.value ?? '')?.[1];
  if (power === undefined || code === undefined || more.length > 0) return undefined;
  const symbol = unitSymbol(Number(code));
  return `scaler 10^${power}${symbol === '' ? '' : `, ${symbol}`}`;
}

/**
 * What a value most probably is, because the standard does not mark it: a text, a logical name, a date-time, a scaler with its unit. Undefined
 * otherwise.
 */
export function meaningOf({ value, children }: AnnotatedNode): string | undefined {
  const hex = OCTET_STRING.exec(value ?? '')?.[1];
  if (hex === undefined) return scalerUnitIn(children);
  const octets = fromHex(hex);
  if (octets.every((octet) => octet >= 0x20 && octet < 0x7f)) return `“${String.fromCharCode(...octets)}”`;
  if (octets.length === NAME_SIZE) return decode(obisCodec, octets);
  return dateTimeIn(octets);
}

/** Octets as pairs of digits. */
export const pairsOf = (octets: Uint8Array): string[] => Array.from(octets, (octet) => toHex(Uint8Array.of(octet)));
