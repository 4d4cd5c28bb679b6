import { OUT_OF_RANGE_BIT } from '@hes/contract/states/reading.ts';
import { FIELD_EVENT } from '@hes/contract/states/field-event.ts';
import type { Simulation } from '@hes/simulator/simulation.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { appBench, type AppBench } from './app-bench.ts';
import { capturesOf, collectOf, eventsOf, metersOf, orderOf, type KnownMeter, type StoredCapture } from './simulated.ts';

const QUARTER_MS = 900_000;
const HOUR_MS = 4 * QUARTER_MS;
/** Resolution of a register with scaler 1. */
const TENS_WH = 10;

let bench: AppBench;
let simulation: Simulation;
let meters: KnownMeter[];
let next = 0;

beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 1000 }, scale: { dcus: 1, metersPerDcu: 36 }, timeZone: 'Asia/Shanghai' });
  ({ simulation } = bench);
  meters = await metersOf(bench);
}, 60_000);
afterEach(() => {
  simulation.faults.clear();
  simulation.clock.release();
});
afterAll(() => bench.close());

/** A meter that no other test uses. */
function freshMeter(): KnownMeter {
  const meter = meters[next++];
  if (meter === undefined) throw new Error('There are no more meters');
  return meter;
}

const truthOf =
  ({ plan }: KnownMeter, direction: 'plus' | 'minus') =>
  (at: number) =>
    simulation.world.register(plan, at, direction, 0);

function expectTrue(meter: KnownMeter, captures: StoredCapture[], resolution = 1): void {
  const [plus, minus] = [truthOf(meter, 'plus'), truthOf(meter, 'minus')];
  const within = (value: number | null, truth: number) => value !== null && value <= truth && value > truth - resolution;
  const wrong = captures.filter(({ at, ePlus, eMinus }) => !within(ePlus, plus(at)) || !within(eMinus, minus(at)));
  expect(wrong.map(({ at, ...values }) => ({ at: new Date(at).toISOString(), ...values, plus: plus(at), minus: minus(at) }))).toEqual([]);
}

/** The begin of the quarter of an hour at this distance in the past. */
const quarterAgo = (ms: number): number => Math.floor((Date.now() - ms) / QUARTER_MS) * QUARTER_MS;

/** Collects up to some hours ago, changes the meter some minutes after that time, and collects up to now. */
async function changeAfterReading(
  kind: 'other_period' | 'other_layout' | 'other_scaler',
  at?: number,
): Promise<{ meter: KnownMeter; lastAt: number }> {
  const meter = freshMeter();
  const readAt = quarterAgo(3 * HOUR_MS) + 60_000;
  simulation.clock.hold(readAt);
  await collectOf(bench, [meter], ['lpa']);
  expect((await capturesOf(bench, meter)).at(-1)?.at).toBe(readAt - 60_000);
  simulation.faults.add({ target: meter.plan.sn, kind, at: at ?? readAt + 120_000 });
  const lastAt = quarterAgo(0);
  simulation.clock.hold(lastAt + 1000);
  const [item] = await collectOf(bench, [meter], ['lpa']);
  expect(item?.state).toBe('read_success');
  return { meter, lastAt };
}

