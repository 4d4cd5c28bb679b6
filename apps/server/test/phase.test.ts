import type { phase, PhaseBalance, PhaseRow } from '@hes/contract/analysis/phase.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { createWorld, type World } from '@hes/simulator/world/world.ts';
import type { MeterPlan } from '@hes/simulator/world/plan.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Partitions } from '../src/storage/partitions.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';

const DAY_MS = 86_400_000;
const SLOTS = 96;
const SLOT_MS = DAY_MS / SLOTS;
const DAYS = 8;
const SEEDS = [1, 2, 3];
/** Transformers per fleet; enough for some hundred meters. */
const TRANSFORMERS = 4;

let app: TestApp;
let analyst: TestUser;
const worlds = new Map<number, World>();
const transformerIds: string[] = [];
/** Of every meter, by serial number. */
const truth = new Map<string, MeterPlan>();

const lastDay = Math.floor(Date.now() / DAY_MS) - 1;
const dayText = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10);
const asked = { from: dayText(lastDay - DAYS + 1), to: dayText(lastDay) };
const range = `from=${asked.from}&to=${asked.to}`;
const snOf = (seed: number, meter: MeterPlan) => `${seed}${meter.sn}`;

/** One slot of eleven never arrived. */
const arrived = (slot: number, day: number, meter: MeterPlan) => (slot * 7 + day * 3 + meter.index) % 11 !== 0;

/** Load profile B of a UTC day as it is stored. */
function rowOf(world: World, meter: MeterPlan, day: number, isMaster: boolean) {
  const seen = Array.from({ length: SLOTS }, (_, slot) =>
    isMaster || arrived(slot, day, meter) ? world.electricOfSlot(meter, day * DAY_MS + slot * SLOT_MS) : null,
  );
  const of = (pick: (one: NonNullable<(typeof seen)[number]>) => number | undefined, step: number) => {
    const values = seen.map((one) => (one === null ? null : pick(one)));
    return values.every((value) => value === undefined || value === null)
      ? null
      : values.map((value) => (value == null ? null : Math.round(value / step) * step));
  };
  return {
    present: seen.filter((one) => one !== null).length,
    status: seen.map((one) => (one === null ? null : 0)),
    u: [0, 1, 2].map((at) => of((one) => one.voltages[at] && one.voltages[at] * 1000, 100)),
    i: [0, 1, 2].map((at) => of((one) => one.currents[at] && one.currents[at] * 1000, 10)),
    i0: isMaster ? of((one) => one.neutral * 1000, 10) : null,
    pf: of((one) => one.powerFactor * 1000, 1),
    f: [0, 1, 2].map((at) => of((one) => one.factors[at] && one.factors[at] * 1000, 1)),
  };
}

async function plant(seed: number): Promise<void> {
  const world = createWorld(seed);
  worlds.set(seed, world);
  const { pool } = app.ctx;
  for (const transformer of world.plan.transformers.slice(0, TRANSFORMERS)) {
    const placed = await pool.query<{ id: string }>(
      `insert into transformer (code, name, level_id) select $1, $1, id from network_level where code = 'TOWN' returning id`,
      [`${seed}-${transformer.code}`],
    );
    const transformerId = placed.rows[0]?.id ?? '';
    transformerIds.push(transformerId);
    for (const meter of world.plan.meters.filter((one) => one.transformer === transformer)) {
      const sn = snOf(seed, meter);
      truth.set(sn, meter);
      const { rows } = await pool.query<{ id: string }>(
        `insert into meter (sn, meter_type_id, is_master, communication_mode, inventory_state, transformer_id, recorded_phase)
         select $1, id, $2, 'plc', 'active', $3, $4 from meter_type where code = $5 returning id`,
        [sn, meter.kind === 'master', transformerId, meter.recordedPhase ?? meter.phase, meter.phase === 'abc' ? 'THREE' : 'ONE'],
      );
      const id = rows[0]?.id ?? '';
      if (meter.kind === 'master') await pool.query('update transformer set master_meter_id = $1 where id = $2', [id, transformerId]);
      await store(id, world, meter);
    }
  }
}

