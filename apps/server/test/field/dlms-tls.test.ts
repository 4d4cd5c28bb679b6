import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import path from 'node:path';
import { connect, createServer, type Server, type TLSSocket } from 'node:tls';
import { afterEach, beforeAll, afterAll, expect, test, vi } from 'vitest';
import { startSimulation, type Simulation } from '@hes/simulator/simulation.ts';
import { hello } from '../../../../tools/attack/lines.ts';
import { commissioningFile } from '../../src/db/seed/commissioning.ts';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import type { DlmsTls } from '../../src/field/dlms-tls.ts';
import { createLog, type LogFields } from '../../src/platform/log.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { namedDcu, TinyDcu, type TinyMeter } from './tiny-dcu.ts';

/** Certificates made by docs/how-to/secure-the-dlms-port.md, valid for a hundred years, for this test only. */
const FOLDER = path.join(import.meta.dirname, 'certificates');
const pem = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8');
const tlsOf = (mode: DlmsTls['mode']): DlmsTls => ({ mode, cert: pem('head-end.crt'), key: pem('head-end.key'), ca: pem('ca.crt') });
const WITHIN = { timeout: 10_000 };

let bench: Bench;
let headEnd: HeadEnd;
let simulation: Simulation | undefined;

beforeAll(async () => {
  bench = await fieldBench();
  // Without keys and without allowed address, only the certificate admits a DCU.
  await bench.database.pool.query("update dcu_type set allowed_addresses = '{}'");
});
afterEach(async () => {
  await simulation?.stop();
  simulation = undefined;
  await headEnd.stop();
});
afterAll(() => bench.close());

const isOnline = async (sn: string) =>
  (await bench.database.pool.query("select from dcu where sn = $1 and online_status = 'online'", [sn])).rowCount === 1;

/** Dials with this certificate and sends an identification with this name. */
function dial(certificate: string | undefined, sn: string): TLSSocket {
  const identity = certificate === undefined ? {} : { cert: pem(`${certificate}.crt`), key: pem(`${certificate}.key`) };
  const socket = connect({
    host: '127.0.0.1',
    port: headEnd.field.port,
    ca: pem('ca.crt'),
    checkServerIdentity: () => undefined,
    ...identity,
  });
  socket.on('error', () => undefined);
  socket.resume();
  socket.write(hello(sn));
  return socket;
}

