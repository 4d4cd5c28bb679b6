import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';
import { truth, type TinyMeter } from './tiny-dcu.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const QUARTER_MS = HOUR_MS / 4;
/** Maximum idle time of the DCU type of the bench: two and a half heartbeats of 60 s. */
const GONE_AFTER_MS = 150_000;
const LOOKS_EVERY_MS = 5_000;

let bench: Bench;
let headEnd: HeadEnd;
let number = 0;

beforeAll(async () => {
  bench = await fieldBench();
});
beforeEach(async () => {
  // The clock of the head-end advances only under control of the test; sockets and the database run in real time.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  headEnd = await bench.headEnd();
});
afterEach(async () => {
  step(0);
  vi.useRealTimers();
  await headEnd.stop();
});
afterAll(() => bench.close());

/** Sets the wall clock of the server off by this time. */
const step = (aheadMs: number): void => void Object.assign(bench.ctx.clock, { now: () => Date.now() + aheadMs });

const collect = async (dcuId: string, meterIds: readonly string[], lookBackDays = 1) => {
  const { ended } = await headEnd.order({
    kind: 'collect',
    source: 'plan',
    priority: 5,
    params: { profiles: ['lpa'], lookBackDays },
    items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
  });
  expect(await ended).toEqual([{ state: 'read_success', reason: null, attempts: 1 }]);
};

/** Stored captures of a meter, slot by slot. */
const slotsOf = async (meterId: string | undefined) =>
  (
    await bench.database.pool.query<{ at: Date; wh: string }>(
      `select p.day::timestamp at time zone 'UTC' + (p.lead_s + (k - 1) * p.period_s) * interval '1 second' as at, u.wh
       from reading_profile p cross join lateral unnest(p.e_plus_wh) with ordinality as u (wh, k)
       where p.meter_id = $1 and p.profile = 'lpa' and u.wh is not null order by 1`,
      [meterId],
    )
  ).rows.map(({ at, wh }) => ({ at: at.getTime(), wh: Number(wh) }));

const sessionsOf = async (dcuId: string) =>
  (
    await bench.database.pool.query<{ status: string; closed: boolean; reason: string | null; isInOrder: boolean }>(
      `select d.online_status as status, s.closed_at is not null as closed, s.close_reason as reason,
         s.opened_at <= s.identified_at and s.identified_at <= coalesce(s.closed_at, 'infinity') as "isInOrder"
       from dcu_session s join dcu d on d.id = s.dcu_id where d.id = $1 order by s.id`,
      [dcuId],
    )
  ).rows;

interface Dialled {
  dcuId: string;
  sn: string;
  meterIds: string[];
  meter: TinyMeter;
  dcu: ReturnType<HeadEnd['dial']>;
}

async function dialled(): Promise<Dialled> {
  const sn = `STEP${String(++number).padStart(4, '0')}`;
  const { dcuId, meters, meterIds } = await bench.register(sn, 1);
  const dcu = headEnd.dial(sn, meters);
  await vi.waitFor(() => expect(headEnd.field.reach.isOnline(dcuId)).toBe(true));
  await vi.waitFor(async () => expect(await sessionsOf(dcuId)).toHaveLength(1));
  const [meter] = meters;
  if (meter === undefined) throw new Error('The DCU has a meter');
  return { dcuId, sn, meterIds, meter, dcu };
}

test('the end of a session that the database refused is written by a later attempt, with its own time', async () => {
  const { dcuId, dcu } = await dialled();
  const { owner } = bench.database;
  await owner.query('alter table dcu_session rename to dcu_session_away');
  dcu.close();
  await vi.waitFor(() => expect(headEnd.field.reach.isOnline(dcuId)).toBe(false));
  const endedBy = Date.now();
  await vi.advanceTimersByTimeAsync(2 * LOOKS_EVERY_MS);
  await owner.query('alter table dcu_session_away rename to dcu_session');
  await vi.advanceTimersByTimeAsync(LOOKS_EVERY_MS);
  await vi.waitFor(async () =>
    expect(await sessionsOf(dcuId)).toEqual([{ status: 'offline', closed: true, reason: 'peer_closed', isInOrder: true }]),
  );
  const { rows } = await owner.query<{ closed_at: Date; open: string }>('select closed_at from dcu_session where dcu_id = $1', [dcuId]);
  expect(rows[0]?.closed_at.getTime()).toBeLessThan(endedBy + 5_000);
});