async function store(id: string, world: World, meter: MeterPlan): Promise<void> {
  const days = Array.from({ length: DAYS }, (_, at) => lastDay - at);
  const rows = days.map((day) => ({ day: dayText(day), ...rowOf(world, meter, day, meter.kind === 'master') }));
  const flat = rows.map(({ u: [u1, u2, u3], i: [i1, i2, i3], f: [f1, f2, f3], ...row }) => ({
    ...row,
    u1,
    u2,
    u3,
    i1,
    i2,
    i3,
    f1,
    f2,
    f3,
  }));
  await app.ctx.pool.query(
    `insert into reading_profile (meter_id, profile, day, period_s, present, status, u1_mv, u2_mv, u3_mv, i1_ma, i2_ma, i3_ma, i0_ma, pf_milli, pf1_milli, pf2_milli, pf3_milli, read_at, source)
     select $1, 'lpb', day, 900, present, status, u1, u2, u3, i1, i2, i3, i0, pf, f1, f2, f3, now(), 'meter'
     from jsonb_to_recordset($2::jsonb) as r (day date, present int, status int[], u1 int[], u2 int[], u3 int[], i1 int[], i2 int[], i3 int[], i0 int[], pf int[],
       f1 int[], f2 int[], f3 int[])`,
    [id, JSON.stringify(flat)],
  );
  const freezes = [lastDay - DAYS + 1, lastDay].map((day) => [dayText(day), world.register(meter, day * DAY_MS, 'plus', 0) / 1000]);
  await app.ctx.pool.query(
    `insert into reading_daily (meter_id, freeze_date, read_at, source, quality, e_plus) select $1, (f ->> 0)::date, now(), 'meter', 'read', (f ->> 1)::numeric
     from jsonb_array_elements($2::jsonb) as f`,
    [id, JSON.stringify(freezes)],
  );
}

beforeAll(async () => {
  app = await testApp();
  const { pool } = app.ctx;
  await pool.query(`
    insert into supplier (code, name) values ('T', 'T');
    insert into southbound_profile (key, name, device_kind, body) values ('t', 'T', 'meter', '{}');
    insert into network_level (name, code, type, path) values ('Town', 'TOWN', 'company', '{1}');
    insert into meter_type (code, name, supplier_id, phase, voltage, profile_id)
      select v.code, v.code, s.id, v.phase, v.voltage, p.id from supplier s, southbound_profile p,
        (values ('ONE', '1p2w', '220 V'), ('THREE', '3p4w', '3x220/380 V')) as v (code, phase, voltage) where s.code = 'T' and p.key = 't'`);
  const partitions = new Partitions(pool);
  const days = Array.from({ length: DAYS }, (_, at) => lastDay - at);
  await partitions.ensure('reading_profile', days);
  await partitions.ensure('reading_daily', days);
  analyst = await app.addUser({ roles: ['ADMIN'] });
  for (const seed of SEEDS) await plant(seed);
}, 240_000);
afterAll(() => app.close());

const get = async <T>(path: string) => (await app.call(analyst, { url: `/api${path}` })).json<T>();
const send = (method: 'POST' | 'PUT', path: string, payload?: object) =>
  app.call(analyst, { method, url: `/api${path}`, ...(payload ? { payload } : {}) });
/** Ordered, and done. */
async function identify(transformerId: string | undefined): Promise<void> {
  const answer = await send('POST', `/analysis/phase/${transformerId}/identify`);
  expect(answer.statusCode).toBe(202);
  const { taskId } = answer.json<{ taskId: string }>();
  const state = () => get<{ state: string; done: number; total: number }>(`/task/${taskId}`);
  await expect.poll(state, { timeout: 30_000 }).toMatchObject({ state: 'finished', done: 4, total: 4 });
}
const rowsOf = async (transformerId: string, filter = '') =>
  (await get<{ items: PhaseRow[] }>(`/analysis/phase?transformerId=${transformerId}&size=500${filter}`)).items;
/** The first transformer of the first fleet. */
const first = () => transformerIds[0] ?? '';