describe('a meter that was changed after the last read', () => {
  test('exchanged columns land under their own quantities, soon after the last capture that was read', async () => {
    const { meter, lastAt } = await changeAfterReading('other_layout');
    const captures = await capturesOf(bench, meter);
    expectTrue(meter, captures);
    expect(captures.at(-1)?.at).toBe(lastAt);
    const [event, ...others] = await eventsOf(bench, meter);
    expect(event).toMatchObject({ code: FIELD_EVENT.meterChanged, message: expect.stringContaining('layout') });
    expect(event?.message).toMatch(/1\.0\.1\.8\.0\.255.*→.*1\.0\.2\.8\.0\.255/);
    expect(others).toEqual([]);
  });

  test('another capture period moves no value, and earlier values of the day remain', async () => {
    const { meter } = await changeAfterReading('other_period');
    const captures = await capturesOf(bench, meter);
    expectTrue(meter, captures);
    expect(captures.length).toBeGreaterThan(4 * 20);
    expect(captures.slice(-2).map(({ at }) => at % (2 * QUARTER_MS))).toEqual([0, 0]);
    expect(await eventsOf(bench, meter)).toEqual([
      { code: FIELD_EVENT.meterChanged, message: expect.stringMatching(/period.*900 s.*→.*1800 s/) },
    ]);
  });

  test.each([
    ['all rows of its buffer', 0],
    ['the rows captured since', undefined],
  ])('a changed scaler makes no value ten times too small, in %s', async (_what, at) => {
    const { meter } = await changeAfterReading('other_scaler', at);
    expectTrue(meter, await capturesOf(bench, meter), TENS_WH);
    expect(await eventsOf(bench, meter)).toContainEqual({
      code: FIELD_EVENT.meterChanged,
      message: expect.stringMatching(/scaler.*1\.0\.1\.8\.0\.255.*0.*→.*1/),
    });
  });

  test('reads of freezes and of single registers detect a changed scaler, too', async () => {
    const meter = freshMeter();
    simulation.clock.hold(Date.now() - 24 * HOUR_MS);
    await collectOf(bench, [meter], ['daily']);
    simulation.clock.release();
    simulation.faults.add({ target: meter.plan.sn, kind: 'other_scaler', at: 0 });
    await collectOf(bench, [meter], ['daily']);
    const { rows } = await bench.app.ctx.pool.query<{ at: Date; e_plus: string }>(
      "select freeze_date::timestamp at time zone 'Asia/Shanghai' as at, e_plus from reading_daily where meter_id = $1",
      [meter.id],
    );
    const truth = truthOf(meter, 'plus');
    expect(rows.length).toBeGreaterThan(0);
    for (const { at, e_plus } of rows) expect(Math.abs(Number(e_plus) * 1000 - truth(at.getTime()))).toBeLessThan(TENS_WH);
    const now = Date.now();
    simulation.clock.hold(now);
    const [item] = await orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } });
    expect(Math.abs(Number(item?.result?.values?.[0]?.value) - truth(now))).toBeLessThan(TENS_WH);
  });
});

/** The local date this number of days ago, in the format of orders. */
const dayText = (daysAgo: number): string => new Date(Date.now() - daysAgo * 24 * HOUR_MS + 8 * HOUR_MS).toISOString().slice(0, 10);
const daysOf = (from: number, to = from) => ({ params: { from: dayText(from), to: dayText(to) } });

