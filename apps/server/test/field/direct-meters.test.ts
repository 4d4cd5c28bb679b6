import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { encodeNotification } from '@hes/dlms/association/notification.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec, octetString } from '@hes/dlms/cosem/data.ts';
import { encodeMbusMessage } from '@hes/dlms/framing/mbus/message.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { announceDevices } from './announce-devices.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { hdlcWire, TinyDcu, tinyMeter, truth, type TinyMeter } from './tiny-dcu.ts';

const WITHIN = { timeout: 10_000 };

let bench: Bench;
let headEnd: HeadEnd;
let number = 0;
let meter: TinyMeter;
let ids: { meterId: string; endpointId: string };
const opened: { close(): void }[] = [];

const query = async <T extends object>(text: string, values: unknown[] = []) => (await bench.database.pool.query<T>(text, values)).rows;

/** Registers a meter with a connection of its own. */
async function register(device: TinyMeter, { connectionType = 'dial_in', port = 0, physicalAddress = 0 } = {}) {
  const { ekSecret, akSecret } = sealKeys(bench.ctx.secrets, 'meter', device.sn, device.keys);
  const [row] = await query<{ meterId: string; endpointId: string }>(
    `with e as (
       insert into endpoint (kind, sn, name, connection_type, host, port, protocol, physical_address)
       values ('meter', $1, $1, $5, case $5 when 'dial_out' then '127.0.0.1' end, nullif($6, 0), case $7::int when 0 then 'dlms_wrapper' else 'dlms_hdlc' end, nullif($7::int, 0)) returning id
     )
     insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, dcu_id, system_title, ek_secret, ak_secret)
     select $1, t.id, 'direct', 'active', tr.id, e.id, $2, $3, $4 from e, meter_type t, transformer tr where t.code = 'TINY' and tr.code = 'TINY'
     returning id as "meterId", dcu_id as "endpointId"`,
    [device.sn, Buffer.from(device.systemTitle), ekSecret, akSecret, connectionType, port, physicalAddress],
  );
  return row ?? { meterId: '', endpointId: '' };
}

/** A meter with a logical device name of three letters and its serial number, which the public client may read as well. */
function namedMeter(): TinyMeter {
  const sn = `8800${String(++number).padStart(6, '0')}`;
  const fresh = tinyMeter(sn, 100 + number, () => Date.now(), undefined, { publicRule: { mechanism: 'none', ciphered: false } });
  const name = { classId: 1, version: 0, instance: WELL_KNOWN.LDN.instance, read: () => encode(octetString, Buffer.from(`TIN${sn}`)) };
  fresh.objects.set(objectKey(name.classId, name.instance), name);
  return fresh;
}

function dial(own = meter, greet = true, wire?: ReturnType<typeof hdlcWire>): TinyDcu {
  const line = new TinyDcu(headEnd.field.port, own.sn, [], own, own.systemTitle, greet, wire);
  opened.push(line);
  return line;
}

const isOnline = async () =>
  (await query<{ status: string }>('select online_status as status from endpoint where id = $1', [ids.endpointId]))[0]?.status === 'online';
const untilOnline = () => vi.waitFor(async () => expect(await isOnline()).toBe(true), WITHIN);
const order = async (kind: 'registers' | 'lpa', params?: object) =>
  headEnd.order({
    kind,
    items: [{ deviceKind: 'meter', dcuId: ids.endpointId, meterId: ids.meterId }],
    ...(params === undefined ? {} : { params }),
  });

beforeAll(async () => {
  bench = await fieldBench();
  headEnd = await bench.headEnd({ limits: { silenceMs: 100 } });
});
beforeEach(async () => {
  meter = namedMeter();
  ids = await register(meter);
});
afterEach(() => opened.splice(0).forEach((one) => one.close()));
afterAll(() => bench.close());

