import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { createBus } from '../platform/bus.ts';
import { createLog } from '../platform/log.ts';
import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import type { ProfileReading } from './day-rows.ts';
import { ReadingWriter } from './writer.ts';

/** An old date whose partition does not exist before this test. */
const MIDNIGHT = Date.UTC(2021, 4, 5);
const SLOTS = 96;
const METERS = 200;
const FILLER_OCTETS = 16 * 1_048_576;

const folder = mkdtempSync(join(tmpdir(), 'hes-small-'));
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', folder]).status === 0;

let database: TestDatabase;
let space: string;
beforeAll(async () => {
  database = await cloneDatabase();
  if (!isMounted) return;
  const { rows } = await database.owner.query<{ cluster: string; name: string }>(
    "select current_setting('data_directory') as cluster, current_database() as name",
  );
  const { uid, gid } = statSync(rows[0]?.cluster ?? '');
  chownSync(folder, uid, gid);
  space = `small_${rows[0]?.name}`;
  await database.owner.query(`create tablespace ${space} location '${folder}'`);
  await database.owner.query(`alter table reading_profile set tablespace ${space}`);
});
afterAll(async () => {
  if (isMounted) {
    await database.owner.query('drop table reading_profile cascade');
    await database.owner.query(`drop tablespace ${space}`);
    spawnSync('umount', [folder]);
  }
  await database.drop();
  rmSync(folder, { recursive: true });
});

const dayOf = (meter: number): ProfileReading => ({
  meterId: String(meter),
  dcuId: '1',
  profile: 'lpa',
  periodSeconds: 900,
  stamps: Float64Array.from({ length: SLOTS }, (_, slot) => MIDNIGHT + slot * 900_000),
  status: undefined,
  channels: CHANNELS.map((_, channel) => Float64Array.from({ length: SLOTS }, (_slot, slot) => meter * 9973 + channel * 331 + slot * 17)),
  readAt: Date.now(),
  source: 'meter',
  traceId: undefined,
});

// Mounting the small disk requires root.
test.skipIf(!isMounted)(
  'F36: readings wait while the disk is full, reads still work, and all readings are stored after space is freed',
  async () => {
    const { pool } = database;
    const { promise: isFull, resolve: reportFull } = Promise.withResolvers<string>();
    const log = createLog('error', (line) => reportFull((JSON.parse(line) as { message: string }).message)); // as: a line of the log
    const settings = { timeZone: 'UTC' } as const;
    const writer = new ReadingWriter({ pool, clock: { now: () => Date.now() }, log, bus: createBus(), settings });
    const count = async () => (await pool.query<{ days: number }>('select count(*)::int as days from reading_profile')).rows[0]?.days;
    await writer.storeProfile(dayOf(1), true);
    const filler = join(folder, 'filler');
    expect(() => writeFileSync(filler, Buffer.alloc(FILLER_OCTETS))).toThrow('ENOSPC');

    const stored = Promise.all(Array.from({ length: METERS }, (_, index) => writer.storeProfile(dayOf(index + 2), true)));
    expect(await isFull).toBe('The disk is full: readings wait for free space');
    expect(await count()).toBe(1);
    rmSync(filler);
    await stored;
    expect(await count()).toBe(METERS + 1);
    await writer.stop();
  },
);