describe('a value captured before a change of its scaler', () => {
  test('is stored with the former scaler, and a later one with the present scaler', async () => {
    const changedAt = quarterAgo(HOUR_MS) + 120_000;
    const { meter, lastAt } = await changeAfterReading('other_scaler', changedAt);
    const captures = (await capturesOf(bench, meter)).filter(({ at }) => at > lastAt - 4 * HOUR_MS);
    expect(captures.map(({ at }) => at)).toEqual(Array.from({ length: 16 }, (_, k) => lastAt - (15 - k) * QUARTER_MS));
    expectTrue(
      meter,
      captures.filter(({ at }) => at < changedAt),
    );
    expectTrue(meter, captures, TENS_WH);
    expect((await eventsOf(bench, meter)).map(({ code }) => code)).toEqual([FIELD_EVENT.meterChanged]);
  });

  test.each(['lpa', 'energy', 'daily'] as const)(
    'is not stored in the new scale when days of %s are first read afterwards',
    async (kind) => {
      const { meter } = await changeAfterReading('other_scaler', quarterAgo(HOUR_MS) + 120_000);
      const before = await capturesOf(bench, meter, kind);
      const [item] = await orderOf(bench, [meter], { kind, ...daysOf(9, 6) });
      expect(item).toMatchObject({ state: 'read_fail', reason: 'SCALE_UNKNOWN' });
      const { rows } = await bench.app.ctx.pool.query<{ detail: string }>(
        "select reason_text as detail from task_item where meter_id = $1 and reason_code = 'SCALE_UNKNOWN'",
        [meter.id],
      );
      expect(rows.map(({ detail }) => detail)).toEqual([
        expect.stringMatching(/^Captured before its scaler changed on \d{4}-\d\d-\d\dT.*no stored row reveals its scale$/),
      ]);
      expect(await capturesOf(bench, meter, kind)).toEqual(before);
      expect((await bench.app.ctx.pool.query('select from reading_daily where meter_id = $1', [meter.id])).rowCount).toBe(0);
    },
  );

  test('is not stored in the new scale when a read of a single register noticed the change of the scaler', async () => {
    const meter = freshMeter();
    simulation.clock.hold(quarterAgo(3 * HOUR_MS) + 60_000);
    await collectOf(bench, [meter], ['lpa']);
    simulation.faults.add({ target: meter.plan.sn, kind: 'other_scaler', at: quarterAgo(HOUR_MS) });
    simulation.clock.hold(quarterAgo(0) + 1000);
    await orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } });
    const before = await capturesOf(bench, meter);
    const [item] = await orderOf(bench, [meter], { kind: 'lpa', ...daysOf(9, 6) });
    expect(item).toMatchObject({ state: 'read_fail', reason: 'SCALE_UNKNOWN' });
    expect(await capturesOf(bench, meter)).toEqual(before);
  });

  // Chaos, seed 11: the connection to the database took the former scaler with it, and the row before the change became ten times as large.
  test('stays as it is stored when the former scaler was lost after its change was noticed', async () => {
    const { pool, bus } = bench.app.ctx;
    const meter = freshMeter();
    const readAt = quarterAgo(3 * HOUR_MS) + 60_000;
    simulation.clock.hold(readAt);
    await collectOf(bench, [meter], ['lpa']);
    simulation.faults.add({ target: meter.plan.sn, kind: 'other_scaler', at: readAt + 120_000 });
    simulation.clock.hold(quarterAgo(0) + 1000);
    await orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } });
    await vi.waitFor(
      async () => {
        const { rows } = await pool.query<{ marks: object }>('select marks from meter where id = $1', [meter.id]);
        expect(Object.keys(rows[0]?.marks ?? {}).some((key) => key.startsWith('rescaled:'))).toBe(true);
      },
      { timeout: 10_000, interval: 100 },
    );
    await pool.query('update meter set memory_id = null where id = $1', [meter.id]);
    bus.apply({
      topic: 'device',
      message: { type: 'device.changed', ts: new Date().toISOString(), id: '0', data: { kind: 'meter', ids: [meter.id] } },
    });
    expect((await collectOf(bench, [meter], ['lpa'])).map(({ state }) => state)).toEqual(['read_success']);
    expectTrue(meter, await capturesOf(bench, meter), TENS_WH);
    expect((await eventsOf(bench, meter)).map(({ code }) => code)).not.toContain(FIELD_EVENT.storedDiffers);
  });

  test('is known as such after a restart, too', async () => {
    const { meter } = await changeAfterReading('other_scaler', quarterAgo(HOUR_MS) + 120_000);
    const { pool } = bench.app.ctx;
    const kept = 'select m.marks, k.told from meter m join meter_memory k on k.id = m.memory_id where m.id = $1';
    await expect
      .poll(async () => (await pool.query(kept, [meter.id])).rows[0], { timeout: 20_000 })
      .toMatchObject({
        marks: { 'rescaled:3/1.0.1.8.0.255': expect.any(Number) },
        told: { 'scaler:3/1.0.1.8.0.255': { scaler: 1, former: { scaler: 0, unit: 30 } } },
      });
  });

  test('stays missing, with the reason, where a gap of it is filled', async () => {
    const { meter } = await changeAfterReading('other_scaler', quarterAgo(HOUR_MS) + 120_000);
    const { pool } = bench.app.ctx;
    const [from, to] = [quarterAgo(6 * 24 * HOUR_MS), quarterAgo(6 * 24 * HOUR_MS) + 2 * QUARTER_MS];
    await pool.query(
      `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at) values ($1, 'lpa', $2::timestamptz at time zone 'UTC', 3, $2, $3, now())`,
      [meter.id, new Date(from), new Date(to)],
    );
    const before = await capturesOf(bench, meter);
    const [item] = await orderOf(bench, [meter], { kind: 'refill' });
    expect(item).toMatchObject({ state: 'read_fail', reason: 'SCALE_UNKNOWN' });
    const { rows } = await pool.query('select state, reason_code, missing from reading_gap where meter_id = $1', [meter.id]);
    expect(rows).toEqual([{ state: 'open', reason_code: 'SCALE_UNKNOWN', missing: 3 }]);
    expect(await capturesOf(bench, meter)).toEqual(before);
  });

  test('does not prevent the collection of other profiles of the meter', async () => {
    const { meter, lastAt } = await changeAfterReading('other_scaler', quarterAgo(HOUR_MS) + 120_000);
    simulation.clock.release();
    const [item] = await collectOf(bench, [meter], ['daily', 'lpa']);
    expect(item).toMatchObject({ state: 'read_fail', reason: 'SCALE_UNKNOWN' });
    expect((await capturesOf(bench, meter)).at(-1)?.at).toBeGreaterThanOrEqual(lastAt);
  });
});