describe('the identification of phases', () => {
  it('S-029: is right for at least 98 % of the meters it calls sure, and finds every phase that was written down wrong, over three towns', async () => {
    let sure = 0;
    let right = 0;
    let single = 0;
    const wrongInArchive: string[] = [];
    const conflicts: string[] = [];
    for (const id of transformerIds) {
      await identify(id);
      for (const row of await rowsOf(id)) {
        const plan = truth.get(row.sn);
        if (plan === undefined || plan.phase === 'abc') continue;
        single += 1;
        if (plan.recordedPhase !== undefined) wrongInArchive.push(row.sn);
        if (row.isConflict) conflicts.push(row.sn);
        if ((row.confidence ?? 0) < 0.8) continue;
        sure += 1;
        if (row.finalPhase === plan.phase) right += 1;
      }
    }
    expect(single).toBeGreaterThan(200);
    expect(sure / single).toBeGreaterThan(0.9);
    expect(right / sure).toBeGreaterThanOrEqual(0.98);
    expect(conflicts.toSorted()).toEqual(wrongInArchive.toSorted());
  }, 60_000);

  it('says what each witness saw, and what three-phase meters hang on without asking any', async () => {
    const rows = await rowsOf(first());
    const [single] = rows.filter((row) => row.finalPhase !== 'abc' && row.state === 'proposed');
    expect(single?.master?.phase).toBe(single?.finalPhase);
    expect(single?.master?.samples).toBeGreaterThan(200);
    expect(single?.neighbours?.meters).toBeGreaterThan(5);
    expect(single?.modulePhase).toBeNull();
    const three = rows.filter((row) => row.finalPhase === 'abc');
    expect(three.every((row) => row.confidence === 1 && row.master === null)).toBe(true);
  });

  it('is refused, with the days that are there, while less than a week of load profile B is', async () => {
    await app.ctx.pool.query(
      `delete from reading_profile where meter_id = (select master_meter_id from transformer where id = $1) and day < $2`,
      [transformerIds[1], dayText(lastDay - 3)],
    );
    const answer = await send('POST', `/analysis/phase/${transformerIds[1]}/identify`);
    expect([answer.statusCode, answer.json().code]).toEqual([409, 'NEEDS_LOAD_PROFILE']);
    expect(answer.json().detail ?? JSON.stringify(answer.json())).toContain('4');
  });
});

describe('a proposed phase', () => {
  it('is accepted, and written into the archive, where its meter is another one than before', async () => {
    let wrong: PhaseRow | undefined;
    let transformerId = '';
    for (const id of transformerIds) {
      const [found] = await rowsOf(id, '&isConflict=true');
      if (found && !wrong) [wrong, transformerId] = [found, id];
    }
    expect(wrong?.recordedPhase).not.toBe(wrong?.finalPhase);
    const meterIds = [wrong?.meterId];
    expect((await send('PUT', '/analysis/phase/archive', { meterIds })).json().code).toBe('NOTHING_TO_DO');
    expect((await send('PUT', '/analysis/phase/accept', { meterIds })).json()).toEqual({ accepted: 1 });
    expect((await send('PUT', '/analysis/phase/archive', { meterIds })).json()).toEqual({ written: 1, dcus: [] });
    const [after] = await rowsOf(transformerId, `&search=${wrong?.sn}`);
    expect(after).toMatchObject({ recordedPhase: wrong?.finalPhase, state: 'written', isConflict: false });
    // Another computation does not change it.
    await identify(transformerId);
    expect((await rowsOf(transformerId, `&search=${wrong?.sn}`))[0]?.state).toBe('written');
  }, 30_000);

  it('is sent to the DCUs of written meters whose archives it made old, once, and never of a meter that is not written', async () => {
    const { pool } = app.ctx;
    const rows = await rowsOf(first(), '&state=written,proposed');
    const [written, proposed] = [rows.find((row) => row.state === 'written'), rows.find((row) => row.state === 'proposed')];
    const meterIds = [written?.meterId ?? '', proposed?.meterId ?? ''];
    expect((await send('POST', '/analysis/phase/send', { meterIds })).json().code).toBe('NOTHING_TO_DO');
    const dcu = await pool.query<{ id: string }>(
      `with p as (select id from southbound_profile where key = 'hes-dcu-1'),
         t as (insert into dcu_type (code, name, supplier_id, profile_id) select 'D', 'D', supplier.id, p.id from supplier, p where supplier.code = 'T' returning id)
       insert into dcu (sn, name, dcu_type_id, transformer_id, connection_type) select 'DCU000001', 'D', id, $1, 'dial_in' from t returning id`,
      [first()],
    );
    const dcuId = dcu.rows[0]?.id ?? '';
    // Their records follow them.
    await pool.query('update meter set dcu_id = $1 where id = any($2::bigint[])', [dcuId, meterIds]);
    expect((await rowsOf(first(), `&search=${written?.sn}`))[0]?.awaitsDispatch).toBe(true);
    const sent = await send('POST', '/analysis/phase/send', { meterIds });
    expect([sent.statusCode, sent.json()]).toMatchObject([202, { tasks: [{ dcuSn: 'DCU000001', meters: 1 }], busy: [] }]);
    const task = await pool.query<{ sns: string[] }>("select params -> 'sns' as sns from task where id = $1", [
      sent.json().tasks[0].taskId,
    ]);
    expect(task.rows[0]?.sns).toEqual([written?.sn]);
    expect((await send('POST', '/analysis/phase/send', { meterIds })).json().code).toBe('BUSY');
  });

  it('is accepted with all others of a transformer from 90 % on, and then there is nothing left to accept', async () => {
    const { verySure } = await get<{ verySure: number }>(`/analysis/phase/${first()}/summary`);
    expect(verySure).toBeGreaterThan(5);
    expect((await send('PUT', '/analysis/phase/accept', { transformerId: first() })).json()).toEqual({ accepted: verySure });
    expect((await send('PUT', '/analysis/phase/accept', { transformerId: first() })).json().code).toBe('NOTHING_TO_DO');
  });
});

