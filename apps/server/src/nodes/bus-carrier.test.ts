import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createBus, EVERYONE, type Carrier, type LocalBus, type LossyMessage } from '#platform/bus.ts';
import { systemClock } from '#platform/clock.ts';
import type { BusServers } from '#platform/config.ts';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { NATS_PASSWORD, NATS_USER, natsTitle, natsVersion, startNats, type Nats } from '../../test/nats.ts';
import { BusCarrier } from './bus-carrier.ts';
import { Listening } from './listening.ts';
import { NatsCarrier } from './nats-carrier.ts';
import { NatsLink } from './nats-link.ts';
import { Node } from './node.ts';

const SOON = { timeout: 10_000, interval: 10 };
const installed = natsVersion();

interface Member {
  node: Node;
  bus: LocalBus;
  /** Topic and serial number of the messages of other nodes. */
  heard: string[];
  /** Connection to the bus, if NATS carries it. */
  link: NatsLink | undefined;
  stop(): Promise<void>;
}

/** How the messages of a member travel. */
interface Way {
  carrier: Carrier & { start(): void };
  link?: NatsLink;
  begin(): void;
  stop(): Promise<void>;
}

let database: TestDatabase;
let nats: Nats | undefined;
beforeAll(async () => {
  database = await cloneDatabase();
  if (installed !== undefined) nats = await startNats();
});
afterAll(async () => {
  await nats?.stop();
  await database.drop();
});
const members: Member[] = [];
/** Names of the members that sent `missed` to their consoles. */
const misses: string[] = [];
afterEach(async () => {
  for (const { stop } of members.splice(0)) await stop();
  await database.pool.query('delete from node');
});
const ctx = () => ({ pool: database.pool, log: createLog('silent'), clock: systemClock });
const serversOf = ({ hostAndPort, ca }: Nats): BusServers => ({
  servers: [hostAndPort],
  user: NATS_USER,
  password: NATS_PASSWORD,
  tls: { ca },
});

function byNotify(bus: LocalBus, node: Node): Way {
  const listening = new Listening(ctx(), node);
  const carrier = new BusCarrier(ctx(), { bus, node, listening });
  return {
    carrier,
    begin: () => listening.start(),
    async stop() {
      await carrier.stop();
      await listening.stop();
    },
  };
}
function byNats(bus: LocalBus, node: Node): Way {
  if (nats === undefined) throw new Error('There is no server');
  const link = new NatsLink(serversOf(nats), node.name, createLog('silent'));
  const carrier = new NatsCarrier(ctx(), { bus, node, link, prefix: 'hes-test' });
  return {
    carrier,
    link,
    begin: () => undefined,
    async stop() {
      await carrier.stop();
      await link.stop();
    },
  };
}

async function join(name: string, wayOf: typeof byNotify): Promise<Member> {
  const node = new Node(ctx(), { name, version: '1' });
  const bus = createBus();
  const way = wayOf(bus, node);
  const heard: string[] = [];
  bus.subscribe(({ topic, message, isRemote }) => {
    if (isRemote && message.type === 'dcu.status') heard.push(`${topic} ${message.data.sn.slice(0, 8)}`);
    if (isRemote && message.type === 'session.revoked') heard.push('revoked');
    if (topic === EVERYONE && message.type === 'missed') misses.push(name);
  });
  await node.start();
  way.carrier.start();
  way.begin();
  const stop = async () => {
    await way.stop();
    await node.stop();
  };
  const member = { node, bus, heard, link: way.link, stop };
  members.push(member);
  return member;
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
const breakConnections = async () => {
  const broken = await connections();
  await database.owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [broken.map(({ pid }) => pid)]);
};
const restartNats = async () => {
  await nats?.kill();
  await vi.waitFor(() => expect(members.map(({ link }) => link?.connection)).toEqual([undefined, undefined]), SOON);
  await nats?.restart();
};

const BY_NATS = { title: natsTitle(installed), wayOf: byNats, breakAll: restartNats };
/** The same suite over both; that of NATS where it is installed. */
const WAYS = [{ title: 'NOTIFY', wayOf: byNotify, breakAll: breakConnections }, ...(installed === undefined ? [] : [BY_NATS])];