test('metadata of a meter lies in the database before the rows that were decoded by it', async () => {
  const meter = freshMeter();
  const { pool } = bench.app.ctx;
  const look = `select memory_id is not null as "isKept", exists (select from days_of(m.id, 'lpa', '-infinity', 'infinity')) as "hasRows" from meter m where id = $1`;
  const seen: { isKept: boolean; hasRows: boolean }[] = [];
  const collected = collectOf(bench, [meter], ['lpa']);
  while (seen.at(-1)?.hasRows !== true) seen.push(...(await pool.query<{ isKept: boolean; hasRows: boolean }>(look, [meter.id])).rows);
  expect(seen.at(-1)).toEqual({ isKept: true, hasRows: true });
  await collected;
});

describe('a scaler that changed before the meter was ever read', () => {
  const firstRead = async (changedAt: number): Promise<KnownMeter> => {
    const meter = freshMeter();
    simulation.faults.add({ target: meter.plan.sn, kind: 'other_scaler', at: changedAt });
    simulation.clock.hold(quarterAgo(0) + 1000);
    return meter;
  };

  test('is seen in the rows themselves, where they leap by a power of ten', async () => {
    const changedAt = quarterAgo(2 * HOUR_MS) + 120_000;
    const meter = await firstRead(changedAt);
    const [item] = await collectOf(bench, [meter], ['lpa']);
    expect(item?.state).toBe('read_success');
    const captures = await capturesOf(bench, meter);
    expect(captures.length).toBeGreaterThan(20);
    expect(captures.at(-1)?.at).toBeGreaterThan(changedAt);
    expectTrue(meter, captures, TENS_WH);
    expectTrue(
      meter,
      captures.filter(({ at }) => at < changedAt),
    );
  });

  test.each(['lpa', 'energy'] as const)(
    'is seen by what the registers stand at, where no row of %s lies behind the change',
    async (kind) => {
      const meter = await firstRead(quarterAgo(0) - 60_000);
      const [item] = await orderOf(bench, [meter], { kind, ...daysOf(1) });
      expect(item?.state).toBe('read_success');
      const captures = await capturesOf(bench, meter, kind);
      expect(captures.length).toBeGreaterThan(20);
      expectTrue(meter, captures);
    },
  );
});

