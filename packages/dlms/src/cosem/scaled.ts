const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;
/** Exceeds every scaler (an integer of one octet) and every exponent of a double. */
const MAX_SHIFT = 1100;

/**
 * `value × 10^scaler` as decimal digits: `scaled(12345, -2)` is `'123.45'`. Computed without floating point, which keeps 64-bit registers
 * exact. Trailing zeros stay, because they show the resolution. Non-integers (float32, float64) use their shortest decimal form. Throws
 * `RangeError` on NaN and infinity.
 */
export function scaled(value: number | bigint, scaler: number): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(String(value)) ?? notANumber(value);
  const shift = scaler + Number(exponent) - fraction.length;
  if (!Number.isInteger(scaler) || Math.abs(shift) > MAX_SHIFT) throw new RangeError(`No scaler: ${scaler}`);
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  if (digits === '0' && shift >= 0) return '0';
  return (/[1-9]/.test(digits) ? sign : '') + (shift >= 0 ? digits + '0'.repeat(shift) : withPoint(digits, -shift));
}

function withPoint(digits: string, places: number): string {
  const padded = digits.padStart(places + 1, '0');
  return `${padded.slice(0, -places)}.${padded.slice(-places)}`;
}

function notANumber(value: number | bigint): never {
  throw new RangeError(`No number: ${value}`);
}
