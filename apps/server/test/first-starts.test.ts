import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { afterEach, beforeEach, expect, inject, test, vi } from 'vitest';
import { startServer, type RunningServer } from '../src/composition/server.ts';
import { migrate } from '../src/db/migrate.ts';
import { openPool } from '../src/db/pool.ts';
import { readConfig } from '../src/platform/config.ts';
import { createLog } from '../src/platform/log.ts';
import { removeScratch, scratchFolder } from './scratch.ts';
import { TEST_MASTER_KEY } from './master-key.ts';

const HEAD_ENDS = 3;
const log = createLog('silent');
let admin: Pool;
let owner: Pool;
let url: string;
let folders: string[];

beforeEach(async () => {
  const at = inject('databaseOwnerUrl');
  const template = new URL(at).pathname;
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  admin = openPool({ connection: { url: at.replace(template, '/postgres') }, max: 1 }, log);
  await admin.query(`create database ${name}`);
  url = at.replace(template, `/${name}`);
  owner = openPool({ connection: { url }, max: 3 }, log);
  await migrate(owner);
  folders = Array.from({ length: HEAD_ENDS }, () => scratchFolder('hes-first-'));
});
afterEach(async () => {
  const { rows } = await owner.query<{ name: string }>('select current_database() as name');
  await owner.end();
  await admin.query(`drop database ${rows[0]?.name} with (force)`);
  await admin.end();
  for (const folder of folders) removeScratch(folder);
});

const start = (dataDir: string, index: number, settings: Record<string, string>) =>
  startServer(
    readConfig(
      {
        DATABASE_URL: url,
        HES_DATA_DIR: dataDir,
        HES_NODE_NAME: `first-${index}`,
        HES_PORT: '0',
        HES_DLMS_PORT: '0',
        HES_DEMO: 'off',
        ...settings,
      },
      dataDir,
    ),
    log,
    () => undefined,
  );

/** Starts the head-ends, and holds each at the table of master keys until all have come so far. */
async function startAtOnce(settings: Record<string, string>): Promise<PromiseSettledResult<RunningServer>[]> {
  const holder = await owner.connect();
  await holder.query('begin');
  await holder.query('lock table master_key');
  const starts = Promise.allSettled(folders.map((folder, index) => start(folder, index, settings)));
  const waiting = "select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await vi.waitFor(async () => expect((await owner.query(waiting)).rowCount).toBe(HEAD_ENDS), { timeout: 20_000, interval: 50 });
  await holder.query('rollback');
  holder.release();
  return starts;
}

const keysOfDatabase = async () => (await owner.query<{ state: string }>('select state from master_key')).rows;

async function stopAll(starts: readonly PromiseSettledResult<RunningServer>[]): Promise<void> {
  for (const each of starts) if (each.status === 'fulfilled') await each.value.stop();
}

test('head-ends with one key that start together on an empty database all start', async () => {
  const starts = await startAtOnce({ HES_MASTER_KEY: TEST_MASTER_KEY.toString('hex') });
  try {
    expect(starts.map((each) => (each.status === 'rejected' ? String(each.reason) : 'started'))).toEqual(
      Array<string>(HEAD_ENDS).fill('started'),
    );
    expect(await keysOfDatabase()).toEqual([{ state: 'current' }]);
  } finally {
    await stopAll(starts);
  }
}, 60_000);

test('of head-ends without a key that start together on an empty database, one makes it and the others keep none', async () => {
  const starts = await startAtOnce({});
  try {
    const refused = starts.filter((each) => each.status === 'rejected').map(({ reason }) => String(reason));
    expect(refused).toEqual(Array<string>(HEAD_ENDS - 1).fill(expect.stringContaining('Set HES_MASTER_KEY to that key') as string));
    expect(folders.filter((folder) => existsSync(join(folder, 'master.key')))).toHaveLength(1);
    expect(await keysOfDatabase()).toEqual([{ state: 'current' }]);
  } finally {
    await stopAll(starts);
  }
}, 60_000);