describe('a meter that is changed during a read', () => {
  test('between its capture list and its rows: exchanged columns land under their own quantities', async () => {
    const meter = freshMeter();
    simulation.faults.add({ target: meter.plan.sn, kind: 'other_layout', at: quarterAgo(24 * HOUR_MS), skip: 1 });
    const [item] = await collectOf(bench, [meter], ['lpa']);
    expect(item?.state).toBe('read_success');
    const captures = await capturesOf(bench, meter);
    expect(captures.length).toBeGreaterThan(4 * 20);
    expectTrue(meter, captures);
  });

  test('between two reads of its registers: no value is ten times too small', async () => {
    const meter = freshMeter();
    const now = Date.now();
    simulation.clock.hold(now);
    const read = () => orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS'] } });
    expect((await read())[0]?.result?.values?.[0]?.value).toBe(truthOf(meter, 'plus')(now));
    simulation.faults.add({ target: meter.plan.sn, kind: 'other_scaler', at: 0 });
    const value = Number((await read())[0]?.result?.values?.[0]?.value);
    expect(Math.abs(value - truthOf(meter, 'plus')(now))).toBeLessThan(TENS_WH);
    expect(await eventsOf(bench, meter)).toContainEqual({ code: FIELD_EVENT.meterChanged, message: expect.stringMatching(/scaler/) });
  });
});

describe('a register without a value', () => {
  test('is missing and marked in profiles, freezes and single readings, and its neighbours are there', async () => {
    const meter = freshMeter();
    simulation.faults.add({ target: meter.plan.sn, kind: 'full_register' });
    const ended = await collectOf(bench, [meter], ['daily', 'lpa', 'energy']);
    expect(ended.map(({ state }) => state)).toEqual(['read_success']);
    for (const profile of ['lpa', 'energy']) {
      const captures = await capturesOf(bench, meter, profile);
      expect(captures.length).toBeGreaterThan(20);
      const minus = truthOf(meter, 'minus');
      expect(captures.filter(({ ePlus, eMinus, at }) => ePlus !== null || eMinus !== minus(at))).toEqual([]);
      expect(captures.every(({ status }) => (status & OUT_OF_RANGE_BIT) !== 0)).toBe(true);
    }
    const freezes = await bench.app.ctx.pool.query(
      'select bool_and(e_plus is null and e_minus is not null and e_plus_t1 is not null) as is_so, count(*)::int as count from reading_daily where meter_id = $1',
      [meter.id],
    );
    expect(freezes.rows).toEqual([{ is_so: true, count: 2 }]);
    const [item] = await orderOf(bench, [meter], { kind: 'registers', params: { items: ['E_PLUS', 'E_MINUS'] } });
    expect(item?.result?.values).toMatchObject([
      { item: 'E_PLUS', value: null, reasonCode: 'OUT_OF_RANGE' },
      { item: 'E_MINUS', reasonCode: null },
    ]);
    const latest = await bench.app.ctx.pool.query('select values from meter_latest where meter_id = $1', [meter.id]);
    expect(Object.keys(latest.rows[0].values)).toEqual(['E_MINUS']);
  });
});

