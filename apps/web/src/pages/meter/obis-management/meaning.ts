import type { ObisRow } from '@hes/contract/reading/obis.ts';
import type { ReadValue } from '@hes/contract/orders/results.ts';

const BITS = 64;
const PRINTABLE = /^[\x20-\x7e]+$/;

const fromHex = (hex: string): number[] => (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));

/** The meaning of a value by the decoder of its object; null when the value needs no explanation. */
export function meaningOf(
  { decoder, enumMap }: Pick<ObisRow, 'decoder' | 'enumMap'>,
  { value, raw }: Pick<ReadValue, 'value' | 'raw'>,
): string | null {
  if (value === null) return null;
  const words = enumMap ?? {};
  if (decoder === 'enum') return words[String(value)] ?? null;
  if (decoder === 'bit_map') {
    const number = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : undefined;
    if (number === undefined) return null;
    const set = Array.from({ length: BITS }, (_, bit) => bit).filter((bit) => ((number >> BigInt(bit)) & 1n) === 1n);
    return set.map((bit) => words[String(bit)] ?? `bit ${bit}`).join(', ') || '0';
  }
  if (decoder === 'octet_hex') return raw;
  if (decoder === 'octet_ascii' && typeof value === 'string' && /^([0-9a-f]{2})+$/i.test(value)) {
    const text = String.fromCodePoint(...fromHex(value));
    return PRINTABLE.test(text) ? text : null;
  }
  return null;
}
