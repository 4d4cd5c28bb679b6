import { createHmac } from 'node:crypto';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const PERIOD_MS = 30_000;
const DIGITS = 6;

function secretOf(key: string): Buffer {
  const bits = [...key.replaceAll(/\s/g, '')].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)));
}

/** The code of an authenticator app for this key (RFC 6238), at present or some intervals away. */
export function codeOf(key: string, away = 0): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / PERIOD_MS) + away));
  const mac = createHmac('sha1', secretOf(key)).update(counter).digest();
  const at = (mac.at(-1) ?? 0) % 16;
  return String((mac.readUInt32BE(at) % 2 ** 31) % 10 ** DIGITS).padStart(DIGITS, '0');
}