describe('swapped addresses', () => {
  test('the answers of another meter are not stored under this one, even without ciphering', async () => {
    const { pool } = bench.app.ctx;
    const [meter, other] = [freshMeter(), freshMeter()];
    await pool.query(
      `with t as (insert into meter_type (code, name, supplier_id, phase, profile_id, authentication_type)
         select 'PLAIN', 'Plain', supplier_id, phase, profile_id, 'none' from meter_type where id = (select meter_type_id from meter where id = $1) returning id)
       update meter set meter_type_id = t.id from t where meter.id = any($2)`,
      [meter.id, [meter.id, other.id]],
    );
    for (const { plan } of [meter, other]) simulation.faults.add({ target: plan.sn, kind: 'unprotected' });
    const own = await collectOf(bench, [meter], ['lpa']);
    expect(own.map(({ state, reason }) => [state, reason])).toEqual([['read_success', null]]);
    const before = await capturesOf(bench, meter);
    expectTrue(meter, before);
    simulation.faults.add({ target: meter.plan.sn, kind: 'crossed', to: other.plan.sn });
    const params = { items: ['E_PLUS'] };
    const crossed = [
      ...(await collectOf(bench, [meter], ['lpa', 'daily'])),
      ...(await orderOf(bench, [meter], { kind: 'registers', params })),
    ];
    expect(crossed.map(({ reason }) => reason)).toEqual(['IDENTITY_MISMATCH', 'IDENTITY_MISMATCH']);
    expect(await capturesOf(bench, meter)).toEqual(before);
    // At most one event is raised per hour.
    expect(await eventsOf(bench, meter)).toEqual([
      { code: FIELD_EVENT.identityMismatch, message: expect.stringContaining(`HES${other.plan.sn}`) },
    ]);
    simulation.faults.clear(meter.plan.sn, 'crossed');
    expect((await collectOf(bench, [meter], ['daily'])).map(({ state }) => state)).toEqual(['read_success']);
  });

  test('another meter with its own keys is distinguished from a wrong key, and an event is raised', async () => {
    const [meter, other, strange] = [freshMeter(), freshMeter(), freshMeter()];
    simulation.faults.add({ target: meter.plan.sn, kind: 'crossed', to: other.plan.sn });
    simulation.faults.add({ target: strange.plan.sn, kind: 'wrong_key' });
    const ended = await collectOf(bench, [meter, strange], ['lpa']);
    expect(ended.map(({ reason }) => reason)).toEqual(['IDENTITY_MISMATCH', 'AUTH_FAILED']);
    expect([...(await capturesOf(bench, meter)), ...(await capturesOf(bench, strange))]).toEqual([]);
    expect(await eventsOf(bench, meter)).toEqual([{ code: FIELD_EVENT.identityMismatch, message: expect.stringContaining(other.plan.sn) }]);
    expect(await eventsOf(bench, strange)).toEqual([{ code: FIELD_EVENT.notProved, message: expect.stringContaining('AUTH_FAILED') }]);
  });

  test('another meter that demands a higher counter after an accepted jump is reported as another meter', async () => {
    const [meter, other] = [freshMeter(), freshMeter()];
    await bench.app.ctx.pool.query('update meter set counter_jumped_at = now() where id = $1', [meter.id]);
    // The other meter has accepted counters that this one has still to use.
    await collectOf(bench, [other], ['daily']);
    simulation.faults.add({ target: meter.plan.sn, kind: 'crossed', to: other.plan.sn });
    expect((await collectOf(bench, [meter], ['daily'])).map(({ reason }) => reason)).toEqual(['IDENTITY_MISMATCH']);
    expect(await eventsOf(bench, meter)).toEqual([{ code: FIELD_EVENT.identityMismatch, message: expect.stringContaining(other.plan.sn) }]);
  });

  test('a meter that refuses to say its name is not reported as another meter, and nothing of it is stored', async () => {
    const meter = freshMeter();
    await bench.app.ctx.pool.query(
      `with t as (insert into meter_type (code, name, supplier_id, phase, profile_id, authentication_type)
         select 'REFUSES', 'Refuses', supplier_id, phase, profile_id, 'none' from meter_type where id = (select meter_type_id from meter where id = $1) returning id)
       update meter set meter_type_id = t.id from t where meter.id = $1`,
      [meter.id],
    );
    for (const kind of ['unprotected', 'deny'] as const) simulation.faults.add({ target: meter.plan.sn, kind });
    expect((await collectOf(bench, [meter], ['daily'])).map(({ reason }) => reason)).not.toContain('IDENTITY_MISMATCH');
    expect(await capturesOf(bench, meter)).toEqual([]);
    expect(await eventsOf(bench, meter)).toEqual([]);
  });
});
