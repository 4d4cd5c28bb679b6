import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Admin, Consumer, ListOffsetTimestamps, stringDeserializers } from '@platformatic/kafka';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { CloudEvent } from '../../src/features/deliveries/senders/cloud-events.ts';
import { clientOf } from '../../src/features/deliveries/senders/kinds/client-certificate.ts';
import { inRequests, recordOf } from '../../src/features/deliveries/senders/kinds/kafka/sender.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { freePort } from '../peer.ts';
import { SenderBench, until } from '../sender-bench.ts';
import { KAFKA_PASSWORD, KAFKA_USER, KafkaBroker, kafkaClassPath } from './kafka-broker.ts';

const certificate = (name: string): string => readFileSync(join(import.meta.dirname, 'certificates', name), 'utf8');
const PARTITIONS = 3;

test('an item is a record with the attributes of the event as headers and the meter as key', () => {
  const event: CloudEvent = {
    specversion: '1.0',
    id: '17',
    source: '/api/v1/feed/assets',
    type: 'org.hes.asset.changed',
    time: '2026-11-28T00:00:00.000Z',
    subject: 'MN0001',
    datacontenttype: 'application/json',
    data: {},
  };
  expect(recordOf('hes.{kind}', 'assets', event)).toEqual({
    topic: 'hes.assets',
    key: Buffer.from('MN0001'),
    value: Buffer.from('{}'),
    headers: {
      'content-type': 'application/json',
      ce_specversion: '1.0',
      ce_id: '17',
      ce_source: '/api/v1/feed/assets',
      ce_type: 'org.hes.asset.changed',
      ce_time: '2026-11-28T00:00:00.000Z',
      ce_subject: 'MN0001',
    },
  });
});

test('records are sent in parts that a broker takes, in their order, and one that is too large goes alone', () => {
  const records = [40, 40, 40, 150, 10, 20].map((octets) => ({ topic: 't', value: Buffer.alloc(octets) }));
  const sizes = inRequests(records, 100).map((part) => part.map(({ value }) => value?.length));
  expect(sizes).toEqual([[40, 40], [40], [150], [10, 20]]);
  expect(inRequests([], 100)).toEqual([]);
});

test('a client certificate is shown with its own key alone, and by TLS alone', () => {
  const settings = { clientCertificate: certificate('client.crt'), isEncrypted: true };
  const clientKey = certificate('client.key');
  expect(clientOf(settings, { clientKey })).toEqual({ cert: settings.clientCertificate, key: clientKey });
  expect(clientOf({ ...settings, isEncrypted: false }, { clientKey })).toBeUndefined();
  expect(clientOf({ ...settings, clientCertificate: '' }, { clientKey })).toBeUndefined();
  expect(() => clientOf(settings, { clientKey: '' })).toThrow('has no key');
  expect(() => clientOf(settings, { clientKey: certificate('broker.key') })).toThrow('cannot be used');
});

interface Stored {
  topic: string;
  partition: number;
  key: string;
  id: string | undefined;
  revision: number;
}

