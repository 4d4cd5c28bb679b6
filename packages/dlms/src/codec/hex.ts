const DIGITS = '0123456789ABCDEF';

/** Upper-case hex, without spaces. */
export function toHex(octets: Uint8Array): string {
  let text = '';
  for (const octet of octets) text += DIGITS.charAt(octet >> 4) + DIGITS.charAt(octet & 15);
  return text;
}

/** Octets of a hex text; spaces are ignored. Throws a `RangeError` on anything else. */
export function fromHex(text: string): Uint8Array {
  const digits = text.replaceAll(/\s+/g, '');
  if (digits.length % 2 !== 0 || /[^0-9a-fA-F]/.test(digits)) throw new RangeError('Not an even number of hex digits');
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}
