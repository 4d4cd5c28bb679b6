import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { unconfirmedBlocks } from '@hes/dlms/association/block-stream.ts';
import { encodeNotification, isConfirmation } from '@hes/dlms/association/notification.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { pushSetup } from '@hes/dlms/cosem/classes/push-setup.ts';
import { dataCodec, doubleLongUnsigned, octetString } from '@hes/dlms/cosem/data.ts';
import { fromEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import { rangeSelection } from '@hes/dlms/cosem/selective-access.ts';
import { decodeAnnouncement } from '@hes/dlms/framing/announcement.ts';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { encodeHdlcFrame } from '@hes/dlms/framing/hdlc/frame.ts';
import { addLlc } from '@hes/dlms/framing/hdlc/llc.ts';
import { encodeMbusMessage } from '@hes/dlms/framing/mbus/message.ts';
import { encodeWrapper } from '@hes/dlms/framing/wrapper.ts';
import { annotateWire } from '@hes/dlms/framing/annotate-wire.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { explainFrame } from '../../src/storage/explain-frame.ts';
import { unpackFrames } from '../../src/storage/frames.ts';
import { announceDevices } from './announce-devices.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { hdlcWire, TinyDcu, tinyMeter, truth, type TinyMeter } from './tiny-dcu.ts';

const WITHIN = { timeout: 15_000, interval: 20 };
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });
const QUARTER_MS = 900_000;
const DEVIATION = -480;
const LPA = { classId: 7, instance: obis('1.0.99.1.0.255') };
const PUSH_SETUP = { classId: 40, instance: obis('0.0.25.9.0.255'), attributeId: 2 };
const E_PLUS = { classId: 3, instance: obis('1.0.1.8.0.255'), attributeId: 2 };

let bench: Bench;
let headEnd: HeadEnd;
let number = 0;
let meter: TinyMeter;
let ids: { meterId: string; endpointId: string };
const open: { close(): void }[] = [];

const query = async <T extends object>(text: string, values: unknown[] = []) => (await bench.database.pool.query<T>(text, values)).rows;

async function register(device: TinyMeter, { connectionType = 'dial_in', port = 0 } = {}) {
  const { ekSecret, akSecret } = sealKeys(bench.ctx.secrets, 'meter', device.sn, device.keys);
  const [row] = await query<{ meterId: string; endpointId: string }>(
    `with e as (
       insert into endpoint (kind, sn, name, connection_type, host, port)
       values ('meter', $1, $1, $5, case $5 when 'dial_out' then '127.0.0.1' end, nullif($6, 0)) returning id
     )
     insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, dcu_id, system_title, ek_secret, ak_secret)
     select $1, t.id, 'direct', 'active', tr.id, e.id, $2, $3, $4 from e, meter_type t, transformer tr where t.code = 'TINY' and tr.code = 'TINY'
     returning id as "meterId", dcu_id as "endpointId"`,
    [device.sn, Buffer.from(device.systemTitle), ekSecret, akSecret, connectionType, port],
  );
  return row ?? { meterId: '', endpointId: '' };
}

/** A meter with a logical device name that ends with its serial number. */
function nextMeter(): TinyMeter {
  const fresh = tinyMeter(`8900${String(++number).padStart(6, '0')}`, 1000 + number, () => Date.now());
  const name = {
    classId: 1,
    version: 0,
    instance: WELL_KNOWN.LDN.instance,
    read: () => encode(octetString, Buffer.from(`TIN${fresh.sn}`)),
  };
  fresh.objects.set(objectKey(name.classId, name.instance), name);
  return fresh;
}
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.once('close', () => resolve()));

beforeAll(async () => {
  bench = await fieldBench();
  headEnd = await bench.headEnd({ udpPort: 0, limits: { silenceMs: 60_000, lineProofMs: 2_000 } });
});
beforeEach(async () => {
  meter = nextMeter();
  ids = await register(meter);
});
afterEach(() => open.splice(0).forEach((one) => one.close()));
afterAll(() => bench.close());

