import { once } from 'node:events';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import { burnCounters, flood, hello, impersonate, openLine, plainAlarm } from '../../../../tools/attack/lines.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { namedDcu, TinyDcu, type TinyMeter } from './tiny-dcu.ts';

const WITHIN = { timeout: 10_000 };
const LDN = 'PROOFDCU01';
let bench: Bench;
let headEnd: HeadEnd;
/** Keys, system title and objects of the DCU itself. */
let own: TinyMeter;
let dcuId: string;
let dcu: TinyDcu | undefined;

const query = async <T extends object>(text: string, values: unknown[] = []) => (await bench.database.pool.query<T>(text, values)).rows;
const target = () => ({ host: '127.0.0.1', port: headEnd.field.port });
const state = async (sn = LDN) =>
  (await query<{ online_status: string; last_comm_at: Date | null }>('select online_status, last_comm_at from dcu where sn = $1', [sn]))[0];
const refusals = (sn = LDN) =>
  query<{ reason: string; detail: string }>(
    "select close_reason as reason, close_detail as detail from dcu_session where claimed_name = $1 and close_reason = 'unproved' order by id",
    [sn],
  );
const alarms = (id = dcuId) =>
  query<{ message: string }>('select message from event where dcu_id = $1 and code = $2 order by id', [id, FIELD_EVENT.notProved]);

/** Registers a DCU with keys whose type has no allowed address. */
async function registerKeyed(device: TinyMeter): Promise<string> {
  const { ekSecret, akSecret } = sealKeys(bench.ctx.secrets, 'dcu', device.sn, device.keys);
  const { dcuId: id } = await bench.register(device.sn, 1);
  await query('update dcu set ek_secret = $2, ak_secret = $3, system_title = $4 where id = $1', [
    id,
    ekSecret,
    akSecret,
    Buffer.from(device.systemTitle),
  ]);
  return id;
}

beforeAll(async () => {
  bench = await fieldBench();
  own = namedDcu(LDN, 91);
  dcuId = await registerKeyed(own);
  headEnd = await bench.headEnd();
});
afterAll(async () => {
  dcu?.close();
  await bench.close();
});

test('identifications with the name of an offline DCU set nothing online and get no work; they raise one alarm', async () => {
  const before = await state();
  for (let attempt = 0; attempt < 5; attempt++) {
    const line = await impersonate(target(), LDN, own.systemTitle);
    await once(line, 'close');
  }
  await vi.waitFor(async () => expect(await refusals()).toHaveLength(1), WITHIN);
  expect(await state()).toEqual(before);
  expect(await alarms()).toHaveLength(1);
});

test('an identification with another system title is refused before anything is sent', async () => {
  const device = namedDcu('PROOFDCU02', 92);
  await registerKeyed(device);
  const line = await openLine(target());
  let received = 0;
  line.on('data', (octets: Buffer) => (received += octets.length));
  line.write(hello('PROOFDCU02', Uint8Array.from(Buffer.from('EVIL0001'))));
  await once(line, 'close');
  expect(received).toBe(0);
  await vi.waitFor(async () => expect((await refusals('PROOFDCU02'))[0]?.detail).toContain('System title'), WITHIN);
});

test('a DCU of a type without keys is admitted from its address ranges only', async () => {
  await bench.register('PROOFDCU03', 1);
  await query("update dcu_type set allowed_addresses = '{192.0.2.0/24}'");
  const refused = await impersonate(target(), 'PROOFDCU03');
  await once(refused, 'close');
  expect((await state('PROOFDCU03'))?.online_status).not.toBe('online');
  await vi.waitFor(async () => expect((await refusals('PROOFDCU03'))[0]?.detail).toContain('no allowed address'), WITHIN);
  await query("update dcu_type set allowed_addresses = '{127.0.0.0/8}'");
  await bench.register('PROOFDCU04', 1);
  const admitted = await impersonate(target(), 'PROOFDCU04');
  await vi.waitFor(async () => expect((await state('PROOFDCU04'))?.online_status).toBe('online'), WITHIN);
  admitted.destroy();
});

test('messages before the authentication store nothing, and more than a burst of them ends the connection', async () => {
  const device = namedDcu('PROOFDCU05', 95);
  await registerKeyed(device);
  const line = await impersonate(target(), 'PROOFDCU05', device.systemTitle);
  await flood(line, plainAlarm(1, 'ANYMETER'), 20_000);
  if (!line.destroyed) await once(line, 'close');
  expect(await query('select from push_receipt')).toEqual([]);
  expect(await query('select from task')).toEqual([]);
  expect((await state('PROOFDCU05'))?.online_status).not.toBe('online');
});

test('an unauthenticated counter error raises the counter of a DCU at most once a day, with an alarm', async () => {
  const device = namedDcu('PROOFDCU06', 96);
  const id = await registerKeyed(device);
  const counter = async () =>
    Number((await query<{ counter: string }>('select invocation_counter as counter from dcu where id = $1', [id]))[0]?.counter);
  const attack = async () => {
    const line = await openLine(target());
    const burning = burnCounters(line, 900_000);
    line.write(hello('PROOFDCU06', device.systemTitle));
    await once(line, 'close');
    return burning.answered();
  };
  expect(await attack()).toBeGreaterThan(0);
  // The event is stored after the response.
  await vi.waitFor(async () => expect(await counter()).toBeGreaterThan(900_000), WITHIN);
  const burnt = await counter();
  await vi.waitFor(async () => expect(await attack()).toBeGreaterThan(0), WITHIN);
  expect(await counter()).toBe(burnt);
  await vi.waitFor(
    async () => expect(await query('select from event where dcu_id = $1 and code = $2', [id, FIELD_EVENT.counterJumped])).toHaveLength(1),
    WITHIN,
  );
  // A day later a demand is accepted again, but never more than a million above the last accepted counter.
  await query("update dcu set counter_jumped_at = now() - interval '25 hours' where id = $1", [id]);
  await vi.waitFor(async () => expect(await attack()).toBeGreaterThan(0), WITHIN);
  expect(await counter()).toBeLessThan(burnt + 200_000);
});

test('a DCU that completes the association is online, also while its name is delayed at another host', async () => {
  dcu = new TinyDcu(headEnd.field.port, LDN, [], own, own.systemTitle);
  await vi.waitFor(
    async () => {
      if (dcu?.socket.destroyed === true) dcu = new TinyDcu(headEnd.field.port, LDN, [], own, own.systemTitle);
      expect((await state())?.online_status).toBe('online');
    },
    { timeout: 30_000, interval: 250 },
  );
});
