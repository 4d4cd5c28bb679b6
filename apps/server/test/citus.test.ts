import { CHANNELS, DAILY_REGISTERS } from '@hes/contract/reading/quantities.ts';
import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { distributeTables } from '../src/db/citus.ts';
import { createPartition } from '../src/db/partitions.ts';
import { deleteExpiredRows } from '../src/db/retention.ts';
import { computeDay } from '../src/features/balance/day/compute-queries.ts';
import { createBus } from '../src/platform/bus.ts';
import { createLog } from '../src/platform/log.ts';
import { scanGaps } from '../src/storage/gaps.ts';
import { ReadingWriter } from '../src/storage/writer.ts';
import { citusPrograms, startCitus, type CitusCluster } from './citus-cluster.ts';
import { everyGet } from './contract-walk.ts';
import { copyRows } from './copy-database.ts';
import { fieldBench, type Bench } from './field/field-bench.ts';
import { openPrepared } from './installed-postgres.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

const DAY_MS = 86_400_000;
const QUARTER_MS = 900_000;
const TODAY = Math.floor(Date.now() / DAY_MS);
const ZONE = 'Asia/Shanghai';
const METERS = 12;
const LIMITS = {
  suddenIncreaseFactor: 3,
  suddenDecreaseFactor: 0.2,
  suddenMinimumKwh: 5,
  reverseMinimumKwh: 0.5,
  upperLimitFactor: 1,
  lowerLimitDays: 7,
};
/** The proof asks each route with each of its options, which takes longer than all other tests of this file. */
const HAS_OPTIONS = process.env['HES_TEST_CITUS_OPTIONS'] === 'on';
const log = createLog('error');
const programs = citusPrograms();
/** Skipped by this name where no PostgreSQL with Citus is installed. */
const NAME = programs === undefined ? 'on Citus, which no installed PostgreSQL has (HES_TEST_POSTGRES_BIN)' : `on Citus of ${programs}`;

const day = (back: number) => new Date((TODAY - back) * DAY_MS).toISOString().slice(0, 10);

/**
 * Stores a day of quarter hours and three freezes of each meter twice, then with another value. The last meter lacks its newest freeze.
 * Returns how many freezes the storage has counted as new each time.
 */
async function storeReadings(writer: ReadingWriter, { dcuId, meterIds }: { dcuId: string; meterIds: string[] }): Promise<number[]> {
  const counted: number[] = [];
  const base = { dcuId, readAt: Date.now(), source: 'meter' as const, traceId: undefined };
  const stamps = Float64Array.from({ length: 96 }, (_, slot) => (TODAY - 2) * DAY_MS + slot * QUARTER_MS);
  for (const [pass, added] of [0, 0, 7].entries()) {
    const readings = meterIds.flatMap((meterId, k) => {
      const values = Float64Array.from(stamps, (_, slot) => 1000 * (k + 1) + slot + (slot === 3 ? added : 0));
      const channels = CHANNELS.map(({ column }) => (['p_avg_plus_w', 'u1_mv', 'i1_ma'].includes(column) ? values : undefined));
      return (['lpa', 'lpb'] as const).map((profile) => ({
        ...base,
        meterId,
        profile,
        periodSeconds: 900,
        stamps,
        status: undefined,
        channels,
      }));
    });
    await Promise.all(readings.map((reading) => writer.storeProfile(reading)));
    const freezes = meterIds.flatMap((meterId, k) =>
      (k === meterIds.length - 1 ? [4, 3] : [4, 3, 2]).map((back) => ({
        ...base,
        meterId,
        freezeDay: TODAY - back,
        registers: DAILY_REGISTERS.map(() => 10_000 * (1000 * (k + 1) - 5 * back + (pass === 2 && back === 4 ? 1 : 0))),
        statusWord: 0,
        deviceTime: undefined,
      })),
    );
    counted.push((await writer.storeDaily(freezes)).fresh);
  }
  return counted;
}

/** Instants after this one are of answers and computations, and differ. */
const BEGAN_AT = Date.now() - 60_000;
/** Ids of calls, durations up to now, cursors and hashes that contain instants. */
const PASSING = /^(?:traceId|nonce|next|lastHash|updatedAt|uptimeS|\w+Seconds)$/;

/** An answer without what differs from call to call, and without the order of the names of an object. */
function steady(body: string): string {
  if (body.startsWith('%PDF')) return 'a printed page, which says when it was printed';
  const named = (value: unknown): unknown =>
    value instanceof Object && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => a.localeCompare(b)))
      : value;
  const json =
    /^[[{]/.test(body) && !body.includes('}\n{')
      ? JSON.stringify(JSON.parse(body), (name, value) => (PASSING.test(name) ? '' : named(value)))
      : body;
  return json.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)/g, (at) =>
    Date.parse(at) >= BEGAN_AT ? 'now' : at,
  );
}

