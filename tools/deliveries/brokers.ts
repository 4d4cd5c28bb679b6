import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Admin, Consumer, ListOffsetTimestamps, stringDeserializers } from '@platformatic/kafka';
import { connectAsync } from 'mqtt';
import { FEED_KINDS } from '../../packages/contract/src/delivery/feed.ts';
import { freePort, Peer } from '../../apps/server/test/peer.ts';
import { KafkaBroker } from '../../apps/server/test/senders/kafka-broker.ts';
import { gotOf, type Got, type Receiver } from './receiver.ts';

const HOST = '127.0.0.1';
const PARTITIONS = 3;
const SESSION_S = 3600;
const QUIET_MS = 1500;

/** Records of topics from their beginnings to their present ends; each partition in its order. */
async function readTopics(port: number): Promise<Got[]> {
  const topics = FEED_KINDS.map((kind) => `hes.${kind}`);
  const consumer = new Consumer({
    clientId: 'judge',
    groupId: `judge-${Date.now()}`,
    bootstrapBrokers: [`${HOST}:${port}`],
    deserializers: stringDeserializers,
  });
  const found: Got[] = [];
  try {
    const ends = await consumer.listOffsets({ topics, timestamp: ListOffsetTimestamps.LATEST });
    const total = [...ends.values()].flat().reduce((sum, end) => sum + Number(end), 0);
    if (total === 0) return [];
    const stream = await consumer.consume({ topics, mode: 'earliest', autocommit: false, maxWaitTime: 200 });
    for await (const { key, value, headers } of stream) {
      const [id = '', source = ''] = [headers.get('ce_id'), headers.get('ce_source')];
      found.push(gotOf({ id, source, subject: key ?? '', data: JSON.parse(value) }));
      if (found.length === total) break;
    }
  } finally {
    await consumer.close(true);
  }
  return found;
}

/** Apache Kafka, which flushes each record to its log. */
export async function startKafka(classPath: string, folder: string): Promise<Receiver> {
  mkdirSync(folder);
  const broker = await KafkaBroker.start(classPath, folder);
  const port = broker.ports.plain;
  const admin = new Admin({ clientId: 'judge', bootstrapBrokers: [`${HOST}:${port}`] });
  await admin.createTopics({ topics: FEED_KINDS.map((kind) => `hes.${kind}`), partitions: PARTITIONS, replicas: 1 });
  await admin.close();
  return {
    name: 'kafka',
    sender: { kind: 'kafka', settings: { host: HOST, port, isEncrypted: false, topic: 'hes.{kind}' }, secrets: {} },
    end: () => broker.kill(),
    restart: () => broker.restart(),
    read: () => readTopics(port),
    stop: () => broker.kill(),
  };
}

/** NATS with a stream in files. */
export async function startNats(folder: string): Promise<Receiver> {
  mkdirSync(folder);
  const port = await freePort();
  writeFileSync(join(folder, 'nats.conf'), `listen: ${HOST}:${port}\njetstream { store_dir: "${folder}", sync_interval: always }\n`);
  const server = new Peer(['nats-server', '-c', join(folder, 'nats.conf')], port);
  await server.start();
  const manage = async <T>(work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>): Promise<T> => {
    const connection = await connect({ servers: `${HOST}:${port}` });
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  };
  await manage((manager) => manager.streams.add({ name: 'HES', subjects: ['hes.>'] }));
  const read = () =>
    manage(async (manager) => {
      const { state } = await manager.streams.info('HES');
      const found: Got[] = [];
      for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
        const message = await manager.streams.getMessage('HES', { seq });
        if (message !== null) found.push(gotOf(message.json()));
      }
      return found;
    });
  return {
    name: 'nats',
    sender: { kind: 'nats', settings: { host: HOST, port, isEncrypted: false, subject: 'hes.{kind}.{meter}' }, secrets: {} },
    end: () => server.kill(),
    restart: () => server.start(),
    read,
    stop: () => server.kill(),
  };
}

/**
 * Mosquitto with a consumer whose session persists. It is ended by SIGTERM: what it has confirmed and not yet passed on is in its memory, and
 * written to its file only then and at intervals.
 */
export async function startMosquitto(folder: string): Promise<Receiver> {
  mkdirSync(folder);
  const port = await freePort();
  const lines = [`listener ${port} ${HOST}`, 'allow_anonymous true', 'user root', 'max_queued_messages 0'];
  const persistence = ['persistence true', `persistence_location ${folder}/`, 'autosave_on_changes true', 'autosave_interval 1'];
  writeFileSync(join(folder, 'mosquitto.conf'), [...lines, ...persistence, ''].join('\n'));
  const broker = new Peer(['mosquitto', '-c', join(folder, 'mosquitto.conf')], port);
  await broker.start();
  const found: Got[] = [];
  const consumer = await connectAsync(`mqtt://${HOST}:${port}`, {
    protocolVersion: 5,
    clientId: 'judge',
    clean: false,
    properties: { sessionExpiryInterval: SESSION_S },
    reconnectPeriod: 100,
  });
  consumer.on('message', (_, payload) => void found.push(gotOf(JSON.parse(payload.toString()))));
  // A broker that ends is what this is about.
  consumer.on('error', () => undefined);
  await consumer.subscribeAsync('hes/#', { qos: 1 });
  return {
    name: 'mosquitto',
    sender: { kind: 'mqtt', settings: { host: HOST, port, isEncrypted: false, topic: 'hes/{kind}/{meter}' }, secrets: {} },
    end: () => broker.kill('SIGTERM'),
    restart: () => broker.start(),
    async read() {
      for (let before = -1; before !== found.length || !consumer.connected; await wait(QUIET_MS)) before = found.length;
      return found;
    },
    async stop() {
      consumer.end(true);
      await broker.kill();
    },
  };
}