interface Pushed {
  longInvokeId?: number;
  body?: Uint8Array;
  sender?: TinyMeter;
  keys?: TinyMeter['keys'];
}
const anyBody = encode(dataCodec, { type: 'structure', value: [{ type: 'unsigned', value: 1 }] });

const ciphered = ({ longInvokeId = 7, body = anyBody, sender = meter, keys = sender.keys }: Pushed = {}): Uint8Array =>
  encodeNotification({
    longInvokeId,
    confirmed: true,
    body,
    protection: {
      cipher: nodeCipher,
      keys,
      policy: 'authEnc',
      systemTitle: sender.systemTitle,
      counter: sender.nextCounter(),
    },
  });

/** The frames of a push in each framing. */
const FRAMINGS: Record<string, (apdu: Uint8Array) => Uint8Array> = {
  wrapper: (apdu) => encodeWrapper({ source: 1, destination: 1 }, apdu),
  hdlc: (apdu) =>
    encodeHdlcFrame({
      destination: clientAddress(1),
      source: serverAddress(1, 17, 4),
      control: { kind: 'ui', pollFinal: false },
      segmented: false,
      information: addLlc('response', apdu),
    }),
  'hdlc in segmented I frames': (apdu) => {
    const message = addLlc('response', apdu);
    const parts = [0, 1, 2].map((at) => message.subarray(Math.ceil((at * message.length) / 3), Math.ceil(((at + 1) * message.length) / 3)));
    return Buffer.concat(
      parts.map((information, sendSequence) =>
        encodeHdlcFrame({
          destination: { upper: 103, lower: 127, size: 2 },
          source: serverAddress(1),
          control: { kind: 'i', sendSequence, receiveSequence: 0, pollFinal: true },
          segmented: sendSequence < 2,
          information,
        }),
      ),
    );
  },
  mbus: (apdu) => encodeMbusMessage({ address: 0xff, source: 1, destination: 103, apdu }),
};

