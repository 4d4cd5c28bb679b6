import { objectKey } from '@hes/dlms/association/server-options.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { fieldBench, type Bench } from './field-bench.ts';
import { tinyMeter, truth } from './tiny-dcu.ts';

const QUARTER_MS = 900_000;
const DAY_MS = 86_400_000;

let bench: Bench;
beforeAll(async () => {
  bench = await fieldBench();
});
afterAll(() => bench.close());

const collectOf = (dcuId: string, meterIds: string[]) => ({
  kind: 'collect' as const,
  source: 'plan' as const,
  priority: 5,
  params: { profiles: ['lpa'], lookBackDays: 2 },
  items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
});

interface Slot {
  at: number;
  ePlus: number | null;
  eMinus: number | null;
}

async function slotsOf(meterId: string): Promise<Slot[]> {
  const found = await bench.database.pool.query<{ at: string; e_plus: string | null; e_minus: string | null }>(
    `select extract(epoch from r.day)::bigint * 1000 + (k - 1) * r.period_s * 1000 as at, e_plus_wh[k] as e_plus, e_minus_wh[k] as e_minus
     from reading_profile r, generate_subscripts(r.status, 1) k where meter_id = $1 and profile = 'lpa' and r.status[k] is not null order by at`,
    [meterId],
  );
  const number = (text: string | null) => (text === null ? null : Number(text));
  return found.rows.map((row) => ({ at: Number(row.at), ePlus: number(row.e_plus), eMinus: number(row.e_minus) }));
}

const isTrue = ({ at, ePlus, eMinus }: Slot) => ePlus === truth.ePlus(at) && eMinus === truth.eMinus(at);

