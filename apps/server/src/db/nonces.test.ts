import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { createSecrets } from '../platform/secrets.ts';
import { Nonces } from './nonces.ts';
import { SharedRateLimiter } from './shared-rate-limiter.ts';

const KEY = Buffer.alloc(32, 3);
const MINUTE_MS = 60_000;

let database: TestDatabase;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());

function movable() {
  let ms = 1_800_000_000_000;
  return { clock: { now: () => ms }, pass: (more: number) => void (ms += more) };
}
const setUp = (key = KEY, purpose = 'test') => {
  const { clock, pass } = movable();
  const secrets = createSecrets(key);
  return { nonces: new Nonces({ db: database.db, clock, secrets }, { purpose, minutes: 2 }), pass };
};

test('a token of one head-end is valid at another, once, and until it expires', async () => {
  const [here, there] = [setUp(), setUp()];
  const { nonce } = here.nonces.issue('what it is for');
  const spent = await Promise.all([here, there, here, there].map(({ nonces }) => nonces.spend(nonce)));
  expect(spent.filter((value) => value !== undefined)).toEqual(['what it is for']);
  const late = here.nonces.issue().nonce;
  here.pass(2 * MINUTE_MS);
  expect([await here.nonces.spend(late), await there.nonces.spend(late)]).toEqual([undefined, '']);
});

test('a token cannot be forged, respelt, or used for another purpose', async () => {
  const { nonces } = setUp();
  const { nonce } = nonces.issue('mine');
  expect(await nonces.spend(nonce)).toBe('mine');
  expect([await nonces.spend(`${nonce}=`), await nonces.spend(`${nonce}\n`)]).toEqual([undefined, undefined]);
  const changed = Buffer.from(nonces.issue('mine').nonce, 'base64url');
  changed[21] = (changed[21] ?? 0) ^ 1;
  const others = [setUp(KEY, 'other').nonces, setUp(Buffer.alloc(32, 4)).nonces].map((other) => other.issue('mine').nonce);
  for (const forged of [changed.toString('base64url'), ...others, '']) expect(await nonces.spend(forged)).toBeUndefined();
});

test('during a rotation, tokens of the former master key are valid', async () => {
  const { clock } = movable();
  const rotated = new Nonces({ db: database.db, clock, secrets: createSecrets(Buffer.alloc(32, 5), KEY) }, { purpose: 'test', minutes: 2 });
  expect(await rotated.spend(setUp().nonces.issue('before').nonce)).toBe('before');
});

test('spent tokens are forgotten after their end', async () => {
  const { nonces, pass } = setUp();
  const count = async () => Number((await database.pool.query<{ count: string }>('select count(*) from spent_nonce')).rows[0]?.count);
  for (let n = 0; n < 15; n++) await nonces.spend(nonces.issue().nonce);
  pass(24 * 60 * MINUTE_MS);
  for (let n = 0; n < 3; n++) await nonces.spend(nonces.issue().nonce);
  expect(await count()).toBe(3);
});

test('a shared limit holds exactly over all head-ends, refills, and survives a clock that was ahead', async () => {
  const { clock, pass } = movable();
  const limit = { burst: 10, perSecond: 1 };
  const name = `test ${randomUUID()}`;
  const limiters = [1, 2].map(() => new SharedRateLimiter({ db: database.db, clock }, name, limit));
  const takeAll = async () =>
    (await Promise.all(limiters.flatMap((limiter) => Array.from({ length: 10 }, () => limiter.take('one'))))).filter((wait) => wait === 0);
  expect(await takeAll()).toHaveLength(10);
  expect(await limiters[0]?.take('one', 3)).toBe(3);
  expect(await limiters[1]?.take('two')).toBe(0);
  pass(4000);
  expect(await takeAll()).toHaveLength(4);
  const ahead = new SharedRateLimiter({ db: database.db, clock: { now: () => clock.now() + 86_400_000 } }, name, limit);
  expect(await ahead.take('one', 10)).toBe(0);
  await limiters[0]?.take('one');
  pass(71_000);
  expect((await takeAll()).length).toBeGreaterThanOrEqual(9);
  // Full buckets of others are not kept.
  pass(86_400_000);
  await limiters[0]?.take('one');
  const { rows } = await database.pool.query<{ key: string }>('select key from shared_limit where name = $1', [name]);
  expect(rows).toEqual([{ key: 'one' }]);
});
