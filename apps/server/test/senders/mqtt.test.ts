import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { connectAsync, type MqttClient } from 'mqtt';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { topicOf } from '../../src/features/deliveries/senders/kinds/mqtt/sender.ts';
import { measures } from '../../src/platform/measures.ts';
import { freePort, hasProgram, Peer } from '../peer.ts';
import { SenderBench, until } from '../sender-bench.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';

test('a name adds no level to a topic and no wildcard', () => {
  expect(topicOf('hes/{kind}/{meter}', 'readings', 'ZX/1+#')).toBe('hes/readings/ZX_1__');
  expect(topicOf('{meter}', 'events', undefined)).toBe('-');
});

const certificate = (name: string): string => join(import.meta.dirname, 'certificates', name);

interface Got {
  topic: string;
  event: { id: string; data: { revision: string; number: string } };
  contentType: string | undefined;
  expiry: number | undefined;
}

// Named by the program, so that the list of skipped tests says what is missing.
describe.skipIf(!hasProgram('mosquitto'))('senders to mosquitto', { timeout: 60_000 }, () => {
  let bench: SenderBench;
  let broker: Peer;
  let port: number;
  let folder: string;
  let subscriber: MqttClient | undefined;
  let got: Got[];

  /** Starts mosquitto with a user, and with more lines of its configuration. */
  async function startBroker(lines: readonly string[] = []): Promise<void> {
    const passwords = join(folder, 'passwords');
    writeFileSync(passwords, 'hes:word\n');
    spawnSync('mosquitto_passwd', ['-U', passwords]);
    const listener = [`listener ${port} 127.0.0.1`, 'allow_anonymous true'];
    writeFileSync(join(folder, 'mosquitto.conf'), [...(lines.length > 0 ? lines : listener), 'user root', ''].join('\n'));
    broker = new Peer(['mosquitto', '-c', join(folder, 'mosquitto.conf')], port);
    await broker.start();
  }

  async function subscribe(): Promise<void> {
    subscriber = await connectAsync(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5, reconnectPeriod: 100 });
    subscriber.on('message', (topic, payload, { properties }) =>
      got.push({
        topic,
        event: JSON.parse(payload.toString()),
        contentType: properties?.contentType,
        expiry: properties?.messageExpiryInterval,
      }),
    );
    await subscriber.subscribeAsync('#', { qos: 1 });
  }
  /** Revisions in the order of their arrival; items have the present values, so the revisions tell the order. */
  const revisions = () => got.map(({ event }) => Number(event.data.revision));
  const isInOrder = () => revisions().every((revision, n, all) => n === 0 || revision > Number(all[n - 1]));
  const to = (settings: object = {}, secrets: object = {}) => ({
    kind: 'mqtt',
    settings: { host: '127.0.0.1', port, isEncrypted: false, topic: 'utility/{kind}/{meter}', expirySeconds: 3600, ...settings },
    secrets,
  });

  beforeAll(async () => void (bench = await SenderBench.open()));
  afterAll(() => bench.close());
  beforeEach(async () => {
    folder = scratchFolder('hes-mqtt-');
    port = await freePort();
    got = [];
  });
  afterEach(async () => {
    await bench.clear();
    subscriber?.end(true);
    await broker.kill();
    removeScratch(folder);
  });

  test('each item is one message with QoS 1, in order, under the topic of its kind and meter', async () => {
    await startBroker();
    await subscribe();
    const { id } = await bench.add(to());
    for (const customerNo of ['A-1', 'A-2', 'A-3']) await bench.change('MN0001', customerNo);
    const unconfirmed: number[] = [];
    const end = measures.mqttUnconfirmed.subscribe(({ octets }) => unconfirmed.push(octets));
    bench.start();
    await until(() => expect(got).toHaveLength(3));
    await until(() => expect(unconfirmed.reduce((sum, octets) => sum + octets, 0)).toBe(0));
    end();
    expect(Math.max(...unconfirmed)).toBeGreaterThan(300);
    expect(isInOrder()).toBe(true);
    expect(got[0]).toMatchObject({ topic: 'utility/assets/MN0001', contentType: 'application/cloudevents+json; charset=utf-8' });
    expect(got[0]?.expiry).toBeGreaterThan(3500);
    expect(await bench.row(id)).toMatchObject({ kind: 'mqtt', target: `mqtt://127.0.0.1:${port} utility/{kind}/{meter}` });
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'running', waiting: 0, sent: 3 }));
  });

  test('a broker that is killed gets everything when it is back; what is repeated has the same id', async () => {
    await startBroker();
    await subscribe();
    const began = new Date().toISOString();
    const { id } = await bench.add(to());
    await bench.app.ctx.pool.query(`update outbox_kind set began_at = '-infinity', cleared_before = '-infinity'`);
    bench.start();
    await bench.change('MN0001', 'B-1');
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1 }));
    await broker.kill();
    for (let n = 2; n < 20; n++) await bench.change('MN0001', `B-${n}`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'failing', failure: 'unreachable', waiting: 18 }));
    await broker.start();
    await until(() => expect(subscriber?.connected).toBe(true));
    await bench.call('POST', `/${id}/resume`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'running', waiting: 0 }));
    // The subscriber may have come back after the messages; a replay brings what it missed.
    await bench.call('POST', `/${id}/replay`, { since: began });
    await until(() => expect(new Set(revisions()).size).toBe(19));
    expect(new Set(got.map(({ event }) => event.id)).size).toBe(19);
  });

  test('more messages than the broker takes unconfirmed leave in parts', async () => {
    await startBroker([`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'max_inflight_messages 3']);
    await subscribe();
    await bench.add(to());
    const all = Array.from({ length: 20 }, (_, n) => `C-${n}`);
    for (const customerNo of all) await bench.change('MN0001', customerNo);
    bench.start();
    await until(() => expect(got).toHaveLength(20));
    expect(isInOrder()).toBe(true);
  });

  test('a message that is larger than the broker takes is put aside, and the others arrive', async () => {
    await startBroker([`listener ${port} 127.0.0.1`, 'allow_anonymous true', 'max_packet_size 1400']);
    await subscribe();
    const { id } = await bench.add(to());
    await bench.change('MN0001', 'D-1');
    await bench.app.ctx.db
      .updateTable('meter')
      .set({ address: 'x'.repeat(900) })
      .where('id', '=', bench.idOf('MN0002'))
      .execute();
    await bench.change('MN0001', 'D-3');
    bench.start();
    await until(async () => expect(await bench.row(id)).toMatchObject({ waiting: 0, deadLetters: 1, sent: 2 }));
    expect(got.map(({ event }) => event.data.number)).toEqual(['MN0001', 'MN0001']);
  });

  test('a wrong password is told, and the right one is accepted', async () => {
    await startBroker([`listener ${port} 127.0.0.1`, 'allow_anonymous false', `password_file ${join(folder, 'passwords')}`]);
    const wrong = await bench.add({ name: 'wrong', ...to({ username: 'hes' }, { password: 'other' }) });
    expect(await bench.test(wrong.id)).toMatchObject({ isDelivered: false, failure: 'unauthorized' });
    const right = await bench.add({ name: 'right', ...to({ username: 'hes' }, { password: 'word' }) });
    expect(await bench.test(right.id)).toEqual({ isDelivered: true, failure: null, detail: null });
    const moved = { name: 'right', contents: ['assets'], levelIds: [], version: right.version, ...to({ username: 'hes', port: port + 1 }) };
    expect((await bench.call('PUT', `/${right.id}`, moved)).json()).toMatchObject({ code: 'SECRETS_OF_RECEIVER' });
  });

  test('TLS is spoken to a broker whose certificate has its name and a trusted issuer, and to no other', async () => {
    await startBroker([
      `listener ${port} 127.0.0.1`,
      'allow_anonymous true',
      `certfile ${certificate('broker.crt')}`,
      `keyfile ${certificate('broker.key')}`,
    ]);
    const trusted = await bench.add({
      name: 'trusted',
      ...to({ isEncrypted: true, ca: readFileSync(certificate('ca.crt'), 'utf8'), host: 'localhost' }),
    });
    expect(await bench.test(trusted.id)).toEqual({ isDelivered: true, failure: null, detail: null });
    const foreign = await bench.add({ name: 'foreign', ...to({ isEncrypted: true, host: 'localhost' }) });
    expect(await bench.test(foreign.id)).toMatchObject({ isDelivered: false, failure: 'unreachable' });
  });

  test('a broker that asks for a client certificate gets it, and without one the refusal is told', async () => {
    await startBroker([
      `listener ${port} 127.0.0.1`,
      'allow_anonymous true',
      `certfile ${certificate('broker.crt')}`,
      `keyfile ${certificate('broker.key')}`,
      `cafile ${certificate('client-ca.crt')}`,
      'require_certificate true',
    ]);
    const tls = { isEncrypted: true, ca: readFileSync(certificate('ca.crt'), 'utf8'), host: 'localhost' };
    const own = { clientCertificate: readFileSync(certificate('client.crt'), 'utf8') };
    const shown = await bench.add({
      name: 'with',
      ...to({ ...tls, ...own }, { clientKey: readFileSync(certificate('client.key'), 'utf8') }),
    });
    expect(await bench.test(shown.id)).toEqual({ isDelivered: true, failure: null, detail: null });
    const without = await bench.add({ name: 'without', ...to(tls) });
    expect(await bench.test(without.id)).toMatchObject({ isDelivered: false, failure: 'unauthorized' });
  });

  test('addresses of internal networks are refused unless they are permitted, and so are connections without TLS', async () => {
    await startBroker();
    for (const [settings, failure] of [
      [{ host: '127.0.0.2' }, 'address_refused'],
      [{ host: '203.0.113.1' }, 'not_encrypted'],
      [{ host: '10.0.0.1', isEncrypted: true }, 'address_refused'],
    ] as const) {
      const { id } = await bench.add({ name: `refused ${failure} ${settings.host}`, ...to(settings) });
      expect(await bench.test(id)).toMatchObject({ isDelivered: false, failure });
    }
  });

  test('wrong settings are named by their fields', async () => {
    await startBroker();
    const answer = await bench.call('POST', '', { name: 'x', contents: ['assets'], ...to({ topic: 'a/+/b', port: 70_000 }) });
    expect(answer.json()).toMatchObject({ code: 'VALIDATION', issues: [{ field: 'port' }, { field: 'topic' }] });
  });
});