describe('collection', () => {
  test('stores exactly the measured values of the meters, and reads nothing twice', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU001', 3);
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU001', meters);
    const first = await headEnd.order(collectOf(dcuId, meterIds));
    expect(await first.ended).toEqual(meterIds.map(() => ({ state: 'read_success', reason: null, attempts: 1 })));
    for (const meterId of meterIds) {
      const slots = await slotsOf(meterId);
      expect(slots.length).toBeGreaterThan(DAY_MS / QUARTER_MS);
      expect(slots.every(isTrue)).toBe(true);
    }
    const second = await headEnd.order(collectOf(dcuId, meterIds));
    expect((await second.ended).every((item) => item.state === 'read_success')).toBe(true);
    const asked = await bench.database.pool.query<{ rows: number }>(
      "select (result->>'rows')::int as rows from task_item where task_id = $1",
      [second.id],
    );
    // At most one new capture: a quarter of an hour may just have begun.
    expect(Math.max(...asked.rows.map(({ rows }) => rows))).toBeLessThanOrEqual(1);
    await headEnd.stop();
  });

  test('a read updates the times of last contact and last read; answers that cannot be stored are a contact only', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU031', 2);
    Object.assign(meters[1] ?? {}, { beginsAt: Date.now() - DAY_MS, stampedAheadMs: 2 * 3_600_000 });
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU031', meters);
    const begun = Date.now();
    const { ended } = await headEnd.order({ ...collectOf(dcuId, meterIds), params: { profiles: ['lpa'], lookBackDays: 7 } });
    expect((await ended).map(({ state }) => state)).toEqual(['read_success', 'read_fail']);
    const timesOf = async () =>
      (
        await bench.database.pool.query<{ heard: Date | null; read: Date | null }>(
          'select last_comm_at as heard, last_read_at as read from meter where id = any($1) order by id',
          [meterIds],
        )
      ).rows;
    await expect.poll(async () => (await timesOf())[0]?.read?.getTime() ?? 0, { timeout: 10_000 }).toBeGreaterThanOrEqual(begun - 1000);
    const [read, refused] = await timesOf();
    expect(read?.heard?.getTime() ?? 0).toBeGreaterThanOrEqual(begun - 1000);
    expect(refused?.heard?.getTime() ?? 0).toBeGreaterThanOrEqual(begun - 1000);
    expect(refused?.read).toBeNull();
    await headEnd.stop();
  });

  test('days for which a meter with a wrong clock gave nothing do not count as read', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU021', 1);
    const [meter] = meters;
    const [meterId] = meterIds;
    if (meter === undefined || meterId === undefined) throw new Error('No meter');
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU021', meters);
    const order = { ...collectOf(dcuId, meterIds), params: { profiles: ['lpa'], lookBackDays: 7 } };
    // Read in parts: the first ones are empty, and a later one contains rows outside the requested range.
    meter.beginsAt = Date.now() - DAY_MS;
    meter.stampedAheadMs = 2 * 3_600_000;
    const wrong = await headEnd.order(order);
    expect((await wrong.ended).map(({ reason }) => reason)).toEqual(['CLOCK_INVALID']);
    Object.assign(meter, { beginsAt: 0, stampedAheadMs: 0 });
    const right = await headEnd.order(order);
    expect((await right.ended).map(({ state }) => state)).toEqual(['read_success']);
    expect((await slotsOf(meterId)).length).toBeGreaterThan((6 * DAY_MS) / QUARTER_MS - 1);
    await headEnd.stop();
  });

  test('a capture list in another order is matched by object, never by position', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU002', 1);
    const [meter] = meters;
    const [meterId] = meterIds;
    if (meter === undefined || meterId === undefined) throw new Error('No meter');
    meter.columns = ['eMinus', 'status', 'ePlus'];
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU002', meters);
    await (
      await headEnd.order(collectOf(dcuId, meterIds))
    ).ended;
    expect((await slotsOf(meterId)).every(isTrue)).toBe(true);
    await headEnd.stop();
  });

  test('a profile is read at the logical name of the meter type, whose own template precedes the extended one', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU009', 1);
    const [meter] = meters;
    const [meterId] = meterIds;
    if (meter === undefined || meterId === undefined) throw new Error('No meter');
    const place = '1.0.99.17.0.255';
    const usual = objectKey(7, obis('1.0.99.1.0.255'));
    const profile = meter.objects.get(usual);
    if (profile === undefined) throw new Error('No profile');
    meter.objects.delete(usual);
    meter.objects.set(objectKey(7, obis(place)), profile);
    const { pool } = bench.database;
    const template = (at: string) => JSON.stringify({ objects: { LPA: { classId: 7, obis: at, attribute: 2 } }, quirks: {} });
    await pool.query("insert into southbound_profile (key, name, device_kind, body) values ('tiny-base', 'Base', 'meter', $1)", [
      template('1.0.99.16.0.255'),
    ]);
    await pool.query(
      `with model as (insert into southbound_profile (key, name, device_kind, body) values ('tiny-own', 'Own', 'meter', $1::jsonb || '{"extends":"tiny-base"}') returning id),
        type as (insert into meter_type (code, name, supplier_id, phase, profile_id) select 'TINY-2', 'Tiny 2', s.id, '1p2w', model.id from model, supplier s where s.code = 'TINY' returning id)
       update meter set meter_type_id = type.id from type where meter.id = $2`,
      [template(place), meterId],
    );
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU009', meters);
    const order = await headEnd.order(collectOf(dcuId, meterIds));
    expect(await order.ended).toEqual([{ state: 'read_success', reason: null, attempts: 1 }]);
    const slots = await slotsOf(meterId);
    expect(slots.length).toBeGreaterThan(DAY_MS / QUARTER_MS);
    expect(slots.every(isTrue)).toBe(true);
    await headEnd.stop();
  });

  test('a capture list that was changed after it was cached is detected, because the buffer starts again', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU003', 1);
    const [meter] = meters;
    const [meterId] = meterIds;
    if (meter === undefined || meterId === undefined) throw new Error('No meter');
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU003', meters);
    const day = (ms: number) => new Date(ms + 8 * 3_600_000).toISOString().slice(0, 10);
    const items = [{ deviceKind: 'meter' as const, dcuId, meterId }];
    const read = (from: number, to = from) => headEnd.order({ kind: 'lpa', params: { from: day(from), to: day(to) }, items });
    const yesterday = Date.now() - DAY_MS;
    await (
      await read(yesterday - DAY_MS)
    ).ended;
    meter.columns = ['ePlus', 'eMinus', 'status'].toReversed() as typeof meter.columns; // as: a permutation of its columns
    meter.beginsAt = yesterday - 3 * 3_600_000;
    // Shortly before three in the morning, local time, the day of its begin has no capture after it.
    await (
      await read(meter.beginsAt, yesterday)
    ).ended;
    const slots = await slotsOf(meterId);
    expect(slots.some(({ at }) => at >= meter.beginsAt)).toBe(true);
    expect(slots.every(isTrue)).toBe(true);
    await headEnd.stop();
  });

  test('a reading whose metadata could not be written is read again by itself', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU024', 1);
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU024', meters);
    const { owner: pool } = bench.database;
    await pool.query('alter table meter_memory add constraint refused check (false) not valid');
    const order = await headEnd.order(collectOf(dcuId, meterIds));
    await vi.waitFor(async () => {
      const { rows } = await pool.query('select reason_code from task_item where task_id = $1', [order.id]);
      expect(rows).toEqual([{ reason_code: 'STORAGE_UNAVAILABLE' }]);
    }, 20_000);
    await pool.query('alter table meter_memory drop constraint refused');
    expect((await order.ended).map(({ state }) => state)).toEqual(['read_success']);
    await headEnd.stop();
  });

  test('a reading that could not be stored fails, does not count as read, and is read again', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU022', 1);
    const [meterId = ''] = meterIds;
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU022', meters);
    const { owner: pool } = bench.database;
    await pool.query(`alter table reading_profile add constraint refused check (meter_id <> ${Number(meterId)}) not valid`);
    const refused = await headEnd.order(collectOf(dcuId, meterIds));
    expect((await refused.ended).map(({ state, reason }) => [state, reason])).toEqual([['read_fail', 'INTERNAL']]);
    await pool.query('alter table reading_profile drop constraint refused');
    const again = await headEnd.order(collectOf(dcuId, meterIds));
    expect((await again.ended).map(({ state }) => state)).toEqual(['read_success']);
    const slots = await slotsOf(meterId);
    expect(slots.length).toBeGreaterThan(DAY_MS / QUARTER_MS);
    expect(slots.every(isTrue)).toBe(true);
    await headEnd.stop();
  });

  test('captures that arrive a second time change nothing', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU004', 1);
    const headEnd = await bench.headEnd();
    headEnd.dial('TINYDCU004', meters);
    const day = new Date(Date.now() + 8 * 3_600_000 - DAY_MS).toISOString().slice(0, 10);
    const order = {
      kind: 'lpa' as const,
      params: { from: day, to: day },
      items: [{ deviceKind: 'meter' as const, dcuId, meterId: meterIds[0] ?? '' }],
    };
    await (
      await headEnd.order(order)
    ).ended;
    const state = () =>
      bench.database.pool.query(
        `select (select sum(got) from completeness where dcu_id = $1) as got, (select string_agg(r::text, ';' order by day) from reading_profile r where meter_id = $2) as rows`,
        [dcuId, meterIds[0]],
      );
    const before = await state();
    await (
      await headEnd.order(order)
    ).ended;
    expect((await state()).rows).toEqual(before.rows);
    expect(before.rows[0].got).toBe('96');
    await headEnd.stop();
  });
});

