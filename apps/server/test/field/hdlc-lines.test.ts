import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { encodeHdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { addLlc } from '@hes/dlms/framing/hdlc/llc.ts';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { unpackFrames } from '../../src/storage/frames.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { hdlcWire, TinyDcu } from './tiny-dcu.ts';

const HDLC = hdlcWire(17);
const WITHIN = { timeout: 15_000, interval: 20 };

let bench: Bench;
let headEnd: HeadEnd;
const open: { close(): void }[] = [];
beforeAll(async () => {
  bench = await fieldBench();
  headEnd = await bench.headEnd();
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(() => bench.close());

async function caller(): Promise<Socket> {
  const socket = connect({ port: headEnd.field.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  open.push({ close: () => socket.destroy() });
  return socket;
}

const announced = (apdu: Uint8Array) =>
  encodeHdlcFrame({
    destination: clientAddress(1),
    source: serverAddress(1),
    control: { kind: 'ui', pollFinal: false },
    segmented: false,
    information: addLlc('response', apdu),
  });

const reasonsOf = async (remote: string): Promise<string[]> =>
  (
    await bench.database.pool.query<{ reason: string }>('select close_reason as reason from dcu_session where remote = $1', [remote])
  ).rows.map(({ reason }) => reason);

test('a ciphered meter behind a DCU with HDLC is read, and the trace deciphers its segments', async () => {
  const { dcuId, meters, meterIds } = await bench.register('HDLCDCU001', 1);
  open.push(new TinyDcu(headEnd.field.port, 'HDLCDCU001', meters, undefined, undefined, true, HDLC));
  const { ended } = await headEnd.order({
    kind: 'registers',
    params: { items: ['E_PLUS', 'E_MINUS'] },
    items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
  });
  expect(await ended).toMatchObject([{ state: 'read_success' }]);
  const frames = await vi.waitFor(async () => {
    const { rows } = await bench.database.pool.query<{ frames: Buffer }>('select frames from trace where meter_id = $1', meterIds);
    expect(rows).toHaveLength(1);
    return rows.flatMap((row) => unpackFrames(row.frames, bench.ctx.secrets));
  }, WITHIN);
  expect(frames.every(({ octets }) => octets[0] === 0x7e)).toBe(true);
  const plain = (direction: 'down' | 'up') => frames.flatMap((frame) => (frame.direction === direction ? [frame.plain?.[0]] : []));
  expect(plain('down')).toContain(APDU_TAGS.getRequest);
  expect(plain('up')).toContain(APDU_TAGS.getResponse);
});

test.each([
  ['noise', Buffer.alloc(100_000, 0x5a)],
  [
    'frames with wrong check sequences',
    Buffer.concat(Array.from({ length: 100 }, () => Buffer.from(announced(Buffer.alloc(20))).fill(1, 12, 13))),
  ],
  ['a response that nothing asked for', Buffer.from(announced(Uint8Array.of(APDU_TAGS.getResponse, 1, 0xc1, 0, 0)))],
])('a caller that sends %s in place of an HDLC identification is refused', async (_, octets) => {
  const socket = await caller();
  const remote = `127.0.0.1:${socket.localPort}`;
  const closed = once(socket, 'close');
  socket.write(Buffer.concat([Buffer.of(0x7e), octets]));
  socket.resume();
  await closed;
  await vi.waitFor(async () => expect(await reasonsOf(remote)).toEqual(['not_dlms']), WITHIN);
});

test('a connected DCU that sends frames for no link is closed, and dials in again', async () => {
  await bench.register('HDLCDCU002', 1);
  const isOnline = async () =>
    (await bench.database.pool.query("select from dcu where sn = 'HDLCDCU002' and online_status = 'online'")).rowCount === 1;
  const dcu = new TinyDcu(headEnd.field.port, 'HDLCDCU002', [], undefined, undefined, true, HDLC);
  open.push(dcu);
  await vi.waitFor(async () => expect(await isOnline()).toBe(true), WITHIN);
  const stray = encodeHdlcFrame({
    destination: clientAddress(9),
    source: serverAddress(9),
    control: { kind: 'rr', receiveSequence: 0, pollFinal: true },
    segmented: false,
    information: new Uint8Array(0),
  });
  const closed = once(dcu.socket, 'close');
  for (let sent = 0; sent < 100; sent++) dcu.socket.write(stray);
  await closed;
  open.push(new TinyDcu(headEnd.field.port, 'HDLCDCU002', [], undefined, undefined, true, HDLC));
  await vi.waitFor(async () => expect(await isOnline()).toBe(true), WITHIN);
});