test('a meter that greets is authenticated with its own keys, and read without a gateway address', async () => {
  const line = dial();
  await untilOnline();
  const { ended } = await order('registers');
  expect(await ended).toMatchObject([{ state: 'read_success' }]);
  expect(line.asked).toEqual([]);
  const [read] = await query<{ values: { value: number }[] }>("select result->'values' as values from task_item where meter_id = $1", [
    ids.meterId,
  ]);
  expect(read?.values[0]?.value).toBe(truth.ePlus(Date.now()));
  expect(
    await query('select claimed_name as name from dcu_session where dcu_id = $1 and identified_at is not null', [ids.endpointId]),
  ).toEqual([{ name: meter.sn }]);
  expect(await query('select id from dcu where id = $1', [ids.endpointId])).toEqual([]);
});

test('its load profile is stored', async () => {
  dial();
  await untilOnline();
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  const { ended } = await order('lpa', { from: day, to: day });
  expect(await ended).toMatchObject([{ state: 'read_success' }]);
  const rows = await query<{ at: string; value: string }>(
    `select extract(epoch from r.day)::bigint * 1000 + (k - 1) * r.period_s * 1000 as at, v as value
     from reading_profile r, unnest(e_plus_wh) with ordinality as u (v, k) where meter_id = $1 and v is not null`,
    [ids.meterId],
  );
  expect(rows.length).toBeGreaterThan(90);
  for (const { at, value } of rows) expect(Number(value)).toBe(truth.ePlus(Number(at)));
});

test('a caller that says nothing is asked for its name by the public client', async () => {
  dial(meter, false);
  await untilOnline();
  expect(await (await order('registers')).ended).toMatchObject([{ state: 'read_success' }]);
});

test('a caller in HDLC that says nothing is asked for its name after it was asked in the wrapper', async () => {
  dial(meter, false, hdlcWire(undefined));
  await untilOnline();
  expect(await (await order('registers')).ended).toMatchObject([{ state: 'read_success' }]);
});

test('a meter in HDLC that greets is read under the physical address of its greeting', async () => {
  dial(meter, true, hdlcWire(17));
  await untilOnline();
  expect(await (await order('registers')).ended).toMatchObject([{ state: 'read_success' }]);
});

test('a plain push list identifies by the logical device name in it, and the meter must still prove itself', async () => {
  const line = dial(meter, false);
  line.send(encodeNotification({ longInvokeId: 1, body: encode(dataCodec, pushList(`TIN${meter.sn}`)) }));
  await untilOnline();
});

test('a ciphered push identifies by its system title, and is processed after the authentication', async () => {
  const line = dial(meter, false);
  line.send(cipheredPush(meter));
  await untilOnline();
  await vi.waitFor(async () => expect(await query('select from push_receipt where meter_id = $1', [ids.meterId])).toHaveLength(1), WITHIN);
});

test('a push that arrives in M-Bus frames while the caller is asked for its name is its claim, and is processed', async () => {
  const socket = connect({ port: headEnd.field.port, host: '127.0.0.1' });
  opened.push({ close: () => socket.destroy() });
  // The head-end asks in the wrapper first.
  await once(socket, 'data');
  socket.write(encodeMbusMessage({ address: 0xff, source: 1, destination: 103, apdu: cipheredPush(meter) }));
  await vi.waitFor(async () => expect(await query('select from push_receipt where meter_id = $1', [ids.meterId])).toHaveLength(1), WITHIN);
  expect(await isOnline()).toBe(false);
});

test('a meter with other keys is refused, not set online, and the meter gets an event', async () => {
  const other = namedMeter();
  const line = dial({ ...other, sn: meter.sn, systemTitle: meter.systemTitle });
  await once(line.socket, 'close');
  expect(await isOnline()).toBe(false);
  await vi.waitFor(
    async () =>
      expect(
        await query('select meter_id, device_kind from event where code = $1 and meter_id = $2', [FIELD_EVENT.notProved, ids.meterId]),
      ).toEqual([{ meter_id: ids.meterId, device_kind: 'meter' }]),
    WITHIN,
  );
});

test('a name that nobody has registered is listed for operators', async () => {
  const stranger = namedMeter();
  const line = dial(stranger, false);
  await once(line.socket, 'close');
  const listed = () => query('select claimed_name as name from dcu_unregistered where claimed_name = $1', [`TIN${stranger.sn}`]);
  await vi.waitFor(async () => expect(await listed()).toHaveLength(1), WITHIN);
});

