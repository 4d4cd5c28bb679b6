import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { hello } from '../../../../tools/attack/lines.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { TinyDcu } from './tiny-dcu.ts';

const pem = (name: string): string => readFileSync(path.join(import.meta.dirname, 'certificates', name), 'utf8');
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** PROXY header version 2 of a TCP connection over IPv4. */
function headerOf(address: string, port: number): Buffer {
  const head = Buffer.from([0x21, 0x11, 0, 12, ...address.split('.').map(Number), 127, 0, 0, 1, 0, 0, 0x0f, 0xdb]);
  head.writeUInt16BE(port, 12);
  return Buffer.concat([SIGNATURE, head]);
}

let bench: Bench;
let headEnd: HeadEnd;
const sockets: Socket[] = [];
beforeAll(async () => {
  bench = await fieldBench();
  await bench.database.pool.query("update dcu_type set allowed_addresses = '{192.0.2.0/24}'");
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await headEnd.stop();
});
afterAll(() => bench.close());

function call(...parts: Buffer[]): Socket {
  const socket = connect({ port: headEnd.field.port, host: '127.0.0.1', noDelay: true }).on('error', () => undefined);
  sockets.push(socket);
  socket.resume();
  for (const part of parts) socket.write(part);
  return socket;
}

const sessionsOf = async (sn: string) =>
  (
    await bench.database.pool.query<{ remote: string; reason: string | null }>(
      'select remote, close_reason as reason from dcu_session where claimed_name = $1 order by id',
      [sn],
    )
  ).rows;
const settled = (assertion: () => Promise<void>) => vi.waitFor(assertion, { timeout: 10_000, interval: 50 });

test('behind a proxy the true address admits a device, is that of its session, and its meters are read', async () => {
  const { dcuId, meters, meterIds } = await bench.register('PROXIED01', 2);
  headEnd = await bench.headEnd({ proxies: ['127.0.0.0/8'] });
  const dcu = new TinyDcu(call(headerOf('192.0.2.7', 40_001)), 'PROXIED01', meters);
  dcu.identify('PROXIED01', 0);
  await settled(async () => expect(await sessionsOf('PROXIED01')).toEqual([{ remote: '192.0.2.7:40001', reason: null }]));
  const items = meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId }));
  const { ended } = await headEnd.order({ kind: 'registers', params: { items: ['E_PLUS'] }, items });
  expect((await ended).map(({ state }) => state)).toEqual(['read_success', 'read_success']);
  // The list of addresses of its type decides by the true address as well, in the text of version 1 and in octets that come one by one.
  const other = call(Buffer.from('PROXY TCP4 198.51.100.1 127.0.0.1 40002 4059\r\n'), Buffer.from(hello('PROXIED01')));
  await once(other, 'close');
  await settled(async () => expect((await sessionsOf('PROXIED01')).at(-1)).toMatchObject({ remote: '198.51.100.1:40002' }));
  const slow = call();
  for (const octet of Buffer.concat([headerOf('192.0.2.9', 40_003), Buffer.from(hello('PROXIED01'))])) {
    slow.write(Buffer.of(octet));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await settled(async () => expect((await sessionsOf('PROXIED01')).at(-1)).toEqual({ remote: '192.0.2.9:40003', reason: null }));
});

test('a wrong header closes the connection with a reason, and one of the proxy itself without a row', async () => {
  headEnd = await bench.headEnd({ proxies: ['127.0.0.1'], limits: { identificationMs: 300 } });
  const wrong = [call(Buffer.from(hello('PROXIED02'))), call(Buffer.concat([SIGNATURE, Buffer.from([0x21, 0x12, 0, 0])])), call(SIGNATURE)];
  await Promise.all(wrong.map((socket) => once(socket, 'close')));
  const local = call(Buffer.concat([SIGNATURE, Buffer.from([0x20, 0, 0, 0])]));
  await once(local, 'close');
  await settled(async () => {
    const { rows } = await bench.database.pool.query<{ detail: string }>(
      "select close_detail as detail from dcu_session where close_reason = 'bad_proxy_header' order by detail",
    );
    expect(rows.map(({ detail }) => detail)).toEqual(['No PROXY header', 'No PROXY header in time', 'Not a TCP address']);
  });
});

test('limits count the true addresses, and an address that is no proxy cannot speak for others', async () => {
  await bench.register('PROXIED03', 1);
  headEnd = await bench.headEnd({ proxies: ['127.0.0.1'], limits: { perAddress: 2 } });
  const open = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.3', '192.0.2.3'].map((address, n) => call(headerOf(address, 41_000 + n)));
  await once(open[4] as Socket, 'close'); // as: five were opened
  expect(open.slice(0, 4).map(({ closed }) => closed)).toEqual([false, false, false, false]);
  await headEnd.stop();
  headEnd = await bench.headEnd({ proxies: ['192.0.2.200'] });
  await once(call(headerOf('192.0.2.7', 40_001), Buffer.from(hello('PROXIED03'))), 'close');
  expect(await sessionsOf('PROXIED03')).toEqual([]);
});

test('TLS begins after the header', async () => {
  await bench.register('DCU27000001', 1);
  headEnd = await bench.headEnd({
    proxies: ['127.0.0.1'],
    tls: { mode: 'required', cert: pem('head-end.crt'), key: pem('head-end.key'), ca: pem('ca.crt') },
  });
  const socket = call(headerOf('192.0.2.7', 40_009));
  await once(socket, 'connect');
  const identity = { cert: pem('DCU27000001.crt'), key: pem('DCU27000001.key'), ca: pem('ca.crt') };
  const secured = connectTls({ socket, ...identity, checkServerIdentity: () => undefined }).on('error', () => undefined);
  secured.write(hello('DCU27000001'));
  await settled(async () => expect(await sessionsOf('DCU27000001')).toEqual([{ remote: '192.0.2.7:40009', reason: null }]));
});
