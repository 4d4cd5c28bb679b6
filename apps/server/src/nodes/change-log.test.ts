import type { Pool } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { commitChanges, devicesChanged, noticeOf } from '#db/changes.ts';
import { loadSettings, saveSetting } from '#db/settings.ts';
import type { StoredSettings, Tx } from '#db/context.ts';
import { createBus, type LocalBus } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { ChangeLog } from './change-log.ts';
import { Listening } from './listening.ts';
import { Node } from './node.ts';

const SOON = { timeout: 5_000, interval: 10 };
/** Longer than the interval at which the log is read without a bell. */
const WITHOUT_BELL = { timeout: 16_000, interval: 50 };
const WITHOUT_BELL_TEST_MS = 30_000;

interface Member {
  node: Node;
  bus: LocalBus;
  settings: StoredSettings;
  /** Ids of changed devices: own ones with a plus sign. */
  heard: string[];
  /** Commits changes of these meters. */
  change(ids: string[], work?: (tx: Tx) => Promise<unknown>): Promise<unknown>;
  stop(): Promise<void>;
}

let database: TestDatabase;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());
const members: Member[] = [];
afterEach(async () => {
  for (const { stop } of members.splice(0)) await stop();
  await database.pool.query('delete from node');
  await database.pool.query('delete from change');
});

async function join(name: string): Promise<Member> {
  const ctx = { pool: database.pool, db: database.db, log: createLog('silent'), clock: systemClock };
  const bus = createBus();
  const changes = new ChangeLog(ctx, bus);
  await changes.open();
  const settings = await loadSettings(database.db);
  const node = new Node(ctx, { name, version: '1' });
  await node.start();
  const heard: string[] = [];
  bus.subscribe(({ message, isRemote }) => {
    if (message.type === 'device.changed') heard.push(...message.data.ids.map((id) => (isRemote ? id : `+${id}`)));
    if (message.type === 'notice') heard.push(settings.timeZone);
  });
  const listening = new Listening(ctx, node);
  changes.start(listening, settings);
  listening.start();
  const member: Member = {
    node,
    bus,
    settings,
    heard,
    change: (ids, work = () => Promise.resolve()) => commitChanges({ ...ctx, bus }, work, () => [devicesChanged('meter', ids)]),
    stop: async () => {
      await changes.stop();
      await listening.stop();
      await node.stop();
    },
  };
  members.push(member);
  return member;
}
async function pair(): Promise<[Member, Member]> {
  const [one, two] = [await join('one'), await join('two')];
  await one.node.beat();
  await vi.waitFor(async () => expect(await connections(database.pool)).toHaveLength(2), SOON);
  return [one, two];
}
const connections = async (pool: Pool) =>
  (
    await pool.query<{ pid: number }>(
      "select pid from pg_stat_activity where datname = current_database() and application_name = 'hes-nodes' and state = 'idle'",
    )
  ).rows;
/** A change by SQL, which rings no bell. */
const WITHOUT_BELL_SQL = `insert into change (origin, topic, message)
  values ('elsewhere', 'device', jsonb_build_object('type', 'device.changed', 'ts', '', 'id', '0', 'data', jsonb_build_object('kind', 'meter', 'ids', jsonb_build_array($1::text))))`;

test('a change is applied once at each node: where it was made after the commit, elsewhere by the log', async () => {
  const [one, two] = await pair();
  await one.change(['1', '2']);
  await vi.waitFor(() => expect(two.heard).toEqual(['1', '2']), { timeout: 1_000, interval: 10 });
  await two.change(['3']);
  await vi.waitFor(() => expect(one.heard).toEqual(['+1', '+2', '3']), { timeout: 1_000, interval: 10 });
  expect(two.heard).toEqual(['1', '2', '+3']);
});

test('a change whose transaction fails is announced nowhere', async () => {
  const [one, two] = await pair();
  const failed = one.change(['4'], () => Promise.reject(new Error('no')));
  await expect(failed).rejects.toThrow('no');
  await one.change(['5']);
  await vi.waitFor(() => expect(two.heard).toEqual(['5']), SOON);
  expect(one.heard).toEqual(['+5']);
});

test('a change whose transaction ends after that of a newer one is not skipped', async () => {
  const [one, two] = await pair();
  const slow = await database.pool.connect();
  await slow.query('begin');
  await slow.query(WITHOUT_BELL_SQL, ['10']);
  await one.change(['11']);
  await vi.waitFor(() => expect(two.heard).toEqual(['11']), SOON);
  await slow.query('commit');
  slow.release();
  await one.change(['12']);
  await vi.waitFor(() => expect(two.heard.toSorted()).toEqual(['10', '11', '12']), SOON);
});

test(
  'a change without a bell is found within 16 seconds',
  async () => {
    const [one, two] = await pair();
    await database.pool.query(WITHOUT_BELL_SQL, ['20']);
    await vi.waitFor(() => expect([one.heard, two.heard]).toEqual([['20'], ['20']]), WITHOUT_BELL);
  },
  WITHOUT_BELL_TEST_MS,
);

test('a change that was made while the connection was cut is applied when it is open again', async () => {
  const [one, two] = await pair();
  const broken = await connections(database.pool);
  await database.owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [broken.map(({ pid }) => pid)]);
  await one.change(['30']);
  await vi.waitFor(() => expect(two.heard).toContain('30'), SOON);
});

test('a change from before a node knew of another one is applied by it', async () => {
  const one = await join('one');
  const two = await join('two');
  await one.change(['40']);
  await two.change(['41']);
  await vi.waitFor(() => expect(two.heard).toEqual(expect.arrayContaining(['40', '+41'])), SOON);
  await one.node.beat();
  await vi.waitFor(() => expect(one.heard).toEqual(['+40', '41']), SOON);
});

test('settings are loaded before the notice that makes consoles ask for them', async () => {
  const [one, two] = await pair();
  await commitChanges(
    { db: database.db, bus: one.bus, clock: systemClock },
    (tx) => saveSetting(tx, 'timeZone', 'Asia/Shanghai'),
    () => [noticeOf('settings')],
    () => one.settings.reload(),
  );
  await vi.waitFor(() => expect([one.heard, two.heard]).toEqual([['Asia/Shanghai'], ['Asia/Shanghai']]), SOON);
});

test('rows from before a restore, whose transactions are still to come, are not applied', async () => {
  const [one, two] = await pair();
  await database.pool.query(WITHOUT_BELL_SQL, ['50']);
  await database.pool.query("update change set xid = '9000000000', at = now() - interval '1 hour'");
  await one.change(['51']);
  await vi.waitFor(() => expect(two.heard).toEqual(['51']), SOON);
});
