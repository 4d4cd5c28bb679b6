import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createBus, type LocalBus, type LossyMessage } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { BusCarrier } from './bus-carrier.ts';
import { Listening } from './listening.ts';
import { Node } from './node.ts';

const SOON = { timeout: 10_000, interval: 10 };

interface Member {
  node: Node;
  bus: LocalBus;
  /** Topic and serial number of the messages of other nodes. */
  heard: string[];
  stop(): Promise<void>;
}

let database: TestDatabase;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());
const members: Member[] = [];
afterEach(async () => {
  for (const { stop } of members.splice(0)) await stop();
  await database.pool.query('delete from node');
});

async function join(name: string): Promise<Member> {
  const ctx = { pool: database.pool, log: createLog('silent'), clock: systemClock };
  const node = new Node(ctx, { name, version: '1' });
  const bus = createBus();
  const listening = new Listening(ctx, node);
  const carrier = new BusCarrier(ctx, { bus, node, listening });
  const heard: string[] = [];
  bus.subscribe(({ topic, message, isRemote }) => {
    if (isRemote && message.type === 'dcu.status') heard.push(`${topic} ${message.data.sn.slice(0, 8)}`);
  });
  await node.start();
  carrier.start();
  listening.start();
  const member = {
    node,
    bus,
    heard,
    stop: async () => {
      await carrier.stop();
      await listening.stop();
      await node.stop();
    },
  };
  members.push(member);
  return member;
}
/** Two nodes that know of each other. */
async function pair(): Promise<[Member, Member]> {
  const [one, two] = [await join('one'), await join('two')];
  await one.node.beat();
  return [one, two];
}
const status = (sn: string): LossyMessage => ({
  type: 'dcu.status',
  ts: '',
  id: '1',
  data: { sn, onlineStatus: 'online', lastCommAt: null },
});
const isKnown = (topic: string, { bus }: Member) => vi.waitFor(() => expect(bus.isFollowed(topic)).toBe(true), SOON);
const connections = async () =>
  (await database.pool.query("select pid from pg_stat_activity where datname = current_database() and application_name = 'hes-nodes'"))
    .rows;

test('a topic is followed as long as any node follows it', async () => {
  const [one, two] = await pair();
  expect(one.bus.isFollowed('dcu')).toBe(false);
  const ends = [two.bus.follow('dcu'), two.bus.follow('dcu')];
  await isKnown('dcu', one);
  ends[0]?.();
  ends[0]?.();
  expect(two.bus.isFollowed('dcu')).toBe(true);
  ends[1]?.();
  await vi.waitFor(() => expect(one.bus.isFollowed('dcu')).toBe(false), SOON);
});

test('messages of a topic keep their order, also those that are too long for a notification', async () => {
  const [one, two] = await pair();
  two.bus.follow('dcu');
  await isKnown('dcu', one);
  const numbers = Array.from({ length: 40 }, (_, index) => String(index).padStart(8, '0'));
  for (const [index, number] of numbers.entries()) {
    one.bus.publish('dcu', status(number + (index % 10 === 3 ? '€'.repeat(20_000) : '')));
    one.bus.publish('other', status('unwanted'));
    if (index % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await vi.waitFor(() => expect(two.heard).toHaveLength(numbers.length), SOON);
  expect(two.heard).toEqual(numbers.map((number) => `dcu ${number}`));
  expect(one.heard).toEqual([]);
});

test('rows of long messages are deleted after a minute', async () => {
  const [one, two] = await pair();
  two.bus.follow('dcu');
  await isKnown('dcu', one);
  await database.pool.query("insert into bus_message (sent_at, payload) values (now() - interval '2 minutes', 'old')");
  one.bus.publish('dcu', status('00000001' + 'x'.repeat(10_000)));
  await vi.waitFor(() => expect(two.heard).toHaveLength(1), SOON);
  expect((await database.pool.query("select from bus_message where payload = 'old'")).rowCount).toBe(0);
});

test('a node whose connection broke hears the others again, and they hear it', async () => {
  const [one, two] = await pair();
  two.bus.follow('dcu');
  await isKnown('dcu', one);
  const broken = await connections();
  await database.owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [broken.map(({ pid }) => pid)]);
  await vi.waitFor(async () => {
    one.bus.publish('dcu', status('00000002'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(two.heard).toContain('dcu 00000002');
  }, SOON);
});

test('the connections end with the last other node, and its topics are forgotten', async () => {
  const [one, two] = await pair();
  two.bus.follow('dcu');
  await isKnown('dcu', one);
  members.pop();
  await two.stop();
  await one.node.beat();
  expect(one.bus.isFollowed('dcu')).toBe(false);
  await vi.waitFor(async () => expect(await connections()).toEqual([]), SOON);
});
