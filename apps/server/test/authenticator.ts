import { codeAt, stepAt } from '../src/platform/totp.ts';

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 section 6, read. */
export const octetsOf = (base32: string): Buffer => {
  const bits = [...base32].map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((octet) => Number.parseInt(octet, 2)));
};

/** An app on a phone that has scanned the square code. */
export const authenticator = (uri: string, clock: { now(): number }) => {
  const secret = octetsOf(new URL(uri).searchParams.get('secret') ?? '');
  return {
    secret,
    /** The code of the app a number of intervals from now. */
    code: (away = 0) => codeAt(secret, stepAt(clock.now()) + away),
    /** Six digits that count neither now nor in the intervals aside. */
    wrong: () => {
      const right = new Set([-1, 0, 1].map((away) => codeAt(secret, stepAt(clock.now()) + away)));
      return ['000000', '111111', '222222', '333333'].find((code) => !right.has(code)) ?? '';
    },
  };
};
export type Authenticator = ReturnType<typeof authenticator>;