test('a caller that answers with an endless name is neither listed nor compared', async () => {
  const stranger = namedMeter();
  const name = { classId: 1, version: 0, instance: WELL_KNOWN.LDN.instance, read: () => encode(octetString, Buffer.alloc(2_000, 'A')) };
  stranger.objects.set(objectKey(name.classId, name.instance), name);
  const line = dial(stranger, false);
  // It stays unidentified until its time limit, as a caller that does not answer.
  await once(line.socket, 'close');
  expect(await query('select from dcu_unregistered where length(claimed_name) > 64')).toEqual([]);
}, 30_000);

test('an order for a meter that is not connected fails with its reason', async () => {
  const { ended } = await order('registers');
  expect(await ended).toMatchObject([{ state: 'read_fail', reason: 'METER_OFFLINE' }]);
});

test('a meter that stops answering is a timeout of the meter, not of a DCU', async () => {
  const line = dial();
  await untilOnline();
  line.isMute = true;
  const { ended } = await order('registers');
  expect(await ended).toMatchObject([{ state: 'read_fail', reason: 'METER_TIMEOUT' }]);
});

test('a meter that is changed keeps its connection, and one that is no longer direct loses it', async () => {
  const line = dial();
  await untilOnline();
  changed();
  expect(await (await order('registers')).ended).toMatchObject([{ state: 'read_success' }]);
  const closed = once(line.socket, 'close');
  await query("update meter set dcu_id = null, communication_mode = 'plc' where id = $1", [ids.meterId]);
  await query('delete from endpoint where id = $1', [ids.endpointId]);
  changed();
  await closed;
});

/** Publishes a change of the meter in the archive. */
const changed = () => announceDevices(bench.ctx.bus, 'meter', [ids.meterId]);

test('a meter that is dialled is authenticated and read', async () => {
  const dialled = namedMeter();
  const { server, port } = await listen((socket) => opened.push(new TinyDcu(socket, dialled.sn, [], dialled, dialled.systemTitle)));
  ids = await register(dialled, { connectionType: 'dial_out', port });
  announceDevices(bench.ctx.bus, 'dcu', [ids.endpointId]);
  await untilOnline();
  expect(await (await order('registers')).ended).toMatchObject([{ state: 'read_success' }]);
  server.close();
});

test('a meter that is dialled in HDLC is reached under its physical address, and again after the address was changed', async () => {
  const dialled = namedMeter();
  const { server, port } = await listen((socket) => {
    opened.push(new TinyDcu(socket, dialled.sn, [], dialled, dialled.systemTitle, false, hdlcWire(17)));
  });
  ids = await register(dialled, { connectionType: 'dial_out', port, physicalAddress: 17 });
  changed();
  await untilOnline();
  expect(await (await order('registers')).ended).toMatchObject([{ state: 'read_success' }]);
  await query('update endpoint set physical_address = 18 where id = $1', [ids.endpointId]);
  changed();
  await vi.waitFor(async () => expect(await isOnline()).toBe(false), WITHIN);
  server.close();
});

const listen = (serve: (socket: Socket) => void): Promise<{ server: Server; port: number }> =>
  new Promise((resolve) => {
    const server = createServer(serve);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve({ server, port: typeof address === 'object' && address !== null ? address.port : 0 });
    });
  });

/** The standard push list: logical device name, then values. */
const pushList = (name: string) => ({
  type: 'structure' as const,
  value: [
    { type: 'octetString' as const, value: Buffer.from(name) },
    { type: 'doubleLongUnsigned' as const, value: 7 },
  ],
});

const cipheredPush = ({ keys, systemTitle }: TinyMeter): Uint8Array =>
  encodeNotification({
    longInvokeId: 7,
    confirmed: true,
    body: encode(dataCodec, { type: 'structure', value: [{ type: 'unsigned', value: 1 }] }),
    protection: { cipher: nodeCipher, keys, policy: 'authEnc', systemTitle, counter: 90_000 },
  });