interface Fact {
  sn: string;
  fact: string;
  phase: string | null;
  times: number;
}
const factsOf = async () =>
  (await get<{ items: Fact[] }>(`/analysis/phase-fact?transformerId=${first()}&${range}`)).items.map(({ sn, fact, phase, times }) => [
    sn,
    fact,
    phase,
    times,
  ]);

/** Changes what a meter measured on a day, in as many slots as wished, of those that arrived. */
async function set(row: PhaseRow | undefined, day: number, slots: number, values: Record<string, number>): Promise<void> {
  const meter = truth.get(row?.sn ?? '');
  const there = Array.from({ length: SLOTS }, (_, slot) => slot).filter((slot) => meter && arrived(slot, day, meter));
  for (const slot of there.slice(40, 40 + slots))
    for (const [column, value] of Object.entries(values))
      await app.ctx.pool.query(`update reading_profile set ${column}[$1] = $2 where meter_id = $3 and profile = 'lpb' and day = $4`, [
        slot + 1,
        value,
        row?.meterId,
        dayText(day),
      ]);
}

describe('the balance of a transformer', () => {
  it('shows what the master meter measured, a day in quarters and every day in hours', async () => {
    const balance = await get<PhaseBalance>(`/analysis/phase/${first()}/balance?${range}&day=${dayText(lastDay - 2)}`);
    const world = worlds.get(1);
    const master = world?.plan.meters.find((one) => one.kind === 'master' && one.transformer === world.plan.transformers[0]);
    expect(balance.slots).toHaveLength(SLOTS);
    for (const slot of balance.slots.slice(0, 10)) {
      const seen = master && world?.electricOfSlot(master, Date.parse(slot.at));
      const [a = 0, b = 0, c = 0] = slot.current.map(Number);
      expect(a).toBeCloseTo(seen?.currents[0] ?? 0, 1);
      const mean = (a + b + c) / 3;
      expect(slot.currentUnbalancePercent).toBeCloseTo((100 * Math.max(...[a, b, c].map((one) => Math.abs(one - mean)))) / mean, 6);
      const kw = slot.power.reduce((sum: number, one) => sum + (one ?? 0), 0);
      expect(Math.abs(kw * 1000 - (seen?.powerW ?? 0))).toBeLessThan(0.02 * (seen?.powerW ?? 1) + 20);
      slot.power.forEach((one, phase) => {
        const apparentKva = ((slot.voltage[phase] ?? 0) * (slot.current[phase] ?? 0)) / 1000;
        expect((one ?? 0) / apparentKva).toBeCloseTo(seen?.factors[phase] ?? 0, 3);
      });
    }
    expect(balance.heat).toHaveLength(DAYS);
    expect(balance.heat[3]?.hours.every(({ value }) => value !== null)).toBe(true);
    expect(balance.limits.lowV).toBeCloseTo(198, 6);
    const meters = balance.shares.reduce((sum, share) => sum + share.meters, 0);
    expect(meters).toBe((await rowsOf(first())).length);
  });

  it('proposes moves that make it better, each naming a meter and where it should hang', async () => {
    const plan = await get<ResponseOf<typeof phase.whatIf>>(`/analysis/phase/${first()}/what-if?${range}&moves=3`);
    const { meanUnbalancePercent } = await get<PhaseBalance>(`/analysis/phase/${first()}/balance?${range}`);
    expect(plan.measuredPercent).toBe(meanUnbalancePercent);
    expect(plan.moves.length).toBeGreaterThan(0);
    expect(plan.moves.length).toBeLessThanOrEqual(3);
    expect(plan.after.unbalancePercent).toBeLessThan(plan.before.unbalancePercent);
  });

  it('finds a phase that fails, and a current where there is no voltage', async () => {
    expect(await get(`/analysis/phase-fact?transformerId=${first()}&${range}`)).toEqual({ items: [] });
    const [three] = (await rowsOf(first())).filter((row) => row.finalPhase === 'abc');
    const [one] = (await rowsOf(first())).filter((row) => row.finalPhase === 'a');
    await set(three, lastDay - 2, 2, { u2_mv: 3000, i2_ma: 0 });
    await set(one, lastDay - 2, 1, { u1_mv: 0, i1_ma: 900 });
    expect(await factsOf()).toEqual(
      expect.arrayContaining([
        [three?.sn, 'missing_phase', 'b', 2],
        [one?.sn, 'current_without_voltage', 'a', 1],
      ]),
    );
    // The filtered rows are exported unchanged, in either language and as a workbook, too.
    const file = async (format: 'csv' | 'xlsx', language: string) => {
      const payload = { format, filter: { transformerId: first(), ...asked, fact: 'missing_phase', search: three?.sn } };
      const headers = { 'accept-language': language };
      const job = (await app.call(analyst, { method: 'POST', url: '/api/export/phase-fact', payload, headers })).json<{ id: string }>();
      return app.call(analyst, { url: `/api/export/${job.id}/file` });
    };
    const lines = (await file('csv', 'en')).body.trimEnd().split('\r\n');
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^${three?.sn},.*,B,2,`));
    expect((await file('csv', 'zh-CN')).body).toMatch(/^\uFEFF?电表编号,/);
    expect((await file('xlsx', 'en')).rawPayload.subarray(0, 2).toString()).toBe('PK');
  });

  it('finds a neutral that carries what its phases do not leave for it, and phases in the wrong order', async () => {
    const { pool } = app.ctx;
    const three = (await rowsOf(first())).filter((row) => row.finalPhase === 'abc').at(-1);
    // 5 A on each phase cancel out; 4 A in the neutral come from somewhere else.
    await pool.query(
      `update reading_profile set i0_ma = array_fill(0, array[96]),
         i1_ma = array_fill(5000, array[96]), i2_ma = array_fill(5000, array[96]), i3_ma = array_fill(5000, array[96])
       where meter_id = $1 and profile = 'lpb' and day = $2`,
      [three?.meterId, dayText(lastDay - 1)],
    );
    await set(three, lastDay - 1, 3, { i0_ma: 4000 });
    await pool.query(
      `insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, dedup_hash, source)
       values ('meter', $1, (select min(id) from dcu), 'standard', 88, $2, 'occur', '', 'wrong order', 'pull')`,
      [three?.meterId, `${dayText(lastDay - 1)}T12:00:00Z`],
    );
    const found = (await factsOf()).filter(([sn]) => sn === three?.sn);
    expect(found).toEqual(
      expect.arrayContaining([
        [three?.sn, 'neutral_mismatch', null, 3],
        [three?.sn, 'reversed_sequence', null, 1],
      ]),
    );
  });
});
