import { CHANNELS } from '@hes/contract/reading/quantities.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '../../src/composition/database.ts';
import { handleKeys } from '../../src/db/handle-keys.ts';
import { createPartition } from '../../src/db/partitions.ts';
import { createTask } from '../../src/tasks/create-task.ts';
import { createLog } from '../../src/platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../database.ts';
import { pgbouncerVersion, startPooler, type Pooler, type PoolerOptions } from '../pooler.ts';
import { createBus } from '../../src/platform/bus.ts';
import { ReadingWriter } from '../../src/storage/writer.ts';
import { sampleParams } from '../sample-params.ts';
import { serverBench, type Server, type ServerBench } from './server-bench.ts';

const SOON = { timeout: 20_000, interval: 50 };
const installed = pgbouncerVersion();
const isUsable = installed !== undefined && Number(installed.split('.')[1]) >= 21;
/** Skipped by this name where PgBouncer is too old or not installed. */
const NAME = isUsable
  ? `behind PgBouncer ${installed}`
  : 'behind PgBouncer, of which no version from 1.21 on is installed (HES_TEST_PGBOUNCER)';

const QUARTER_MS = 900_000;
const MIDNIGHT = Math.floor(Date.now() / 86_400_000 - 1) * 86_400_000;
const PROFILE = {
  dcuId: '1',
  profile: 'lpa' as const,
  periodSeconds: 900,
  status: undefined,
  channels: CHANNELS.map(({ column }) => (column === 'e_plus_wh' ? Float64Array.of(1, 2, 3) : undefined)),
  readAt: Date.now(),
  source: 'meter' as const,
  traceId: undefined,
};
/** Three captures of yesterday from this quarter of an hour on. */
const stampsFrom = (quarter: number) => Float64Array.from([0, 1, 2], (slot) => MIDNIGHT + (quarter + slot + 1) * QUARTER_MS);

describe.skipIf(!isUsable)(`the addresses of a head-end ${NAME}`, () => {
  let database: TestDatabase;
  let pooler: Pooler | undefined;
  beforeAll(async () => void (database = await cloneDatabase()));
  afterEach(() => pooler?.stop());
  afterAll(() => database.drop());

  async function openThrough(options: PoolerOptions, direct?: 'itself' | 'pooler') {
    pooler = await startPooler(database.url, options);
    const databaseDirectUrl = direct === undefined ? undefined : direct === 'itself' ? database.url : pooler.url;
    const config = { databaseUrl: pooler.url, databaseOwnerUrl: database.ownerUrl, databaseDirectUrl, dataDir: '' };
    return openDatabase(config, { log: createLog('error'), clock: Date, keys: handleKeys(Buffer.alloc(32)) });
  }

  test('a pooler in transaction mode needs the direct address, and the start says so', async () => {
    await expect(openThrough({})).rejects.toThrow(/transaction mode. Set HES_DATABASE_DIRECT_URL to the address of PostgreSQL itself\.$/);
  });

  test('the direct address must not lead through a pooler', async () => {
    await expect(openThrough({}, 'pooler')).rejects.toThrow(/^HES_DATABASE_DIRECT_URL leads through a connection pooler/);
  });

  test('a pooler that keeps no prepared statements is refused', async () => {
    await expect(openThrough({ maxPreparedStatements: 0 }, 'itself')).rejects.toThrow(/max_prepared_statements = 200/);
  });

  test('a pooler in session mode needs no second address', async () => {
    const opened = await openThrough({ mode: 'session' });
    expect(opened.direct).toBe(opened.background.pool);
    await opened.stop();
  });

  test('times are those of UTC, and partitions are created once by many clients', async () => {
    const opened = await openThrough({}, 'itself');
    const { rows } = await opened.pool.query<{ zone: string }>("select current_setting('timezone') as zone");
    expect(rows).toEqual([{ zone: 'UTC' }]);
    await Promise.all(Array.from({ length: 12 }, () => createPartition(opened.pool, 'trace', '2031-05-01')));
    const made = await database.owner.query("select from pg_class where relname = 'trace_2031_05'");
    expect(made.rowCount).toBe(1);
    const held = await database.owner.query(
      "select from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())",
    );
    expect(held.rowCount).toBe(0);
    await opened.stop();
  });

  test('batches of several writers are staged and merged on whatever backend each gets', async () => {
    const opened = await openThrough({}, 'itself');
    const settings = { timeZone: 'UTC' };
    const parts = { pool: opened.pool, clock: Date, log: createLog('error'), bus: createBus(), settings };
    const writers = Array.from({ length: 6 }, () => new ReadingWriter(parts));
    for (const first of [0, 2])
      await Promise.all(
        writers.map((writer, at) => writer.storeProfile({ ...PROFILE, meterId: String(700 + at), stamps: stampsFrom(first) }, true)),
      );
    const { rows } = await opened.pool.query(
      'select meter_id::int as meter, sum(present)::int as n from reading_profile where meter_id between 700 and 720 group by 1 order by 1',
    );
    expect(rows).toEqual(writers.map((_, at) => ({ meter: 700 + at, n: 5 })));
    await Promise.all(writers.map((writer) => writer.stop()));
    await opened.stop();
  });
});

describe.skipIf(!isUsable)(`two head-ends ${NAME}`, () => {
  let bench: ServerBench;
  let pooler: Pooler;
  let servers: Server[];
  beforeAll(async () => {
    bench = await serverBench();
    pooler = await startPooler(bench.database.url);
    const env = { DATABASE_URL: pooler.url, HES_DATABASE_DIRECT_URL: bench.database.url };
    servers = [await bench.server('pooled-1', env), await bench.server('pooled-2', env)];
  }, 120_000);
  afterAll(async () => {
    await bench.close();
    await pooler.stop();
  });

  test('orders of one reach the devices of the other, and readings of many meters are stored', async () => {
    const [first, second] = servers as [Server, Server]; // as: made before the first test
    const { dcuId, meters, meterIds } = await bench.register('POOLED01', 40);
    first.dial('POOLED01', meters);
    await vi.waitFor(async () => {
      const { rows } = await bench.database.pool.query('select online_status from endpoint where id = $1', [dcuId]);
      expect(rows).toEqual([{ online_status: 'online' }]);
    }, SOON);
    const user = await bench.app.addUser({ roles: ['ADMIN'] });
    const console = await second.console(user);
    await console.follow('dcu', 'reading');
    const items = meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId }));
    const base = { source: 'user' as const, priority: 3, createdBy: null, items };
    const { id } = await createTask(bench.app.ctx.db, {
      ...base,
      kind: 'registers',
      title: 'registers',
      params: sampleParams('registers'),
    });
    const stateOf = 'select state, count(*)::int as n from task_item where task_id = $1 group by state';
    await vi.waitFor(async () => {
      const { rows } = await bench.database.pool.query(stateOf, [id]);
      expect(rows).toEqual([{ state: 'read_success', n: meterIds.length }]);
    }, SOON);
    const latest = await bench.database.pool.query('select from meter_latest where meter_id = any($1)', [meterIds]);
    expect(latest.rowCount).toBe(meterIds.length);
  }, 60_000);

  test('each listens and holds its lock at PostgreSQL itself', async () => {
    const { rows } = await bench.database.owner.query<{ name: string; n: number }>(
      `select application_name as name, count(*)::int as n from pg_stat_activity a
       where datname = current_database() and exists (select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory') group by 1`,
    );
    expect(rows).toEqual([{ name: 'hes', n: servers.length }]);
  });
});