describe.each(WAYS)('by $title', ({ wayOf, breakAll }) => {
  /** Two nodes that know of each other. */
  async function pair(): Promise<[Member, Member]> {
    const [one, two] = [await join('one', wayOf), await join('two', wayOf)];
    await one.node.beat();
    return [one, two];
  }

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

  test('messages of a topic keep their order, short and long ones', async () => {
    const [one, two] = await pair();
    two.bus.follow('task:7 *.>');
    await isKnown('task:7 *.>', one);
    const numbers = Array.from({ length: 40 }, (_, index) => String(index).padStart(8, '0'));
    for (const [index, number] of numbers.entries()) {
      one.bus.publish('task:7 *.>', status(number + (index % 10 === 3 ? '€'.repeat(20_000) : '')));
      one.bus.publish('other', status('unwanted'));
      if (index % 4 === 0) await new Promise((resolve) => setTimeout(resolve, 60));
    }
    await vi.waitFor(() => expect(two.heard).toHaveLength(numbers.length), SOON);
    expect(two.heard).toEqual(numbers.map((number) => `task:7 *.> ${number}`));
    expect(one.heard).toEqual([]);
  });

  test('nodes whose connections broke hear each other again', async () => {
    const [one, two] = await pair();
    two.bus.follow('dcu');
    await isKnown('dcu', one);
    const missed = misses.length;
    await breakAll();
    await vi.waitFor(async () => {
      one.bus.publish('dcu', status('00000002'));
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(two.heard).toContain('dcu 00000002');
    }, SOON);
    // Each node sends `missed` to its own consoles.
    await vi.waitFor(() => expect(misses.slice(missed).toSorted()).toEqual(['one', 'two']), SOON);
    // Topics that were followed meanwhile are known as well.
    two.bus.follow('event');
    await isKnown('event', one);
  }, 20_000);

  test('the topics of a node are forgotten with the last other node', async () => {
    const [one, two] = await pair();
    two.bus.follow('dcu');
    await isKnown('dcu', one);
    members.pop();
    await two.stop();
    await one.node.beat();
    expect(one.bus.isFollowed('dcu')).toBe(false);
    await vi.waitFor(async () => expect(await connections()).toEqual([]), SOON);
  });
});

test('of NOTIFY, rows of long messages are deleted after a minute', async () => {
  const [one, two] = [await join('one', byNotify), await join('two', byNotify)];
  await one.node.beat();
  two.bus.follow('dcu');
  await isKnown('dcu', one);
  await database.pool.query("insert into bus_message (sent_at, payload) values (now() - interval '2 minutes', 'old')");
  one.bus.publish('dcu', status('00000001' + 'x'.repeat(10_000)));
  await vi.waitFor(() => expect(two.heard).toHaveLength(1), SOON);
  expect((await database.pool.query("select from bus_message where payload = 'old'")).rowCount).toBe(0);
});

describe.skipIf(installed === undefined)(`of ${natsTitle(installed)}`, () => {
  test('messages reach only the nodes that follow their topic, and no client of the server can end a session', async () => {
    const [one, two] = [await join('one', byNats), await join('two', byNats)];
    two.bus.follow('dcu');
    await isKnown('dcu', one);
    const subject = (topic: string) => `hes-test.topic.${Buffer.from(topic).toString('base64url')}`;
    const forged = { type: 'session.revoked', ts: '', id: '0', data: { reason: 'admin' } };
    two.bus.follow('session:x');
    await isKnown('session:x', one);
    one.link?.connection?.publish(subject('session:x'), JSON.stringify(forged));
    one.link?.connection?.publish(subject('dcu'), 'no JSON');
    one.bus.publish('dcu', status('00000003'));
    await vi.waitFor(() => expect(two.heard).toEqual(['dcu 00000003']), SOON);
    expect(two.link?.connection?.stats().inMsgs).toBeLessThan(10);
  });

  test('a wrong password is logged once, and does not stop a node', async () => {
    if (nats === undefined) throw new Error('There is no server');
    const lines: string[] = [];
    const link = new NatsLink(
      { ...serversOf(nats), password: 'wrong' },
      'wrong',
      createLog('warn', (line) => lines.push(line)),
    );
    await vi.waitFor(() => expect(lines.join()).toMatch(/Authorization.*not reached and is tried again/), SOON);
    expect(await link.settle()).toBe(false);
    expect(lines).toHaveLength(1);
    await link.stop();
  });

  test('a server whose certificate is unknown is refused', async () => {
    if (nats === undefined) throw new Error('There is no server');
    const lines: string[] = [];
    const link = new NatsLink(
      { ...serversOf(nats), tls: { ca: undefined } },
      'strict',
      createLog('warn', (line) => lines.push(line)),
    );
    await vi.waitFor(() => expect(lines.join()).toMatch(/self-signed certificate/), SOON);
    await link.stop();
  });
});
