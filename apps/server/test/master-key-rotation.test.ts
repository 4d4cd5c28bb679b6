import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { protect } from '@hes/dlms/security/protection.ts';
import { resealAll, type Resealed } from '../src/composition/reseal.ts';
import { writeAudit } from '../src/db/audit.ts';
import { ChainAnchors } from '../src/db/chain-anchors.ts';
import { anchorChains } from '../src/db/anchor-chains.ts';
import { checkChain } from '../src/db/check-chain.ts';
import { handleKeys } from '../src/db/handle-keys.ts';
import { endRotation, openMasterKey } from '../src/db/master-keys.ts';
import { openDb } from '../src/db/pool.ts';
import { findLimits, insertLimits, BUILT_IN_LIMITS, renewLimits } from '../src/features/relay/limit-queries.ts';
import { findBroken, findBrokenSessions, noteSealNumbers } from '../src/db/right-seals.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { createAccessTokens } from '../src/platform/access-token.ts';
import type { Db } from '../src/db/context.ts';
import { openKeys } from '../src/platform/device-keys.ts';
import { generateKeyPair, openPrivateKey } from '../src/platform/own-key-pairs.ts';
import { chainKeyOf, createSecrets, type Secrets } from '../src/platform/secrets.ts';
import { packFrames, unpackFrames } from '../src/storage/frames.ts';
import { TEST_MASTER_KEY } from './master-key.ts';
import { testApp, type TestApp } from './test-app.ts';
import { smallTown } from './town.ts';

const NEW_KEY = Buffer.alloc(32, 42);
const IMPORTS = 1_450;
const TITLE = Buffer.from('HES00001');

let app: TestApp;
let folder: string;
let userId: string;
const PLAIN = Buffer.from([0xc4, 1, 0xc1, 0, 5, 0, 0, 1, 0]);

/** Loads the keys like a start of the head-end, over the same database and data folder. */
interface Started {
  db: Db;
  secrets: Secrets;
  anchors: ChainAnchors;
}
async function start(key: Uint8Array, previous?: Uint8Array): Promise<Started> {
  const secrets = createSecrets(key, previous);
  const former = secrets.previous && chainKeyOf(secrets.previous);
  const db = openDb(app.ctx.pool, handleKeys(chainKeyOf(secrets), folder, former));
  await openMasterKey({ db, secrets, clock: app.ctx.clock, renewals: [renewLimits] });
  const anchors = new ChainAnchors(folder, secrets);
  await anchorChains({ db, clock: app.ctx.clock, anchors });
  await noteSealNumbers(db);
  return { db, secrets, anchors };
}

const audit = (db: Db) =>
  db.transaction().execute((tx) => writeAudit(tx, { userId, action: 'sign_out', entity: 'user', entityId: userId }, app.ctx.clock.now()));

/** A trace with a frame that only the meter's key opens, as the field engine keeps it. */
async function storeTrace(): Promise<void> {
  const meter = await app.ctx.db.selectFrom('meter').select(['sn', 'ekSecret', 'akSecret']).limit(1).executeTakeFirstOrThrow();
  const keys = openKeys(app.ctx.secrets, 'meter', meter.sn, meter);
  if (keys === undefined) throw new Error('No keys');
  const apdu = protect(PLAIN, { cipher: nodeCipher, keys, policy: 'authEnc', systemTitle: TITLE, counter: 7, form: 'service-specific' });
  const octets = encodeWrapper({ source: 1, destination: 1 }, apdu);
  const frames = packFrames([{ at: 1, direction: 'up', octets, plain: PLAIN }], { key: keys.sealedEk, down: TITLE, up: TITLE });
  await app.ctx.db.insertInto('trace').values({ id: randomUUID(), frames, bytes: frames.length, durationMs: 1 }).execute();
}

/** Opens the keys of every device, as a field session does. */
async function readKeys({ secrets }: Pick<Started, 'secrets'>): Promise<number> {
  const { rows } = await app.ctx.pool.query<{ sn: string; ekSecret: Buffer; akSecret: Buffer }>(
    'select sn, ek_secret as "ekSecret", ak_secret as "akSecret" from meter where ek_secret is not null',
  );
  return rows.map((row) => openKeys(secrets, 'meter', row.sn, row)).filter((keys) => keys?.ek.length === 16).length;
}