describe.each([
  ['an hour ahead', HOUR_MS],
  ['an hour back', -HOUR_MS],
])('When the wall clock of the server is set %s', (_, aheadMs) => {
  test('a connected DCU stays online', async () => {
    const { dcuId } = await dialled();
    step(aheadMs);
    await vi.advanceTimersByTimeAsync(3 * LOOKS_EVERY_MS);
    expect(headEnd.field.reach.isOnline(dcuId)).toBe(true);
    expect(await sessionsOf(dcuId)).toEqual([{ status: 'online', closed: false, reason: null, isInOrder: true }]);
  });

  test('the session of a DCU without heartbeats is closed after the usual time, and not before', async () => {
    const { dcuId } = await dialled();
    step(aheadMs);
    await vi.advanceTimersByTimeAsync(GONE_AFTER_MS - LOOKS_EVERY_MS);
    expect(headEnd.field.reach.isOnline(dcuId)).toBe(true);
    await vi.advanceTimersByTimeAsync(2 * LOOKS_EVERY_MS);
    expect(headEnd.field.reach.isOnline(dcuId)).toBe(false);
    await vi.waitFor(async () =>
      expect(await sessionsOf(dcuId)).toEqual([{ status: 'offline', closed: true, reason: 'heartbeat_lost', isInOrder: true }]),
    );
  });

  test('the timestamps of a session that begins and ends meanwhile are in order', async () => {
    step(aheadMs);
    const { dcuId, dcu } = await dialled();
    await vi.waitFor(async () => expect(await sessionsOf(dcuId)).toHaveLength(1));
    dcu.close();
    await vi.waitFor(async () => expect(await sessionsOf(dcuId)).toMatchObject([{ closed: true, isInOrder: true }]));
  });

  test('a running exchange keeps its true duration, and its frames are in order', async () => {
    const { dcuId, meterIds, dcu } = await dialled();
    dcu.onAsked = () => step(aheadMs);
    const { ended } = await headEnd.order({
      kind: 'registers',
      params: { items: ['E_PLUS'] },
      items: meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId })),
    });
    expect(await ended).toEqual([{ state: 'read_success', reason: null, attempts: 1 }]);
    await vi.waitFor(async () => {
      const { rows } = await bench.database.pool.query<{ ms: number }>('select duration_ms as ms from trace where meter_id = $1', [
        meterIds[0],
      ]);
      expect(rows).toHaveLength(1);
      expect(rows[0]?.ms).toBeGreaterThanOrEqual(0);
      expect(rows[0]?.ms).toBeLessThan(60_000);
    });
  });

  test('every capture is stored once and none is lost, before, meanwhile and after', async () => {
    const { dcuId, meterIds } = await dialled();
    const begins = Date.now();
    await collect(dcuId, meterIds);
    step(aheadMs);
    await collect(dcuId, meterIds);
    step(0);
    await collect(dcuId, meterIds);
    const slots = await slotsOf(meterIds[0]);
    const stamps = slots.map(({ at }) => at);
    const last = Math.floor(begins / QUARTER_MS) * QUARTER_MS;
    expect(stamps.at(-1)).toBeGreaterThanOrEqual(last);
    expect(stamps.at(-1)).toBeLessThanOrEqual(Date.now());
    expect(stamps).toEqual(stamps.map((_at, k) => (stamps[0] ?? 0) + k * QUARTER_MS));
    for (const { at, wh } of slots) expect(wh).toBe(truth.ePlus(at));
    const open = await bench.database.pool.query('select from reading_gap where meter_id = $1', [meterIds[0]]);
    expect(open.rowCount).toBe(0);
  });
});

describe('When the process of the server was suspended for longer than the maximum idle time of a DCU', () => {
  /** Advances the clock without running timers or reading sockets. */
  function standStill(): void {
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + GONE_AFTER_MS + LOOKS_EVERY_MS);
  }

  test('a DCU whose heartbeats are still unread in the socket stays online', async () => {
    const { dcuId, sn, dcu } = await dialled();
    standStill();
    await vi.advanceTimersByTimeAsync(LOOKS_EVERY_MS);
    dcu.identify(sn, 1);
    await vi.waitFor(() => expect(headEnd.field.reach.isOnline(dcuId)).toBe(true));
    await vi.advanceTimersByTimeAsync(2 * LOOKS_EVERY_MS);
    expect(await sessionsOf(dcuId)).toEqual([{ status: 'online', closed: false, reason: null, isInOrder: true }]);
  });

  test('the session of a DCU that has gone meanwhile is closed at the next check', async () => {
    const { dcuId } = await dialled();
    standStill();
    await vi.advanceTimersByTimeAsync(2 * LOOKS_EVERY_MS);
    expect(headEnd.field.reach.isOnline(dcuId)).toBe(false);
  });
});

