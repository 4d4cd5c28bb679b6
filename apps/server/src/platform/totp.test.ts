import { expect, test } from 'vitest';
import { base32, codeAt, newTotpSecret, otpauthUri, stepAt, stepOfCode } from './totp.ts';

const SECRET = Buffer.from('12345678901234567890');
const STEP_MS = 30_000;

// RFC 6238 appendix B has eight digits; the last six are the code.
test.each([
  [59, '94287082'],
  [1_111_111_109, '07081804'],
  [1_111_111_111, '14050471'],
  [1_234_567_890, '89005924'],
  [2_000_000_000, '69279037'],
  [20_000_000_000, '65353130'],
])('at %d s the code is that of RFC 6238', (seconds, eight) => {
  expect(codeAt(SECRET, stepAt(seconds * 1000))).toBe(eight.slice(2));
});

// RFC 4226 appendix D.
test('the codes of the first ten counters are those of RFC 4226', () => {
  expect(Array.from({ length: 10 }, (_, step) => codeAt(SECRET, step))).toEqual([
    '755224',
    '287082',
    '359152',
    '969429',
    '338314',
    '254676',
    '287922',
    '162583',
    '399871',
    '520489',
  ]);
});

test('a code is valid in its interval and the adjacent ones, unless it or a later one was used', () => {
  const now = 1_700_000_010_000;
  const step = stepAt(now);
  const taken = (away: number, after = 0) => stepOfCode(SECRET, codeAt(SECRET, step + away), { now, after });
  expect([-2, -1, 0, 1, 2].map((away) => taken(away))).toEqual([undefined, step - 1, step, step + 1, undefined]);
  expect([-1, 0, 1].map((away) => taken(away, step))).toEqual([undefined, undefined, step + 1]);
  expect(stepOfCode(SECRET, codeAt(SECRET, step), { now: now + STEP_MS * 2, after: 0 })).toBeUndefined();
});

test.each(['', '12345', '1234567', '12345x', '１２３４５６'])('%o is refused', (code) => {
  expect(stepOfCode(SECRET, code, { now: 0, after: -1 })).toBeUndefined();
});

// RFC 4648 section 10.
test.each([
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foobar', 'MZXW6YTBOI'],
])('%s is %s in base 32', (text, expected) => {
  expect(base32(Buffer.from(text))).toBe(expected);
});

test('the otpauth URI names system and account, and a secret has 160 bits', () => {
  expect(otpauthUri('zhang.wei', SECRET)).toBe(
    'otpauth://totp/HES:zhang.wei?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=HES&algorithm=SHA1&digits=6&period=30',
  );
  expect(newTotpSecret()).toHaveLength(20);
  expect(newTotpSecret()).not.toEqual(newTotpSecret());
});
