import { expect, test } from 'vitest';
import { monotonicAt } from './clock.ts';
import { SignedNonces } from './signed-nonces.ts';

const MINUTE_MS = 60_000;

function setUp() {
  let ms = 5000;
  const nonces = new SignedNonces({ now: () => 1_800_000_000_000 + ms, monotonic: () => monotonicAt(ms) }, 2);
  return { nonces, pass: (more: number) => void (ms += more) };
}

test('a nonce can be spent once until it expires, regardless of the number of others', () => {
  const { nonces, pass } = setUp();
  const { nonce, expiresAt } = nonces.issue();
  expect(expiresAt).toBe(1_800_000_125_000);
  for (let n = 0; n < 12_000; n++) expect(nonces.spend(nonces.issue().nonce)).toBe(true);
  expect([nonces.spend(nonce), nonces.spend(nonce)]).toEqual([true, false]);
  const late = nonces.issue().nonce;
  pass(2 * MINUTE_MS);
  expect(nonces.spend(late)).toBe(false);
});

test('another encoding of a spent nonce, a changed nonce and one of another process are refused', () => {
  const { nonces } = setUp();
  const { nonce } = nonces.issue();
  expect(nonces.spend(nonce)).toBe(true);
  expect([nonces.spend(`${nonce}=`), nonces.spend(`${nonce}\n`)]).toEqual([false, false]);
  const changed = Buffer.from(nonces.issue().nonce, 'base64url');
  changed[0] = (changed[0] ?? 0) ^ 0x40;
  expect([nonces.spend(changed.toString('base64url')), nonces.spend(setUp().nonces.issue().nonce), nonces.spend('')]).toEqual([
    false,
    false,
    false,
  ]);
});