describe.skipIf(programs === undefined)(`readings ${NAME}`, () => {
  let cluster: CitusCluster;
  let distributed: Awaited<ReturnType<typeof openPrepared>>;
  let bench: Bench;
  let plain: TestApp;
  let app: TestApp;
  let user: TestUser;
  let placed: { dcuId: string; meterIds: string[]; fresh: number[] };
  let ids: Record<string, string>;
  const closing: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    cluster = await startCitus(2);
    closing.push(() => cluster.stop());
    await cluster.create('hes');
    distributed = await openPrepared(cluster.ownerUrl('hes'));
    const { owner, pool } = distributed.database;
    closing.push(() => distributed.database.drop());
    await owner.query('update setting set value = to_jsonb($1::text) where key = $2', [ZONE, 'timeZone']);
    bench = await fieldBench(distributed.database);
    closing.push(() => bench.close());
    placed = await collect();
    await owner.query("update meter set created_at = '2026-01-01', is_master = id = $1", [placed.meterIds[0]]);
    await scan(pool, 'lpa');
    await scan(pool, 'daily');
    app = await testApp({ database: distributed.database });
    closing.push(() => app.close());
    user = await app.addUser({ roles: ['ADMIN'] });
    plain = await testApp();
    closing.push(() => plain.close());
    await copyRows(owner, plain.owner);
    await plain.ctx.settings.reload();
    await Promise.all([app, plain].map(compute));
    const { rows } = await pool.query<Record<string, string>>(
      `select (select id from trace order by id limit 1)::text as trace, (select max(id) from task where kind = 'registers')::text as task,
         (select id from transformer where code = 'TINY')::text as transformer, (select id from bill_period limit 1)::text as bill`,
    );
    ids = { meter: placed.meterIds[3] ?? '', dcu: placed.dcuId, user: user.id, ...rows[0] };
  }, 300_000);
  afterAll(async () => {
    for (const close of closing.toReversed()) await close();
  }, 60_000);

  async function collect() {
    const { dcuId, meters, meterIds } = await bench.register('CITUS01', METERS);
    const headEnd = await bench.headEnd();
    headEnd.dial('CITUS01', meters);
    const items = meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId }));
    const { ended } = await headEnd.order({ kind: 'registers', items });
    expect((await ended).map(({ state }) => state)).toEqual(meterIds.map(() => 'read_success'));
    const parts = { pool: distributed.database.pool, clock: Date, log, bus: createBus(), settings: { timeZone: ZONE } };
    const writer = new ReadingWriter(parts);
    const fresh = await storeReadings(writer, { dcuId, meterIds });
    await writer.stop();
    await headEnd.stop();
    return { dcuId, meterIds, fresh };
  }

  const scan = (pool: Pool, profile: 'lpa' | 'daily') =>
    scanGaps(pool, {
      profile,
      from: (TODAY - 4) * DAY_MS,
      to: (TODAY - 1) * DAY_MS - QUARTER_MS,
      timeZone: ZONE,
      now: TODAY * DAY_MS,
      condition: 'm.id = any($6::bigint[])',
      ids: placed.meterIds,
    });

  /** Balance and anomalies of a day, and a bill, by the statements and the job of the product. */
  async function compute(one: TestApp): Promise<void> {
    const { rows } = await one.ctx.pool.query<{ id: string }>('select id from transformer');
    await computeDay(one.ctx.db, { day: day(3), transformers: rows.map(({ id }) => id), zone: ZONE, limits: LIMITS });
    const payload = { kind: 'custom', from: day(4), to: day(3) };
    const answer = await one.call(user, { method: 'POST', url: '/api/analysis/bill/calculate', payload });
    const { taskId } = answer.json<{ taskId: string }>();
    await vi.waitFor(
      async () =>
        expect((await one.ctx.pool.query('select state from task where id = $1', [taskId])).rows).toEqual([{ state: 'finished' }]),
      { timeout: 20_000, interval: 50 },
    );
  }

  function wordOf(name: string, path: string): string | undefined {
    if (name === 'id' || name.endsWith('Id')) {
      const kind = name === 'id' ? path : name;
      const known = ['trace', 'task', 'transformer', 'dcu', 'bill', 'meter', 'user'].find((one) =>
        RegExp(`^${one}(?!-type|Type)|/${one}/`).test(kind),
      );
      return ids[known ?? ''] ?? '1';
    }
    const words: Record<string, string> = {
      from: day(4),
      to: day(2),
      date: day(3),
      day: day(3),
      node: `transformer:${ids['transformer']}`,
      root: `transformer:${ids['transformer']}`,
      search: 'TINY',
      profile: 'lpa',
      key: 'signal',
      set: 'signal',
      wait: '0',
      since: `${day(5)}T00:00:00Z`,
    };
    return words[name];
  }

  async function answersOf(one: TestApp): Promise<Map<string, string>> {
    const answers = new Map<string, string>();
    for (const url of everyGet({ wordOf, hasOptions: HAS_OPTIONS })) {
      const { statusCode, body } = await one.call(user, { url });
      if (statusCode !== 400) answers.set(url, `${statusCode} ${steady(body)}`);
    }
    return answers;
  }
  const both = async (ask: (pool: Pool) => Promise<unknown>) => [await ask(distributed.database.pool), await ask(plain.ctx.pool)];

  test('are on the workers, and a head-end that starts later changes nothing', async () => {
    const { rows } = await distributed.database.owner.query<{ table: string; nodes: number }>(
      `select table_name::text as table, count(distinct nodeport)::int as nodes from citus_shards
       where table_name::text in ('meter_latest', 'reading_daily', 'reading_instant', 'reading_profile', 'trace') group by 1 order by 1`,
    );
    expect(rows).toEqual(
      ['meter_latest', 'reading_daily', 'reading_instant', 'reading_profile', 'trace'].map((table) => ({ table, nodes: 2 })),
    );
    expect(await distributeTables(distributed.database.owner, 'auto', log)).toEqual([]);
    await expect(distributeTables(distributed.database.owner, 'off', log)).rejects.toThrow(/Set HES_CITUS=auto\.$/);
  });

  test('are counted and corrected as on PostgreSQL', async () => {
    // Citus runs the parts of a merge one after another: where it reads the state before too late, new freezes are counted as known.
    expect(placed.fresh).toEqual([3 * METERS - 1, 0, 0]);
    const counted = `select profile, sum(n)::int as got from arrival_day, unnest(got) as n where dcu_id = $1 group by 1 order by 1`;
    const { rows } = await distributed.database.pool.query(counted, [placed.dcuId]);
    expect(rows).toEqual([
      { profile: 'daily', got: 3 * METERS - 1 },
      { profile: 'lpa', got: 96 * METERS },
      { profile: 'lpb', got: 96 * METERS },
    ]);
    const corrected = 'select profile, count(*)::int as n from reading_correction group by 1 order by 1';
    expect((await distributed.database.pool.query(corrected)).rows).toEqual([
      { profile: 'daily', n: DAILY_REGISTERS.length * METERS },
      { profile: 'lpa', n: 3 * METERS },
      { profile: 'lpb', n: 3 * METERS },
    ]);
  });

  test('a part of a merge that is used once sees the state before only if it is materialized', async () => {
    const countFresh = async (pool: Pool, how: string): Promise<number | undefined> => {
      const client = await pool.connect();
      try {
        await client.query('begin');
        await client.query('create temp table staged (meter_id bigint, freeze_date date) on commit drop');
        await client.query('insert into staged select unnest($1::bigint[]), $2::date', [placed.meterIds, day(0)]);
        const { rows } = await client.query<{ fresh: number }>(`
          with old as ${how} (select s.meter_id, s.freeze_date from staged s join reading_daily t using (meter_id, freeze_date)),
          stored as (
            insert into reading_daily as t (meter_id, freeze_date, read_at, source, quality)
            select meter_id, freeze_date, now(), 'meter', 'read' from staged order by meter_id
            on conflict (meter_id, freeze_date) do update set read_at = excluded.read_at returning meter_id, freeze_date)
          select count(*)::int as fresh from stored join staged using (meter_id, freeze_date)
          left join old using (meter_id, freeze_date) where old.meter_id is null`);
        return rows[0]?.fresh;
      } finally {
        await client.query('rollback');
        client.release();
      }
    };
    const counts = (how: string) => both((pool) => countFresh(pool, how));
    expect(await counts('materialized')).toEqual([METERS, METERS]);
    // The silent difference: no error, and no fresh row. The former merge of freezes had this form.
    expect(await counts('')).toEqual([0, METERS]);
  });

  test(`every GET route answers as on PostgreSQL${HAS_OPTIONS ? ', with each of its options' : ''}`, async () => {
    const [here, there] = await Promise.all([answersOf(app), answersOf(plain)]);
    const differing = [...there].filter(([url, answer]) => here.get(url) !== answer);
    const difference = differing.map(
      ([url, answer]) => `${url}\n  PostgreSQL ${answer.slice(0, 900)}\n  Citus ${here.get(url)?.slice(0, 900)}`,
    );
    expect(
      differing.map(([url]) => url),
      difference.join('\n'),
    ).toEqual([]);
    expect([...here.keys()].filter((url) => !there.has(url))).toEqual([]);
    expect([...here].filter(([, answer]) => answer.startsWith('5'))).toEqual([]);
    expect([...here.values()].filter((answer) => answer.startsWith('200')).length).toBeGreaterThan(HAS_OPTIONS ? 500 : 100);
  }, 240_000);

  test('give the same gaps', async () => {
    const [gaps, expected] = await both(async (pool) => {
      await pool.query('delete from reading_gap');
      await scan(pool, 'lpa');
      await scan(pool, 'daily');
      return (await pool.query('select meter_id, profile, day, missing, from_at, to_at, state from reading_gap order by 1, 2, 3')).rows;
    });
    expect(gaps).not.toEqual([]);
    expect(gaps).toEqual(expected);
  });

  test('months are added and dropped on the workers', async () => {
    for (const table of ['reading_daily', 'reading_profile', 'trace'] as const)
      await createPartition(distributed.database.pool, table, '2001-01-01');
    const { months } = await deleteExpiredRows(distributed.database.pool, Date.now());
    expect(months).toEqual(expect.arrayContaining(['reading_daily_2001_01', 'reading_profile_2001_01', 'trace_2001_01']));
  });

  test('Citus refused no statement', () => expect(cluster.refused()).toEqual([]));
});