describe('invocation counters', () => {
  test('are never used twice, also by a head-end that starts after a crash of another one', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU005', 1);
    const [meter] = meters;
    if (meter === undefined) throw new Error('No meter');
    const items = [{ deviceKind: 'meter' as const, dcuId, meterId: meterIds[0] ?? '' }];
    const dying = await bench.headEnd();
    dying.dial('TINYDCU005', meters);
    await (
      await dying.order({ kind: 'registers', params: { items: ['E_PLUS'] }, items })
    ).ended;
    // A crash without a last write: the next head-end knows only the state in the database.
    const heir = await bench.headEnd();
    heir.dial('TINYDCU005', meters);
    await dying.stop();
    await (
      await heir.order({ kind: 'registers', params: { items: ['E_PLUS'] }, items })
    ).ended;
    expect(meter.accepted.length).toBeGreaterThan(6);
    expect(new Set(meter.accepted).size).toBe(meter.accepted.length);
    expect(meter.accepted.toSorted((a, b) => a - b)).toEqual(meter.accepted);
    await heir.stop();
  });

  test('of a meter that go back are refused, because an answer of an earlier association may have been recorded', async () => {
    const { dcuId, meters, meterIds } = await bench.register('TINYDCU023', 1);
    const [meter] = meters;
    if (meter === undefined) throw new Error('No meter');
    const headEnd = await bench.headEnd();
    const dcu = headEnd.dial('TINYDCU023', meters);
    const items = [{ deviceKind: 'meter' as const, dcuId, meterId: meterIds[0] ?? '' }];
    const read = async () => (await headEnd.order({ kind: 'registers', params: { items: ['E_PLUS'] }, items })).ended;
    expect(await read()).toMatchObject([{ state: 'read_success' }]);
    // The same meter with the same keys, whose counter starts again.
    dcu.meters.set(
      meter.sn,
      tinyMeter(meter.sn, meter.systemTitle.at(-1) ?? 0, () => Date.now()),
    );
    expect(await read()).toMatchObject([{ state: 'read_fail', reason: 'COUNTER_REPLAY' }]);
    await headEnd.stop();
  });
});
