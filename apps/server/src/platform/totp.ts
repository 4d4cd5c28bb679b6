import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

// Parameters of RFC 6238 that all authenticator apps support.
const ALGORITHM = 'sha1';
const DIGITS = 6;
const PERIOD_S = 30;
const SECRET_OCTETS = 20;
/** Accepted intervals before and after the current one, for clock skew and slow input. */
const STEPS_ASIDE = 1;
const ISSUER = 'HES';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export const newTotpSecret = (): Buffer => randomBytes(SECRET_OCTETS);

/** RFC 4648 section 6, without padding. */
export function base32(octets: Uint8Array): string {
  const bits = [...octets].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** URI of the QR code, with account and secret. */
export const otpauthUri = (username: string, secret: Uint8Array): string =>
  `otpauth://totp/${ISSUER}:${encodeURIComponent(username)}?secret=${base32(secret)}&issuer=${ISSUER}&algorithm=${ALGORITHM.toUpperCase()}&digits=${DIGITS}&period=${PERIOD_S}`;

/** Number of the interval of an instant, since 1970. */
export const stepAt = (nowMs: number): number => Math.floor(nowMs / 1000 / PERIOD_S);

/** The code of an interval: RFC 4226 section 5.3. */
export function codeAt(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac(ALGORITHM, secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 0x0f;
  return String((mac.readUInt32BE(offset) & 0x7fff_ffff) % 10 ** DIGITS).padStart(DIGITS, '0');
}

/** Interval of a valid code: the current one or an adjacent one, later than `after`. Undefined: the code is invalid. */
export function stepOfCode(secret: Uint8Array, code: string, { now, after }: { now: number; after: number }): number | undefined {
  if (code.length !== DIGITS || !/^\d+$/.test(code)) return undefined;
  const middle = stepAt(now);
  for (let step = middle - STEPS_ASIDE; step <= middle + STEPS_ASIDE; step++)
    if (step > after && timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code))) return step;
  return undefined;
}
