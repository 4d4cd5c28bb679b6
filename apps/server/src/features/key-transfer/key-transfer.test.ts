import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openKeys } from '../../platform/device-keys.ts';
import { appBench, type AppBench } from '../../../test/field/app-bench.ts';
import { metersOf, orderOf, type EndedItem, type KnownMeter } from '../../../test/field/simulated.ts';

let bench: AppBench;
let meters: KnownMeter[];
beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 1000 }, scale: { dcus: 1, metersPerDcu: 8 }, timeZone: 'Asia/Shanghai' });
  meters = await metersOf(bench);
}, 60_000);
afterEach(() => bench.simulation.faults.clear());
afterAll(() => bench.close());

const meterAt = (index: number): KnownMeter => {
  const meter = meters[index];
  if (meter === undefined) throw new Error('There are no more meters');
  return meter;
};

async function storedKeys({ id, plan }: KnownMeter): Promise<{ ek: string; ak: string } | undefined> {
  const { rows } = await bench.app.ctx.pool.query<{ ekSecret: Buffer; akSecret: Buffer }>(
    'select ek_secret as "ekSecret", ak_secret as "akSecret" from meter where id = $1',
    [id],
  );
  const [row] = rows;
  const keys = row && openKeys(bench.app.ctx.secrets, 'meter', plan.sn, row);
  return keys && { ek: keys.ek.toString('hex'), ak: keys.ak.toString('hex') };
}

const transfer = async (meter: KnownMeter): Promise<EndedItem | undefined> => (await orderOf(bench, [meter], { kind: 'key_transfer' }))[0];
const read = async (meter: KnownMeter): Promise<EndedItem | undefined> =>
  (await orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } }))[0];

const countOf = async (text: string, meter: KnownMeter): Promise<number | null> =>
  (await bench.app.ctx.pool.query(text, [meter.id])).rowCount;
const waiting = 'select from meter_key_transfer where meter_id = $1';
const logged = "select from device_key_log where device_kind = 'meter' and device_id = $1 and method = 'transferred'";

describe('new keys for a meter', () => {
  test('are proved in a new association before they take the place of the former ones, and logged', async () => {
    const meter = meterAt(0);
    const before = await storedKeys(meter);
    expect(await transfer(meter)).toMatchObject({ state: 'read_success', result: { values: [{ value: 'EK, AK' }] } });
    const after = await storedKeys(meter);
    expect(after?.ek).not.toBe(before?.ek);
    expect(after?.ak).not.toBe(before?.ak);
    expect(await read(meter)).toMatchObject({ state: 'read_success' });
    expect([await countOf(waiting, meter), await countOf(logged, meter)]).toEqual([0, 2]);
  });

  test('can be given again, by the keys that were given before', async () => {
    const meter = meterAt(0);
    const before = await storedKeys(meter);
    expect(await transfer(meter)).toMatchObject({ state: 'read_success' });
    expect((await storedKeys(meter))?.ek).not.toBe(before?.ek);
    expect(await read(meter)).toMatchObject({ state: 'read_success' });
  });

  test('are not lost with the answer of the meter: it proves which keys it has', async () => {
    const meter = meterAt(1);
    const before = await storedKeys(meter);
    // The association takes two requests; the response to the third, the transfer, is lost.
    bench.simulation.faults.add({ target: meter.plan.sn, kind: 'lost_answer', count: 1, skip: 2 });
    expect(await transfer(meter)).toMatchObject({ state: 'read_success' });
    expect((await storedKeys(meter))?.ek).not.toBe(before?.ek);
    expect(await read(meter)).toMatchObject({ state: 'read_success' });
    expect(await countOf(waiting, meter)).toBe(0);
    expect(await countOf(`select from task_item where meter_id = $1 and kind = 'key_transfer' and attempts = 2`, meter)).toBe(1);
  });

  test('are refused by a meter with another master key, which keeps the former ones', async () => {
    const meter = meterAt(2);
    const before = await storedKeys(meter);
    const { pool, secrets } = bench.app.ctx;
    const wrong = secrets.seal(Buffer.alloc(16, 1), `meter/${meter.plan.sn}/master`);
    await pool.query('update meter set master_key_secret = $2 where id = $1', [meter.id, wrong]);
    expect(await transfer(meter)).toMatchObject({ state: 'read_fail', reason: 'TEMPORARY_FAILURE' });
    expect(await storedKeys(meter)).toEqual(before);
    expect(await read(meter)).toMatchObject({ state: 'read_success' });
    expect(await countOf(waiting, meter)).toBe(0);
  });

  test('are not sent without a stored master key', async () => {
    const meter = meterAt(3);
    await bench.app.ctx.pool.query('update meter set master_key_secret = null where id = $1', [meter.id]);
    expect(await transfer(meter)).toMatchObject({ state: 'read_fail', reason: 'KEYS_MISSING' });
  });
});