/** Everything that is stored sealed, by either key. */
async function storedSecrets(): Promise<Buffer[]> {
  const columns = ['dcu', 'meter'].flatMap((table) =>
    ['ek', 'ak', 'password', 'master_key'].map((name) => `select ${name}_secret as s from ${table}`),
  );
  const { rows } = await app.ctx.pool.query<{ s: Buffer | null }>(
    [...columns, 'select secret as s from second_factor', 'select private_key_secret as s from certificate'].join(' union all '),
  );
  return rows.flatMap(({ s }) => (s === null ? [] : [s]));
}

const reseal = ({ db, secrets }: Started, batches = Infinity): Promise<Resealed | undefined> => {
  let done = 0;
  return resealAll({ db, secrets, goOn: () => Promise.resolve(done++ < batches) });
};

beforeAll(async () => {
  app = await testApp();
  folder = mkdtempSync(join(tmpdir(), 'hes-rotation-'));
  await importCommissioning(app.ctx, smallTown());
  ({ id: userId } = await app.addUser({ roles: ['ADMIN'] }));
  await app.ctx.db
    .insertInto('secondFactor')
    .values({ userId, secret: app.ctx.secrets.seal(Buffer.from('a seed'), `user/${userId}/totp`), createdAt: new Date() })
    .execute();
  const { publicKey, sealed: privateKeySecret } = generateKeyPair(app.ctx.secrets, 2);
  await app.ctx.db
    .insertInto('certificate')
    .values({
      kind: 'head_end',
      usages: ['digital_signature'],
      suite: 2,
      subject: '00',
      systemTitle: Buffer.alloc(8),
      publicKey,
      privateKeySecret,
      fingerprint: Buffer.alloc(32),
      createdAt: new Date(),
    })
    .execute();
  await insertLimits(app.ctx.db, app.ctx.secrets, { ...BUILT_IN_LIMITS, maxMetersPerHour: 17 }, { changedBy: userId });
  await storeTrace();
  // More than a batch holds.
  const content = app.ctx.secrets.seal(Buffer.from('[]'), `import/meter/${userId}`);
  await app.ctx.db
    .insertInto('importJob')
    .values(Array.from({ length: IMPORTS }, () => ({ userId, entity: 'meter', fileName: 'list.csv', content })))
    .execute();
  await start(TEST_MASTER_KEY);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await app.close();
});

