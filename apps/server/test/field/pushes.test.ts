import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { encodeNotification, isConfirmation } from '@hes/dlms/association/notification.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { doubleLongUnsigned } from '@hes/dlms/cosem/data.ts';
import { decodeGateway, encodeGateway } from '@hes/dlms/framing/gateway.ts';
import { encodeWrapper, WrapperDeframer } from '@hes/dlms/framing/wrapper.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import type { TinyDcu, TinyMeter } from './tiny-dcu.ts';

const SN = 'PUSHDCU001';
let bench: Bench;
let headEnd: HeadEnd;
let dcu: TinyDcu;
let meter: TinyMeter;
let meterId: string;
/** Long invoke ids that were confirmed to the meter. */
const confirmed: number[] = [];

beforeAll(async () => {
  bench = await fieldBench();
  headEnd = await bench.headEnd();
  const { meters, meterIds } = await bench.register(SN, 1);
  const [first] = meters;
  if (first === undefined || meterIds[0] === undefined) throw new Error('No meter');
  meter = first;
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

const alarm = (longInvokeId: number, protection?: { keys: TinyMeter['keys']; counter: number }) =>
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
            systemTitle: meter.systemTitle,
            counter: protection.counter,
          },
        }),
  });

const push = (apdu: Uint8Array) =>
  dcu.socket.write(
    encodeWrapper({ source: 1, destination: 1 }, encodeGateway({ networkId: 0, address: Buffer.from(meter.sn, 'ascii') }, apdu)),
  );

const orders = async () =>
  (
    await bench.database.pool.query(
      "select t.params->>'source' as source, i.meter_id from task t join task_item i on i.task_id = t.id where t.kind = 'events' and t.params->>'source' = 'push'",
    )
  ).rows;

const kept = async () => (await bench.database.pool.query('select from push_receipt')).rowCount;

test('an alarm is kept, confirmed, and makes the logs of its meter be read', async () => {
  push(alarm(1));
  await vi.waitFor(() => expect(confirmed).toEqual([1]), { timeout: 5000 });
  expect(await orders()).toEqual([{ source: 'push', meter_id: meterId }]);
});

test('one that is sent again is confirmed again and does nothing twice', async () => {
  push(alarm(1));
  await vi.waitFor(() => expect(confirmed).toEqual([1, 1]), { timeout: 5000 });
  expect(await kept()).toBe(1);
  expect(await orders()).toHaveLength(1);
});

test('a protected one is proved by the keys of its meter; a forged one is neither kept nor confirmed', async () => {
  const forged = { ek: new Uint8Array(16), ak: new Uint8Array(16) };
  push(alarm(2, { keys: forged, counter: 50_000 }));
  push(alarm(3, { keys: meter.keys, counter: 60_000 }));
  await vi.waitFor(() => expect(confirmed).toEqual([1, 1, 3]), { timeout: 5000 });
  expect(await kept()).toBe(2);
});

test('a heartbeat is no alarm', async () => {
  dcu.greet(SN, 1);
  push(alarm(4));
  await vi.waitFor(() => expect(confirmed).toContain(4), { timeout: 5000 });
  expect(await kept()).toBe(3);
});