async function dial(): Promise<Socket> {
  const socket = connect({ port: headEnd.field.port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  open.push({ close: () => socket.destroy() });
  await once(socket, 'connect');
  return socket;
}

/** A socket for datagrams and the long invoke ids that were confirmed on it. */
async function datagrams() {
  const socket = createSocket('udp4');
  open.push({ close: () => socket.close() });
  const confirmed: number[] = [];
  const kinds: string[] = [];
  socket.on('message', (octets) => {
    const { apdu, framing } = decodeAnnouncement(Uint8Array.from(octets));
    for (let id = 0; id < 100; id++) if (isConfirmation(apdu, id, () => undefined)) confirmed.push(id);
    kinds.push(framing.kind);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const send = (octets: Uint8Array) => socket.send(octets, headEnd.field.udpPort ?? 0, '127.0.0.1');
  return { confirmed, kinds, send };
}

const receipts = (meterId = ids.meterId) => query('select from push_receipt where meter_id = $1', [meterId]);
const onlineStatus = async () =>
  (await query<{ status: string }>('select online_status as status from endpoint where id = $1', [ids.endpointId]))[0]?.status;
const listed = (name: string) => query('select claimed_name as name from dcu_unregistered where claimed_name = $1', [name]);
const titleOf = (device: TinyMeter) => Buffer.from(device.systemTitle).toString('hex').toUpperCase();

/** Orders load profile A of the meter as a plan does. */
const collect = (lookBackDays: number) =>
  headEnd.order({
    kind: 'collect',
    source: 'plan',
    priority: 5,
    params: { profiles: ['lpa'], lookBackDays },
    items: [{ deviceKind: 'meter', dcuId: ids.endpointId, meterId: ids.meterId }],
  });

/** Values of the meter, read once so that its capture list and scalers are known; its clock was some quarters behind. */
async function readOnce(): Promise<number> {
  const until = Math.floor(Date.now() / QUARTER_MS - 3) * QUARTER_MS + QUARTER_MS / 2;
  const begun = Date.now();
  Object.assign(bench.ctx.clock, { now: () => Date.now() + until - begun });
  const line = new TinyDcu(headEnd.field.port, meter.sn, [], meter, meter.systemTitle);
  await vi.waitFor(async () => expect(await onlineStatus()).toBe('online'), WITHIN);
  const { ended } = await collect(2);
  expect(await ended).toMatchObject([{ state: 'read_success' }]);
  line.close();
  await vi.waitFor(async () => expect(await onlineStatus()).toBe('offline'), WITHIN);
  Object.assign(bench.ctx.clock, { now: () => Date.now() });
  return until;
}

/** Rows of the last hours. */
function lastRows(hours = 1): { object: { classId: number; instance: Obis; attributeId: number }; octets: Uint8Array } {
  const now = Date.now();
  const range = rangeSelection({ from: fromEpochMs(now - hours * 4 * QUARTER_MS, DEVIATION), to: fromEpochMs(now, DEVIATION) });
  const octets = meter.objects.get(objectKey(LPA.classId, LPA.instance))?.read(2, range);
  if (!(octets instanceof Uint8Array)) throw new Error('No rows');
  return { object: { ...LPA, attributeId: 2 }, octets };
}

/** A body that begins with its own object list. */
function described(...parts: ReturnType<typeof lastRows>[]): Uint8Array {
  const list = [PUSH_SETUP, ...parts.map(({ object }) => object)].map((object) => ({ ...object, dataIndex: 0 }));
  return Buffer.concat([
    Uint8Array.of(2, parts.length + 1),
    encode(pushSetup.attributes.pushObjectList.codec, list),
    ...parts.map(({ octets }) => octets),
  ]);
}

/** The rows captured after `since` are stored with source Push, and their trace explains the frames. */
async function expectPushed(since: number, sent: Uint8Array, layer: string): Promise<void> {
  const slots = await query<{ at: string; ePlus: string; source: string; traceId: string }>(
    `select extract(epoch from r.day)::bigint * 1000 + r.lead_s * 1000 + (k - 1) * r.period_s * 1000 as at, e_plus_wh[k] as "ePlus", source, trace_id as "traceId"
     from reading_profile r, generate_subscripts(r.status, 1) k where meter_id = $1 and profile = 'lpa' and r.status[k] is not null order by 1`,
    [ids.meterId],
  );
  const fresh = slots.filter(({ at }) => Number(at) > since);
  expect(fresh.length).toBeGreaterThanOrEqual(2);
  for (const { at, ePlus, source } of fresh) expect([Number(ePlus), source]).toEqual([truth.ePlus(Number(at)), 'push']);
  const frames = await vi.waitFor(async () => {
    const [trace] = await query<{ frames: Buffer }>('select frames from trace where id = $1', [fresh.at(-1)?.traceId]);
    return unpackFrames(trace?.frames ?? Buffer.alloc(0), bench.ctx.secrets);
  }, WITHIN);
  expect(frames.map(({ direction }) => direction)).toEqual(['up', 'down']);
  const [up, down] = frames;
  expect(Buffer.from(up?.octets ?? [])).toEqual(Buffer.from(sent));
  expect(up && explainFrame(up)).toMatchObject({ service: 'dataNotification', isPush: true, result: null });
  for (const frame of [up, down]) {
    const { nodes, error } = annotateWire(frame?.octets ?? new Uint8Array());
    expect(error).toBeUndefined();
    expect(nodes[0]?.name).toBe(layer);
  }
}

describe('a push in a datagram', () => {
  test.each([
    ['wrapper', 'version'],
    ['hdlc', 'hdlc'],
    ['hdlc in segmented I frames', 'hdlc'],
    ['mbus', 'mbus'],
  ])('in %s frames is stored with source Push, confirmed in its framing, and its trace shows the frames', async (framing, layer) => {
    const since = await readOnce();
    const { confirmed, kinds, send } = await datagrams();
    const sent = FRAMINGS[framing]?.(ciphered({ longInvokeId: 8, body: described(lastRows()) })) ?? new Uint8Array();
    send(sent);
    await vi.waitFor(() => expect(confirmed).toEqual([8]), WITHIN);
    expect(kinds).toEqual([framing.split(' ')[0]]);
    await expectPushed(since, sent, layer);
    expect(await onlineStatus()).toBe('offline');
  });

  test('again gets no answer, and one with a new counter is confirmed without further effect', async () => {
    const { confirmed, send } = await datagrams();
    const apdu = ciphered({ longInvokeId: 3 });
    send(encodeWrapper({ source: 1, destination: 1 }, apdu));
    await vi.waitFor(() => expect(confirmed).toEqual([3]), WITHIN);
    send(encodeWrapper({ source: 1, destination: 1 }, apdu));
    send(encodeWrapper({ source: 1, destination: 1 }, ciphered({ longInvokeId: 3 })));
    await vi.waitFor(() => expect(confirmed).toEqual([3, 3]), WITHIN);
    expect(await receipts()).toHaveLength(1);
  });

  test('that is forged or plain is neither stored nor answered, and updates no contact', async () => {
    const { confirmed, send } = await datagrams();
    const wrap = (apdu: Uint8Array) => encodeWrapper({ source: 1, destination: 1 }, apdu);
    send(wrap(ciphered({ longInvokeId: 1, keys: nextMeter().keys })));
    send(wrap(encodeNotification({ longInvokeId: 2, confirmed: true, body: named(`TIN${meter.sn}`) })));
    const other = nextMeter();
    await register(other);
    send(wrap(ciphered({ longInvokeId: 4, sender: other })));
    await vi.waitFor(() => expect(confirmed).toEqual([4]), WITHIN);
    await vi.waitFor(
      async () => expect(await query('select from event where message = $1', [`${meter.sn} · NOT_AUTHENTIC`])).toHaveLength(1),
      WITHIN,
    );
    expect(await receipts()).toEqual([]);
    expect(await query('select from endpoint where id = $1 and last_comm_at is not null', [ids.endpointId])).toEqual([]);
  });

  test('of a meter that nobody has registered is listed', async () => {
    const stranger = nextMeter();
    const { send } = await datagrams();
    send(encodeWrapper({ source: 1, destination: 1 }, ciphered({ sender: stranger })));
    await vi.waitFor(async () => expect(await listed(titleOf(stranger))).toHaveLength(1), WITHIN);
  });

  test('of invented meters fills a small part of the list, and a genuine push still counts', async () => {
    const { confirmed, send } = await datagrams();
    const count = async () => (await query('select from dcu_unregistered')).length;
    const before = await count();
    const genuine = encodeWrapper({ source: 1, destination: 1 }, ciphered({ longInvokeId: 5 }));
    for (let sent = 0; sent < 250; sent++) {
      const sender = { ...meter, systemTitle: Uint8Array.from([0x58, 0x58, 0x58, 1, 1, 1, sent >> 8, sent & 0xff]), nextCounter: () => 1 };
      send(encodeWrapper({ source: 1, destination: 1 }, ciphered({ sender })));
    }
    send(genuine);
    await vi.waitFor(() => expect(confirmed).toEqual([5]), WITHIN);
    expect((await count()) - before).toBeLessThanOrEqual(20);
  });

  test.each([
    ['too long', Buffer.alloc(9_000, 0x5a)],
    ['empty', Buffer.alloc(0)],
    ['of noise', Buffer.from('00010001000100FF', 'hex')],
    ['with a request', encodeWrapper({ source: 1, destination: 1 }, Uint8Array.of(0xc0, 1, 0xc1, 0, 8, 0, 0, 1, 0, 0, 255, 2, 0))],
    ['with a block', encodeWrapper({ source: 1, destination: 1 }, unconfirmedBlocks(anyBody, 64)[0] ?? anyBody)],
  ])('%s is dropped', async (_, octets) => {
    const { confirmed, kinds, send } = await datagrams();
    send(octets);
    send(encodeWrapper({ source: 1, destination: 1 }, ciphered({ longInvokeId: 6 })));
    await vi.waitFor(() => expect(confirmed).toEqual([6]), WITHIN);
    expect(kinds).toEqual(['wrapper']);
  });
});

/** The standard push list: a name, then values. */
const named = (name: string) => encode(dataCodec, { type: 'structure', value: [{ type: 'octetString', value: Buffer.from(name) }] });

describe('a connection in M-Bus frames', () => {
  const frames = (pushed: Pushed) => FRAMINGS['mbus']?.(ciphered(pushed)) ?? new Uint8Array();
  const confirmations = (socket: Socket) => {
    const confirmed: number[] = [];
    socket.on('data', (chunk: Buffer) => {
      const { apdu } = decodeAnnouncement(Uint8Array.from(chunk));
      for (let id = 0; id < 100; id++) if (isConfirmation(apdu, id, () => undefined)) confirmed.push(id);
    });
    return confirmed;
  };

  test('carries pushes of a meter, each of which is stored and confirmed, and the meter is not online by it', async () => {
    const since = await readOnce();
    const socket = await dial();
    const confirmed = confirmations(socket);
    const sent = frames({ longInvokeId: 1, body: described(lastRows(3)) });
    expect(sent.length).toBeGreaterThan(261);
    socket.write(sent);
    await vi.waitFor(() => expect(confirmed).toEqual([1]), WITHIN);
    await expectPushed(since, sent, 'mbus');
    socket.write(frames({ longInvokeId: 2, body: described({ object: E_PLUS, octets: encode(doubleLongUnsigned, 5) }) }));
    await vi.waitFor(() => expect(confirmed).toEqual([1, 2]), WITHIN);
    expect(await onlineStatus()).toBe('offline');
    const { ended } = await headEnd.order({
      kind: 'registers',
      items: [{ deviceKind: 'meter', dcuId: ids.endpointId, meterId: ids.meterId }],
    });
    expect(await ended).toMatchObject([{ state: 'read_fail', reason: 'METER_OFFLINE' }]);
  });

  test('that is closed by the meter right after its push has carried it, and the next one as well', async () => {
    for (const count of [1, 2]) {
      const socket = await dial();
      socket.end(frames({ longInvokeId: count, body: encode(doubleLongUnsigned, count) }));
      await vi.waitFor(async () => expect(await receipts()).toHaveLength(count), WITHIN);
    }
    expect(await query("select from dcu_session where claimed_name = $1 and close_reason = 'unproved'", [meter.sn])).toEqual([]);
  });

  test('without authenticated push is closed in time and recorded', async () => {
    const socket = await dial();
    const remote = `127.0.0.1:${socket.localPort}`;
    socket.resume();
    socket.write(frames({ keys: nextMeter().keys }));
    await closed(socket);
    await vi.waitFor(
      async () =>
        expect(await query('select close_reason as reason from dcu_session where remote = $1', [remote])).toEqual([{ reason: 'unproved' }]),
      WITHIN,
    );
    expect(await receipts()).toEqual([]);
    expect(await query('select from event where code = $1 and meter_id = $2', [FIELD_EVENT.notProved, ids.meterId])).toEqual([]);
  });

  test('of a meter that nobody has registered is listed and closed', async () => {
    const stranger = nextMeter();
    const socket = await dial();
    socket.resume();
    socket.write(frames({ sender: stranger }));
    await closed(socket);
    await vi.waitFor(async () => expect(await listed(titleOf(stranger))).toHaveLength(1), WITHIN);
  });

  test.each([
    ['a plain push without name', FRAMINGS['mbus']?.(encodeNotification({ longInvokeId: 1, body: anyBody }))],
    ['noise', Buffer.concat([Buffer.of(0x68), Buffer.alloc(100_000, 0x68)])],
  ])('with %s is refused', async (_, octets) => {
    const socket = await dial();
    const remote = `127.0.0.1:${socket.localPort}`;
    socket.resume();
    socket.write(octets ?? '');
    await closed(socket);
    await vi.waitFor(
      async () =>
        expect(await query('select close_reason as reason from dcu_session where remote = $1', [remote])).toEqual([{ reason: 'not_dlms' }]),
      WITHIN,
    );
  });
});

test('a ciphered push in HDLC that begins a connection identifies the meter, and is processed after the admission', async () => {
  const line = new TinyDcu(headEnd.field.port, meter.sn, [], meter, meter.systemTitle, false, hdlcWire(17));
  open.push(line);
  line.send(ciphered());
  await vi.waitFor(async () => expect(await receipts()).toHaveLength(1), WITHIN);
});

describe('a meter that is dialled and listens only for a moment after its push', () => {
  test.each(['datagram', 'connection'])('is dialled at once after a push by %s, and its waiting order runs', async (transport) => {
    const sleeper = nextMeter();
    // The port is closed while the meter sleeps.
    const probe = createServer().listen(0, '127.0.0.1');
    await once(probe, 'listening');
    const { port } = probe.address() as AddressInfo; // as: a TCP address
    probe.close();
    ids = await register(sleeper, { connectionType: 'dial_out', port });
    announceDevices(bench.ctx.bus, 'meter', [ids.meterId]);
    // Its first attempt has failed, and the back-off runs.
    await vi.waitFor(
      async () =>
        expect(
          await query("select from dcu_session where remote = $1 and close_reason = 'unreachable'", [`127.0.0.1:${port}`]),
        ).toHaveLength(1),
      WITHIN,
    );
    const { ended } = await collect(1);
    const server = createServer((socket) => open.push(new TinyDcu(socket, sleeper.sn, [], sleeper, sleeper.systemTitle)));
    const push = encodeWrapper({ source: 1, destination: 1 }, ciphered({ sender: sleeper }));
    if (transport === 'datagram') (await datagrams()).send(push);
    else (await dial()).write(push);
    // It begins to listen after its push, and stops soon.
    setTimeout(() => server.listen(port, '127.0.0.1'), 300);
    const sleeps = setTimeout(() => server.close(), 4_000);
    await vi.waitFor(async () => expect(await onlineStatus()).toBe('online'), { timeout: 4_000, interval: 20 });
    expect(await ended).toMatchObject([{ state: 'read_success' }]);
    clearTimeout(sleeps);
    server.close();
  });

  test('is not dialled again and again by pushes that it sends in a row', async () => {
    const sleeper = nextMeter();
    let dialled = 0;
    const server = createServer((socket) => {
      dialled++;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // as: a TCP address
    ids = await register(sleeper, { connectionType: 'dial_out', port });
    announceDevices(bench.ctx.bus, 'meter', [ids.meterId]);
    await vi.waitFor(() => expect(dialled).toBe(1), WITHIN);
    const { confirmed, send } = await datagrams();
    for (let longInvokeId = 1; longInvokeId <= 20; longInvokeId++)
      send(encodeWrapper({ source: 1, destination: 1 }, ciphered({ sender: sleeper, longInvokeId })));
    await vi.waitFor(() => expect(confirmed.length).toBeGreaterThan(0), WITHIN);
    // The attempts after the first push, and no further ones.
    await vi.waitFor(() => expect(dialled).toBe(5), WITHIN);
    send(encodeWrapper({ source: 1, destination: 1 }, ciphered({ sender: sleeper, longInvokeId: 30 })));
    await vi.waitFor(() => expect(confirmed).toContain(30), WITHIN);
    expect(dialled).toBe(5);
    server.close();
  });
});