describe('another master key', () => {
  test('without the former one is refused with the way back and the way on', async () => {
    await expect(start(NEW_KEY)).rejects.toThrow(
      /sealed with the master key [0-9a-f]{8}, .*HES_MASTER_KEY_PREVIOUS.*master\.key\.previous/,
    );
    await expect(start(NEW_KEY, Buffer.alloc(32, 1))).rejects.toThrow('Bring that key back');
  });

  test('is taken while the head-end serves: keys are read throughout, a stop in the middle is made good, and logs verify across', async () => {
    const readable = await readKeys(app.ctx);
    const oldToken = await createAccessTokens(app.ctx.secrets, app.ctx.clock).issue('session');
    for (let n = 0; n < 3; n++) await audit(app.ctx.db);

    const first = await start(NEW_KEY, TEST_MASTER_KEY);
    expect(await createAccessTokens(first.secrets, app.ctx.clock).verify(oldToken)).toBe('session');
    expect(await readKeys(first)).toBe(readable);
    // Stopped behind the first column: one secret is renewed, the keys of devices are not.
    expect(await reseal(first, 3)).toBeUndefined();
    await expect(start(NEW_KEY)).rejects.toThrow(/rotation of the master key is not finished.*HES_MASTER_KEY_PREVIOUS/);

    const second = await start(NEW_KEY, TEST_MASTER_KEY);
    const [resealed, ...seen] = await Promise.all([reseal(second), ...Array.from({ length: 20 }, () => readKeys(second))]);
    expect(new Set(seen)).toEqual(new Set([readable]));
    expect(resealed).toMatchObject({ unreadable: 0 });
    expect(await reseal(second)).toEqual({ renewed: 0, unreadable: 0 });
    await audit(second.db);
    expect(await endRotation({ ...second, clock: app.ctx.clock })).toBe(true);
    expect(await createAccessTokens(second.secrets, app.ctx.clock).verify(oldToken)).toBeUndefined();

    const after = await start(NEW_KEY);
    expect(await readKeys(after)).toBe(readable);
    for (const chain of ['audit', 'commands'] as const)
      expect(await checkChain(after.db, chain, { limit: 10_000 })).toMatchObject({ brokenId: null, isEnd: true });
    expect(after.anchors.of('audit')?.breaks).toEqual([]);
    expect(await findBroken(after.db)).toEqual([]);
    expect(await findBrokenSessions(after.db, new Date())).toEqual([]);
    expect((await findLimits(after.db, after.secrets)).inForce.maxMetersPerHour).toBe(17);
    const rows = await after.db.selectFrom('auditLog').select(['action', 'detail']).orderBy('id', 'desc').limit(10).execute();
    expect(rows.find(({ action }) => action === 'master_key_rotated')?.detail).toMatchObject({
      fromKey: app.ctx.secrets.keyId,
      toKey: after.secrets.keyId,
      resealed: (await storedSecrets()).length + 1 + IMPORTS,
    });
    const pair = await after.db.selectFrom('certificate').select(['publicKey', 'privateKeySecret']).executeTakeFirstOrThrow();
    expect(openPrivateKey(after.secrets, pair.publicKey, pair.privateKeySecret ?? Buffer.alloc(0))).toHaveLength(48);
    const stored = await after.db.selectFrom('trace').select('frames').executeTakeFirstOrThrow();
    expect(unpackFrames(stored.frames, after.secrets).map(({ plain }) => plain && Buffer.from(plain))).toEqual([PLAIN]);
  });

  test('leaves the former key nothing: no secret opens, no row of a log, no right and no order of it counts', async () => {
    const after = await start(NEW_KEY);
    const stored = await storedSecrets();
    expect(stored.length).toBeGreaterThan(10);
    expect(stored.filter((secret) => !secret.subarray(0, 5).equals(after.secrets.mark))).toEqual([]);
    const frames = (await after.db.selectFrom('trace').select('frames').executeTakeFirstOrThrow()).frames;
    expect(unpackFrames(frames, app.ctx.secrets)[0]?.plain).toBeUndefined();
    expect((await findBroken(app.ctx.db)).length).toBeGreaterThan(0);
    await insertLimits(app.ctx.db, app.ctx.secrets, { ...BUILT_IN_LIMITS, maxMetersPerHour: 9_999 }, { changedBy: userId });
    expect((await findLimits(after.db, after.secrets)).inForce.maxMetersPerHour).toBe(17);
    await audit(app.ctx.db);
    expect(await checkChain(after.db, 'audit', { limit: 10_000 })).toMatchObject({ brokenBy: 'changed' });
    await expect(start(TEST_MASTER_KEY)).rejects.toThrow('Bring that key back');
  });

  test('is taken by head-ends that start at once: one begins the rotation, the others join', async () => {
    const next = Buffer.alloc(32, 43);
    const started = await Promise.all(Array.from({ length: 3 }, () => start(next, NEW_KEY)));
    const keys = await app.ctx.db.selectFrom('masterKey').select(['keyId', 'state']).where('state', '<>', 'retired').execute();
    expect(keys).toHaveLength(2);
    expect(keys).toContainEqual({ keyId: started[0]?.secrets.keyId, state: 'current' });
    const begun = await app.ctx.db.selectFrom('auditLog').select('id').where('action', '=', 'master_key_rotation_began').execute();
    expect(begun).toHaveLength(2);
    for (const one of started) expect(await readKeys(one)).toBe(await readKeys(started[0] ?? one));
    await expect(start(Buffer.alloc(32, 44), NEW_KEY)).rejects.toThrow('Bring that key back');
  });

  test('is begun once: of two other keys at once, one start is refused with the way on', async () => {
    const current = Buffer.alloc(32, 43);
    const secrets = await start(current, NEW_KEY);
    await reseal(secrets);
    expect(await endRotation({ ...secrets, clock: app.ctx.clock })).toBe(true);
    const starts = await Promise.allSettled([45, 46].map((fill) => start(Buffer.alloc(32, fill), current)));
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const refused = starts.find((one) => one.status === 'rejected');
    expect(String(refused?.reason)).toContain('HES_MASTER_KEY_PREVIOUS');
  });
});