// Chaos, seed 16: the day ended by the clock of the server alone, and counted as read to its end.
test('a day that ends by a clock that is ahead counts as read up to its newest row', async () => {
  const { dcuId, meterIds } = await dialled();
  const midnight = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
  step(midnight - Date.now() + QUARTER_MS);
  await collect(dcuId, meterIds, 3);
  const newest = (await slotsOf(meterIds[0])).at(-1)?.at ?? 0;
  expect(newest).toBeLessThan(Date.now());
  await expect
    .poll(
      async () => (await bench.database.pool.query("select marks->>'through:lpa' as through from meter where id = $1", [meterIds[0]])).rows,
      { timeout: 10_000 },
    )
    .toEqual([{ through: String(newest) }]);
});

test('the last contact of a DCU is not in the future after the clock was corrected', async () => {
  const { dcuId, sn, dcu } = await dialled();
  const lastHeard = async () =>
    (
      await bench.database.pool.query<{ ahead: number }>(
        'select extract(epoch from last_comm_at - now())::float8 as ahead from dcu where id = $1',
        [dcuId],
      )
    ).rows[0]?.ahead;
  step(HOUR_MS);
  dcu.identify(sn, 1);
  await vi.waitFor(async () => expect(await lastHeard()).toBeGreaterThan(3000), { timeout: 5_000 });
  step(0);
  dcu.identify(sn, 1);
  await vi.waitFor(async () => expect(await lastHeard()).toBeLessThan(60), { timeout: 5_000 });
});

describe('When the clock of a meter is set back by an hour while it is read', () => {
  /** Time of the step, two hours ago, on a capture. */
  const before2h = () => Math.floor((Date.now() - 2 * HOUR_MS) / QUARTER_MS) * QUARTER_MS;

  test('every slot is stored once with the last captured value, none is lost, and the DCU stays online', async () => {
    const { dcuId, meterIds, meter, dcu } = await dialled();
    const at = before2h();
    const begins = Date.now();
    // The first requests belong to the association; the request for the buffer follows.
    let asked = 0;
    dcu.onAsked = () => {
      if (++asked === 4) meter.setBack = { at, byMs: HOUR_MS };
    };
    // A look-back of one day begins at midnight; within the first hour after it, the clock is set back to the day before.
    await collect(dcuId, meterIds, 2);
    const slots = await slotsOf(meterIds[0]);
    const stamps = slots.map((slot) => slot.at);
    expect(stamps).toEqual(stamps.map((_at, k) => (stamps[0] ?? 0) + k * QUARTER_MS));
    expect(stamps.at(-1)).toBeGreaterThanOrEqual(Math.floor(begins / QUARTER_MS) * QUARTER_MS - HOUR_MS);
    for (const slot of slots) expect(slot.wh).toBe(truth.ePlus(slot.at > at - HOUR_MS ? slot.at + HOUR_MS : slot.at));
    expect(await sessionsOf(dcuId)).toEqual([{ status: 'online', closed: false, reason: null, isInOrder: true }]);
  });

  test('rows that repeat the times of stored ones do not replace them', async () => {
    const { dcuId, meterIds, meter } = await dialled();
    await collect(dcuId, meterIds);
    const before = await slotsOf(meterIds[0]);
    meter.setBack = { at: before2h(), byMs: HOUR_MS };
    await collect(dcuId, meterIds);
    expect(await slotsOf(meterIds[0])).toEqual(before);
  });
});

describe.each(['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kathmandu', 'America/New_York', 'Pacific/Marquesas'])(
  'On a server whose own zone is %s',
  (zone) => {
    const own = process.env['TZ'];
    beforeEach(() => void (process.env['TZ'] = zone));
    afterEach(() => {
      if (own === undefined) delete process.env['TZ'];
      else process.env['TZ'] = own;
    });

    test('every capture is stored in its own slot', async () => {
      expect(new Date(0).getTimezoneOffset()).not.toBe(0);
      const { dcuId, meterIds } = await dialled();
      await collect(dcuId, meterIds, 3);
      const slots = await slotsOf(meterIds[0]);
      expect(slots.length).toBeGreaterThanOrEqual(2 * 96);
      expect(slots.map(({ at }) => at)).toEqual(slots.map((_slot, k) => (slots[0]?.at ?? 0) + k * QUARTER_MS));
      for (const { at, wh } of slots) expect(wh).toBe(truth.ePlus(at));
    });
  },
);
