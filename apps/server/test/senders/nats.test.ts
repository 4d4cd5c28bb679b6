import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CloudEvent } from '../../src/features/deliveries/senders/cloud-events.ts';
import { natsSender, subjectOf } from '../../src/features/deliveries/senders/kinds/nats/sender.ts';
import { freePort, hasProgram, Peer } from '../peer.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { SenderBench, until } from '../sender-bench.ts';

test('a name adds no token to a subject and no wildcard', () => {
  expect(subjectOf('hes.{kind}.{meter}', 'readings', 'ZX 1.*>')).toBe('hes.readings.ZX_1___');
  expect(subjectOf('{meter}', 'events', undefined)).toBe('-');
});

const certificate = (name: string): string => join(import.meta.dirname, 'certificates', name);

// Named by the program, so that the list of skipped tests says what is missing.
describe.skipIf(!hasProgram('nats-server'))('senders to nats-server', { timeout: 60_000 }, () => {
  let bench: SenderBench;
  let server: Peer;
  let port: number;
  let folder: string;

  async function startServer(lines: readonly string[] = []): Promise<void> {
    const config = [`listen: 127.0.0.1:${port}`, `jetstream { store_dir: "${folder}" }`, ...lines, ''];
    writeFileSync(join(folder, 'nats.conf'), config.join('\n'));
    server = new Peer(['nats-server', '-c', join(folder, 'nats.conf')], port);
    await server.start();
  }
  async function manage<T>(work: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>): Promise<T> {
    const connection = await connect({ servers: `127.0.0.1:${port}`, timeout: 5000 });
    try {
      return await work(await jetstreamManager(connection));
    } finally {
      await connection.close();
    }
  }
  const addStream = () => manage((manager) => manager.streams.add({ name: 'HES', subjects: ['hes.>'] }));
  /** All messages of the stream, in the order in which it stored them. */
  const stored = () =>
    manage(async (manager) => {
      const { state } = await manager.streams.info('HES');
      const found: { subject: string; event: { id: string; data: { revision: string } } }[] = [];
      for (let seq = 1; seq <= state.last_seq; seq++) {
        const message = await manager.streams.getMessage('HES', { seq });
        if (message !== null) found.push({ subject: message.subject, event: message.json() });
      }
      return found;
    });
  const to = (settings: object = {}, secrets: Record<string, string> = {}) => ({
    kind: 'nats',
    settings: { host: '127.0.0.1', port, isEncrypted: false, subject: 'hes.{kind}.{meter}', ...settings },
    secrets,
  });

  beforeAll(async () => void (bench = await SenderBench.open()));
  afterAll(() => bench.close());
  beforeEach(async () => {
    folder = scratchFolder('hes-nats-');
    port = await freePort();
  });
  afterEach(async () => {
    await bench.clear();
    await server.kill();
    removeScratch(folder);
  });

  test('a stream has each item once and in order, although the server was killed and all was sent again', async () => {
    await startServer();
    await addStream();
    const began = new Date().toISOString();
    const { id } = await bench.add(to());
    await bench.app.ctx.pool.query(`update outbox_kind set began_at = '-infinity', cleared_before = '-infinity'`);
    bench.start();
    await bench.change('MN0001', 'A-1');
    await until(async () => expect(await bench.row(id)).toMatchObject({ sent: 1 }));
    await server.kill();
    for (let n = 2; n < 20; n++) await bench.change('MN0001', `A-${n}`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'failing', failure: 'unreachable', waiting: 18 }));
    await server.start();
    await bench.call('POST', `/${id}/resume`);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'running', waiting: 0, sent: 19 }));
    expect((await bench.call('POST', `/${id}/replay`, { since: began })).statusCode).toBe(204);
    await until(async () => expect(await bench.row(id)).toMatchObject({ state: 'running', waiting: 0, sent: 38 }));
    const messages = await stored();
    const revisions = messages.map(({ event }) => Number(event.data.revision));
    expect(messages[0]?.subject).toBe('hes.assets.MN0001');
    expect(revisions).toHaveLength(19);
    expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
  });

  test('a message that its stream does not take is refused, and no later message of its subject is stored before it', async () => {
    await startServer();
    await manage((manager) => manager.streams.add({ name: 'HES', subjects: ['hes.>'], max_msg_size: 1000 }));
    const eventOf = (id: string, source: string): CloudEvent => ({
      specversion: '1.0',
      id,
      source,
      type: 'test',
      time: new Date().toISOString(),
      subject: 'MN0001',
      datacontenttype: 'application/json',
      data: {},
    });
    const { settings, secrets } = to({ username: '', clientCertificate: '' }, { password: '', clientKey: '' });
    const connection = await natsSender.open({
      settings: { ca: '', ...settings },
      secrets,
      ref: 'r',
      networks: ['127.0.0.1'],
      folder: undefined,
    });
    const events = [eventOf('1', 'x'.repeat(2000)), eventOf('2', 'x')];
    const sent = connection.send({ id: 'b', kind: 'assets', step: '1', at: Date.now(), events });
    await expect(sent).rejects.toMatchObject({ failure: 'refused' });
    await connection.close();
    expect(await stored()).toEqual([]);
  });

  test('without a stream for the subject nothing counts as delivered', async () => {
    await startServer();
    const { id } = await bench.add(to());
    expect(await bench.test(id)).toMatchObject({ isDelivered: false, failure: 'not_confirmed' });
    await addStream();
    expect(await bench.test(id)).toEqual({ isDelivered: true, failure: null, detail: null });
  });

  test('a wrong password is told', async () => {
    await startServer(['authorization { user: hes, password: word }']);
    const { id } = await bench.add(to({ username: 'hes' }, { password: 'other' }));
    expect(await bench.test(id)).toMatchObject({ isDelivered: false, failure: 'unauthorized' });
  });

  test('TLS is spoken to a server whose certificate has its name and a trusted issuer, and to no other', async () => {
    await startServer([`tls { cert_file: "${certificate('broker.crt')}", key_file: "${certificate('broker.key')}" }`]);
    const trusted = await bench.add({
      name: 'trusted',
      ...to({ isEncrypted: true, host: 'localhost', ca: readFileSync(certificate('ca.crt'), 'utf8') }),
    });
    // There is no stream: the message arrived, and was not stored.
    expect(await bench.test(trusted.id)).toMatchObject({ failure: 'not_confirmed' });
    const foreign = await bench.add({ name: 'foreign', ...to({ isEncrypted: true, host: 'localhost' }) });
    expect((await bench.test(foreign.id)).detail).toMatch(/certificate|unable to verify/i);
  });

  test('a server that asks for a client certificate gets it, and without one the refusal is told', async () => {
    const files = ['cert_file: "broker.crt"', 'key_file: "broker.key"', 'ca_file: "client-ca.crt"'];
    const tls = files.map((line) => line.replace(/"(.*)"/, (_, name: string) => `"${certificate(name)}"`));
    await startServer([`tls { ${tls.join(', ')}, verify: true }`]);
    const trust = { isEncrypted: true, host: 'localhost', ca: readFileSync(certificate('ca.crt'), 'utf8') };
    const own = { clientCertificate: readFileSync(certificate('client.crt'), 'utf8') };
    const shown = await bench.add({
      name: 'with',
      ...to({ ...trust, ...own }, { clientKey: readFileSync(certificate('client.key'), 'utf8') }),
    });
    // There is no stream: the message arrived, and was not stored.
    expect(await bench.test(shown.id)).toMatchObject({ failure: 'not_confirmed', detail: 'No stream takes this subject' });
    const without = await bench.add({ name: 'without', ...to(trust) });
    // The server resets the connection, by which the alert of TLS 1.3 may be lost.
    const refused = await bench.test(without.id);
    expect(refused.isDelivered).toBe(false);
    expect(refused).toMatchObject(/RESET/.test(refused.detail ?? '') ? { failure: 'unreachable' } : { failure: 'unauthorized' });
  });

  test('addresses of internal networks are refused unless they are permitted', async () => {
    await startServer();
    const inside = await bench.add(to({ host: '10.0.0.1', isEncrypted: true }));
    expect(await bench.test(inside.id)).toMatchObject({ isDelivered: false, failure: 'address_refused' });
  });
});
