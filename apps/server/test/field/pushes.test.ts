import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { encodeNotification, isConfirmation } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import type { TinyDcu, TinyMeter } from './tiny-dcu.ts';

const SN = 'PUSHDCU001';
let bench: Bench;
let headEnd: HeadEnd;
let dcu: TinyDcu;
let meter: TinyMeter;
let meterId: string;
/** Sends nothing itself, so that every push in its name is forged. */
let quiet: TinyMeter;
/** Long invoke ids confirmed to the meter. */
const confirmed: number[] = [];

beforeAll(async () => {
  bench = await fieldBench();
  headEnd = await bench.headEnd();
  const { meters, meterIds } = await bench.register(SN, 2);
  const [first, second] = meters;
  if (first === undefined || second === undefined || meterIds[0] === undefined) throw new Error('No meter');
  meter = first;
  quiet = second;
  meterId = meterIds[0];
  dcu = headEnd.dial(SN, meters);
  const deframer = new WrapperDeframer();
  dcu.socket.on('data', (chunk: Buffer) => {
    for (const { apdu } of deframer.push(chunk)) {
      const payload = decodeGateway(apdu)?.apdu ?? apdu;
      if (payload[0] !== 0x10) continue;
      for (let id = 1; id < 10; id++) if (isConfirmation(payload, id, () => undefined)) confirmed.push(id);
    }
  });
  await vi.waitFor(async () => {
    const { rows } = await bench.database.pool.query("select from dcu where sn = $1 and online_status = 'online'", [SN]);
    expect(rows).toHaveLength(1);
  });
});
afterAll(async () => {
  await headEnd.stop();
  await bench.close();
});

type Protection = { keys: TinyMeter['keys']; counter: number; systemTitle?: Uint8Array };

const alarm = (longInvokeId: number, protection?: Protection) =>
  encodeNotification({
    longInvokeId,
    confirmed: true,
    body: encode(doubleLongUnsigned, 1),
    ...(protection === undefined
      ? {}
      : {
          protection: {
            cipher: nodeCipher,
            keys: protection.keys,
            policy: 'authEnc',
            systemTitle: protection.systemTitle ?? meter.systemTitle,
            counter: protection.counter,
          },
        }),
  });

const push = (apdu: Uint8Array, address = meter.sn) =>
  dcu.socket.write(
    encodeWrapper({ source: 1, destination: 1 }, encodeGateway({ networkId: 0, address: Buffer.from(address, 'ascii') }, apdu)),
  );

const query = async <T extends object>(text: string, values: unknown[] = []) => (await bench.database.pool.query<T>(text, values)).rows;

const orders = () =>
  query(
    "select t.params->>'source' as source, i.meter_id from task t join task_item i on i.task_id = t.id where t.kind = 'events' and t.params->>'source' = 'push'",
  );

const kept = async () => (await query('select from push_receipt')).length;
const events = () => query<{ message: string }>('select message from event where code = 60006 order by id');

test('an authenticated alarm is kept, confirmed, and orders a read of the event logs of its meter', async () => {
  push(alarm(1, { keys: meter.keys, counter: 50_000 }));
  await vi.waitFor(() => expect(confirmed).toEqual([1]), { timeout: 5000 });
  expect(await orders()).toEqual([{ source: 'push', meter_id: meterId }]);
});

test('a retransmitted alarm is confirmed again and does nothing twice', async () => {
  push(alarm(1, { keys: meter.keys, counter: 50_001 }));
  await vi.waitFor(() => expect(confirmed).toEqual([1, 1]), { timeout: 5000 });
  expect(await kept()).toBe(1);
  expect(await orders()).toHaveLength(1);
});

test('a forged alarm is neither stored nor confirmed', async () => {
  const forged = { ek: new Uint8Array(16), ak: new Uint8Array(16) };
  push(alarm(2, { keys: forged, counter: 55_000 }));
  push(alarm(3, { keys: meter.keys, counter: 60_000 }));
  await vi.waitFor(() => expect(confirmed).toEqual([1, 1, 3]), { timeout: 5000 });
  expect(await kept()).toBe(2);
});

test('an unprotected alarm orders nothing, opens no association and does not update the last contact; it is counted in one event', async () => {
  await query("update meter set last_comm_at = '2020-01-01'");
  const heardSince2020 = () => query("select sn from meter where last_comm_at > '2021-01-01'");
  for (let count = 0; count < 500; count++) push(alarm(4), quiet.sn);
  for (let count = 0; count < 500; count++) push(alarm(4), 'NOSUCHMETER');
  push(alarm(5, { keys: meter.keys, counter: 70_000 }));
  await vi.waitFor(() => expect(confirmed).toContain(5), { timeout: 5000 });
  await vi.waitFor(async () => expect(await heardSince2020()).toEqual([{ sn: meter.sn }]), { timeout: 10_000 });
  expect(confirmed).not.toContain(4);
  expect(await kept()).toBe(3);
  expect(await query('select from task_item i join meter m on m.id = i.meter_id where m.sn = $1', [quiet.sn])).toEqual([]);
  expect(await events()).toEqual([{ message: `${meter.sn} · NOT_AUTHENTIC` }, { message: `${quiet.sn} · PLAIN` }]);
  expect(dcu.asked).not.toContain(quiet.sn);
});

test('a heartbeat is no alarm', async () => {
  dcu.identify(SN, 1);
  push(alarm(6, { keys: meter.keys, counter: 80_000 }));
  await vi.waitFor(() => expect(confirmed).toContain(6), { timeout: 5000 });
  expect(await kept()).toBe(4);
});

test('an alarm of the DCU itself counts with its own keys, with its serial number as gateway address', async () => {
  const keys = { ek: new Uint8Array(16).fill(1), ak: new Uint8Array(16).fill(2) };
  const systemTitle = Uint8Array.from([0x54, 0x49, 0x4e, 0, 0, 0, 2, 1]);
  const { ekSecret, akSecret } = sealKeys(bench.ctx.secrets, 'dcu', SN, keys);
  // Without authentication of associations, the address admits the connection, and the keys authenticate the alarm.
  await query("update dcu set authentication_type = 'none', ek_secret = $1, ak_secret = $2 where sn = $3", [ekSecret, akSecret, SN]);
  dcu.close();
  dcu = headEnd.dial(SN, [meter]);
  push(alarm(7, { keys, counter: 1, systemTitle }), SN);
  const ofDcu =
    "select from task_item i join task t on t.id = i.task_id where t.kind = 'events' and i.meter_id is null and t.params->>'source' = 'push'";
  await vi.waitFor(async () => expect(await query(ofDcu)).toHaveLength(1), { timeout: 5000 });
});