test('where TLS is required, a DCU without keys is admitted by the certificate that names it, and by no other', async () => {
  for (const sn of ['DCU27000001', 'DCU27000002', 'DCU27000003']) await bench.register(sn, 1);
  headEnd = await bench.headEnd({ tls: tlsOf('required') });
  const byName = dial('DCU27000001', 'DCU27000001');
  const bySerialNumber = dial('DCU27000002', 'DCU27000002');
  await vi.waitFor(async () => expect([await isOnline('DCU27000001'), await isOnline('DCU27000002')]).toEqual([true, true]), WITHIN);
  const other = dial('DCU27000001', 'DCU27000003');
  const without = dial(undefined, 'DCU27000003');
  const foreign = dial('stranger', 'DCU27000003');
  const plain = connectPlain(headEnd.field.port, '127.0.0.1').on('error', () => undefined);
  plain.resume();
  plain.write(hello('DCU27000003'));
  // Not `once` of events, because a refused handshake emits an error before the close.
  await Promise.all([other, without, foreign, plain].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  expect(await isOnline('DCU27000003')).toBe(false);
  const details = async () =>
    (await bench.database.pool.query("select close_detail as detail from dcu_session where claimed_name = 'DCU27000003'")).rows;
  await vi.waitFor(async () => expect(await details()).toEqual([{ detail: 'The client certificate is of DCU27000001' }]), WITHIN);
  byName.destroy();
  bySerialNumber.destroy();
});

test('failed handshakes are logged with their cause, in one line per cause', async () => {
  const lines: LogFields[] = [];
  const { log } = bench.ctx;
  bench.ctx.log = createLog('warn', (line) => void lines.push(JSON.parse(line) as LogFields)); // as: lines of the own log
  headEnd = await bench.headEnd({ tls: tlsOf('required') });
  for (const certificate of [undefined, undefined, undefined, 'stranger', 'stranger']) {
    const socket = dial(certificate, 'DCU27000003');
    await new Promise((resolve) => socket.once('close', resolve));
  }
  const failed = { message: 'A TLS handshake failed', port: 'DLMS' };
  await vi.waitFor(() => expect(lines).toHaveLength(2), WITHIN);
  expect(lines).toMatchObject([
    { ...failed, cause: 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE', ip: '127.0.0.1' },
    { ...failed, cause: 'DEPTH_ZERO_SELF_SIGNED_CERT' },
  ]);
  bench.ctx.log = log;
});

test('where TLS is optional, plain connections are accepted, too', async () => {
  await bench.register('DCU27000004', 1);
  headEnd = await bench.headEnd({ tls: tlsOf('offered') });
  const secured = dial('DCU27000002', 'DCU27000002');
  await vi.waitFor(async () => expect(await isOnline('DCU27000002')).toBe(true), WITHIN);
  await bench.database.pool.query("update dcu_type set allowed_addresses = '{127.0.0.0/8}'");
  const plain = connectPlain(headEnd.field.port, '127.0.0.1').on('error', () => undefined);
  plain.resume();
  plain.write(hello('DCU27000004'));
  await vi.waitFor(async () => expect(await isOnline('DCU27000004')).toBe(true), WITHIN);
  secured.destroy();
  plain.destroy();
});

test('simulated DCUs dial in over TLS, and are dialled over it', async () => {
  const { pool } = bench.database;
  // With the rows of earlier tests their first attempts would fail and delay the next ones.
  await pool.query('delete from dcu_session; delete from archive_record; delete from meter; delete from dcu');
  headEnd = await bench.headEnd({ tls: tlsOf('required') });
  const { port } = headEnd.field;
  const options = { scale: { dcus: 2, metersPerDcu: 1 }, channel: 'fast', tlsFolder: FOLDER } as const;
  simulation = await startSimulation({ ...options, headEnd: { host: '127.0.0.1', port } });
  await importCommissioning(bench.ctx, commissioningFile.parse(simulation.commissioning));
  await vi.waitFor(async () => expect([await isOnline('DCU27000001'), await isOnline('DCU27000002')]).toEqual([true, true]), WITHIN);
});

test('where TLS is required, a DCU is dialled over it, and refused when its certificate names another', async () => {
  const { pool } = bench.database;
  const [own, other] = [1, 2].map((index) => namedDcu(`DCU2700000${index}`, index));
  if (own === undefined || other === undefined) throw new Error('No DCU');
  const servers: Server[] = [];
  /** Listens with the certificate of DCU27000001 and answers as this DCU. */
  const listening = async (device: TinyMeter): Promise<number> => {
    const identity = { cert: pem('DCU27000001.crt'), key: pem('DCU27000001.key'), ca: pem('ca.crt') };
    const server = createServer({ ...identity, requestCert: true, rejectUnauthorized: true }, (socket) => {
      void new TinyDcu(socket, device.sn, [], device);
    });
    servers.push(server);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port; // as: a TCP address
  };
  await pool.query('delete from dcu_session; delete from archive_record; delete from meter; delete from dcu');
  for (const device of [own, other]) {
    const { ekSecret, akSecret } = sealKeys(bench.ctx.secrets, 'dcu', device.sn, device.keys);
    const { dcuId } = await bench.register(device.sn, 1);
    await pool.query(
      "update dcu set ek_secret = $2, ak_secret = $3, connection_type = 'dial_out', host = '127.0.0.1', port = $4 where id = $1",
      [dcuId, ekSecret, akSecret, await listening(device)],
    );
  }
  headEnd = await bench.headEnd({ tls: tlsOf('required') });
  await vi.waitFor(async () => expect(await isOnline(own.sn)).toBe(true), WITHIN);
  const details = async () =>
    (await pool.query<{ detail: string }>("select close_detail as detail from dcu_session where close_reason = 'unreachable'")).rows;
  await vi.waitFor(async () => expect(await details()).toEqual([{ detail: 'The certificate there is of DCU27000001' }]), WITHIN);
  expect(await isOnline(other.sn)).toBe(false);
  await headEnd.stop();
  for (const server of servers) server.close();
});