// Named by what is missing, so that the list of skipped tests says so.
describe.skipIf(kafkaClassPath === undefined)('senders to Apache Kafka, which needs a JDK and Maven', { timeout: 90_000 }, () => {
  let bench: SenderBench;
  let broker: KafkaBroker;
  let folder: string;

  const client = () => ({ clientId: 'test', bootstrapBrokers: [`127.0.0.1:${broker.ports.plain}`] });
  async function addTopics(topics: string[], configs: { name: string; value: string }[] = []): Promise<void> {
    const admin = new Admin(client());
    try {
      await admin.createTopics({ topics, partitions: PARTITIONS, replicas: 1, configs });
    } finally {
      await admin.close();
    }
  }
  /** As many records of a topic as are expected, in the order of each partition. */
  async function read(topic: string, count: number): Promise<Stored[]> {
    const consumer = new Consumer({ ...client(), groupId: `test-${topic}-${count}`, deserializers: stringDeserializers });
    const found: Stored[] = [];
    try {
      const stream = await consumer.consume({ topics: [topic], mode: 'earliest', autocommit: false, maxWaitTime: 200 });
      for await (const { partition, key, value, headers } of stream) {
        const { revision } = JSON.parse(value) as { revision: string };
        found.push({ topic, partition, key, id: headers.get('ce_id'), revision: Number(revision) });
        if (found.length === count) break;
      }
    } finally {
      await consumer.close(true);
    }
    return found;
  }
  async function countRecords(topic: string): Promise<number> {
    const consumer = new Consumer({ ...client(), groupId: 'offsets' });
    try {
      const offsets = await consumer.listOffsets({ topics: [topic], timestamp: ListOffsetTimestamps.LATEST });
      return (offsets.get(topic) ?? []).reduce((sum, offset) => sum + Number(offset), 0);
    } finally {
      await consumer.close(true);
    }
  }
  const to = (settings: object = {}, secrets: Record<string, string> = {}) => ({
    kind: 'kafka',
    settings: { host: '127.0.0.1', port: broker.ports.plain, isEncrypted: false, topic: 'hes.{kind}', ...settings },
    secrets,
  });

  beforeAll(async () => {
    folder = scratchFolder('hes-kafka-');
    [bench, broker] = await Promise.all([SenderBench.open(), KafkaBroker.start(kafkaClassPath ?? '', folder)]);
    await addTopics(['hes.assets', 'hes.test']);
    await addTopics(['small.assets'], [{ name: 'max.message.bytes', value: '1300' }]);
  });
  afterAll(async () => {
    await bench.close();
    await broker.kill();
    removeScratch(folder);
  });
  afterEach(() => bench.clear());

  test('a broker that is killed gets everything when it is back, in the order of each meter', async () => {
    const { id } = await bench.add(to());
    bench.start();
    for (let n = 0; n < 10; n++) for (const sn of ['MN0001', 'MN0002']) await bench.change(sn, `A-${n}`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'running', waiting: 0, sent: 20 }));
    await broker.kill();
    for (let n = 10; n < 20; n++) for (const sn of ['MN0001', 'MN0002']) await bench.change(sn, `A-${n}`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'failing', failure: 'unreachable', waiting: 20 }));
    await broker.restart();
    await bench.call('POST', `/${id}/resume`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'running', waiting: 0, sent: 40 }));
    const all = await read('hes.assets', await countRecords('hes.assets'));
    for (const key of ['MN0001', 'MN0002']) {
      const own = all.filter((record) => record.key === key);
      expect(new Set(own.map(({ partition }) => partition)).size).toBe(1);
      // What is repeated has the same id; the first appearances are in order.
      const revisions = [...new Map(own.map(({ id: ofItem, revision }) => [ofItem, revision])).values()];
      expect(revisions).toHaveLength(20);
      expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
    }
  });

  test('a record that its topic does not take is put aside, and the others arrive', async () => {
    const { id } = await bench.add(to({ topic: 'small.{kind}' }));
    await bench.change('MN0001', 'B-1');
    const { db } = bench.app.ctx;
    await db
      .updateTable('meter')
      .set({ address: 'x'.repeat(900) })
      .where('id', '=', bench.idOf('MN0002'))
      .execute();
    await bench.change('MN0001', 'B-3');
    bench.start();
    await until(async () => expect(await bench.row(id)).toMatchObject({ waiting: 0, deadLetters: 1, sent: 2 }));
    expect((await read('small.assets', 2)).map(({ key }) => key)).toEqual(['MN0001', 'MN0001']);
  });

  test('a topic that does not exist is named and not made', async () => {
    const { id } = await bench.add(to({ topic: 'absent.{kind}' }));
    const outcome = await bench.test(id);
    expect(outcome).toMatchObject({ isDelivered: false, failure: 'not_confirmed' });
    expect(outcome.detail).toContain('absent.test');
  });

  test.for(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])(
    'the right password is accepted by %s, and a wrong one is told',
    async (mechanism) => {
      const settings = { port: broker.ports.sasl, username: KAFKA_USER, mechanism };
      const right = await bench.add({ name: 'right', ...to(settings, { password: KAFKA_PASSWORD }) });
      expect(await bench.test(right.id)).toEqual({ isDelivered: true, failure: null, detail: null });
      const wrong = await bench.add({ name: 'wrong', ...to(settings, { password: 'other' }) });
      expect(await bench.test(wrong.id)).toMatchObject({ isDelivered: false, failure: 'unauthorized' });
    },
  );

  test('a change to PLAIN does not hand over a password that was entered for SCRAM', async () => {
    const settings = { port: broker.ports.sasl, username: KAFKA_USER };
    const { id, version } = await bench.add(to(settings, { password: KAFKA_PASSWORD }));
    const changed = { name: 'MDM', contents: ['assets'], levelIds: [], version, ...to({ ...settings, mechanism: 'PLAIN' }) };
    expect((await bench.call('PUT', `/${id}`, changed)).json()).toMatchObject({ code: 'SECRETS_OF_RECEIVER' });
  });

  test('TLS is spoken to a broker whose certificate has its name and a trusted issuer, and to no other', async () => {
    const tls = { isEncrypted: true, host: 'localhost', port: broker.ports.tls };
    const trusted = await bench.add({ name: 'trusted', ...to({ ...tls, ca: certificate('ca.crt') }) });
    expect(await bench.test(trusted.id)).toEqual({ isDelivered: true, failure: null, detail: null });
    const foreign = await bench.add({ name: 'foreign', ...to(tls) });
    expect(await bench.test(foreign.id)).toMatchObject({ isDelivered: false, failure: 'unreachable' });
    expect((await bench.test(foreign.id)).detail).toMatch(/certificate|unable to verify/i);
  });

  test('a broker that asks for a client certificate gets it, and without one the refusal is told', async () => {
    const tls = { isEncrypted: true, host: 'localhost', port: broker.ports.mutual, ca: certificate('ca.crt') };
    const own = to({ ...tls, clientCertificate: certificate('client.crt') }, { clientKey: certificate('client.key') });
    const { id } = await bench.add({ name: 'with', ...own });
    expect(await bench.test(id)).toEqual({ isDelivered: true, failure: null, detail: null });
    const without = await bench.add({ name: 'without', ...to(tls) });
    expect(await bench.test(without.id)).toEqual({ isDelivered: false, failure: 'unauthorized', detail: 'ssl/tls alert bad certificate' });
  });

  test('the cluster is found by another broker while the first one is away', async () => {
    const dead = { host: '127.0.0.1', port: await freePort() };
    const others = `127.0.0.1:${await freePort()}, 127.0.0.1:${broker.ports.plain}`;
    const { id } = await bench.add(to({ ...dead, otherBrokers: others }));
    expect(await bench.test(id)).toEqual({ isDelivered: true, failure: null, detail: null });
    const alone = await bench.add({ name: 'alone', ...to(dead) });
    expect(await bench.test(alone.id)).toMatchObject({ isDelivered: false, failure: 'unreachable' });
    const internal = await bench.add({ name: 'internal', ...to({ otherBrokers: '10.0.0.1:9092' }) });
    expect(await bench.test(internal.id)).toMatchObject({ isDelivered: false, failure: 'address_refused' });
  });

  test('brokers that the cluster names are judged as well as the one that was entered', async () => {
    const { id: led } = await bench.add({ name: 'led elsewhere', ...to({ port: broker.ports.elsewhere }) });
    expect(await bench.test(led)).toMatchObject({ isDelivered: false, failure: 'address_refused' });
    for (const [settings, failure] of [
      [{ host: '127.0.0.2' }, 'address_refused'],
      [{ host: '10.0.0.1', isEncrypted: true }, 'address_refused'],
      [{ host: '203.0.113.1' }, 'not_encrypted'],
    ] as const) {
      const { id } = await bench.add({ name: `refused ${settings.host}`, ...to(settings) });
      expect(await bench.test(id)).toMatchObject({ isDelivered: false, failure });
    }
  });
});
