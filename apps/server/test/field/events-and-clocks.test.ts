import type { Simulation } from '@hes/simulator/simulation.ts';
import { SETTINGS } from '@hes/contract/states/settings.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findBrokenCommand } from '../../src/db/command-log.ts';
import { announceDevices } from '../../src/platform/device-changes.ts';
import type { TestApp, TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

let bench: AppBench;
let app: TestApp;
let simulation: Simulation;
let admin: TestUser;

beforeAll(async () => {
  bench = await appBench();
  ({ app, simulation } = bench);
  // Those that are to be dialled are looked for at once.
  announceDevices(app.ctx, 'dcu', ['0']);
  admin = await app.addUser({ roles: ['ADMIN'] });
}, 60_000);
afterAll(() => bench.close());

const get = async (url: string, user = admin) => (await app.call(user, { method: 'GET', url: `/api${url}` })).json();
const send = (method: 'POST' | 'PUT', url: string, payload: object, user = admin) => app.call(user, { method, url: `/api${url}`, payload });

/** Meters that answer, of DCUs that are there, by serial number. */
async function meters(want: (sn: string) => boolean = () => true): Promise<{ id: string; sn: string; dcuId: string }[]> {
  const { plan } = simulation.world;
  const good = new Set(
    plan.meters.filter((meter) => !meter.isSilent && !meter.hasWrongKey && meter.kind !== 'master').map((meter) => meter.sn),
  );
  const dialling = new Set(
    plan.meters
      .filter((meter) => good.has(meter.sn) && meter.dcu.connectionType === 'dial_in' && !meter.dcu.isAbsent)
      .map((meter) => meter.dcu.sn),
  );
  const found = await vi.waitFor(
    async () => {
      const { rows } = await app.ctx.pool.query<{ id: string; sn: string; dcuId: string; dcuSn: string }>(
        `select m.id, m.sn, m.dcu_id as "dcuId", d.sn as "dcuSn" from meter m join dcu d on d.id = m.dcu_id where d.online_status = 'online' order by m.sn`,
      );
      const reached = rows.filter((row) => good.has(row.sn));
      const there = new Set(reached.map((row) => row.dcuSn));
      if ([...dialling].some((sn) => !there.has(sn))) throw new Error('Not online yet');
      return reached.filter((row) => want(row.sn));
    },
    { timeout: 20_000 },
  );
  return found;
}

async function ended(taskId: string) {
  await vi.waitFor(
    async () => {
      const task = await get(`/task/${taskId}`);
      if (task.finishedAt === null) throw new Error(`Still ${task.state}`);
    },
    { timeout: 20_000 },
  );
  return (await get(`/task/${taskId}/items`)).items;
}

async function order(url: string, payload: object) {
  const answer = await send('POST', url, payload);
  expect(answer.statusCode, answer.body).toBe(202);
  return ended(answer.json().taskId);
}

const DAY_MS = 86_400_000;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** A meter whose cover was opened, after its log of fraud has been read. */
async function readTampered() {
  const tampered = simulation.world.plan.meters.filter((meter) => meter.isTampered && !meter.isSilent && !meter.hasWrongKey);
  const [device] = await meters((sn) => tampered.some((meter) => meter.sn === sn));
  const plan = tampered.find(({ sn }) => sn === device?.sn);
  if (device === undefined || plan === undefined) throw new Error('No such meter');
  const span = { from: dayOf(Date.now() - 29 * DAY_MS), to: dayOf(Date.now() + DAY_MS) };
  await order('/action/read/event', { devices: [{ kind: 'meter', id: device.id }], logs: ['fraud'], ...span });
  return { device, plan };
}

describe('events', () => {
  test('S-020: an event log is read over DLMS and gives what the meter logged, each event once', async () => {
    const tampered = simulation.world.plan.meters.filter((meter) => meter.isTampered && !meter.isSilent && !meter.hasWrongKey);
    const devices = (await meters((sn) => tampered.some((meter) => meter.sn === sn))).slice(0, 3);
    expect(devices.length).toBeGreaterThan(0);
    const body = {
      devices: devices.map(({ id }) => ({ kind: 'meter', id })),
      logs: ['standard', 'fraud', 'disconnector'],
      from: dayOf(Date.now() - 29 * DAY_MS),
      to: dayOf(Date.now() + DAY_MS),
    };
    const first = await order('/action/read/event', body);
    for (const item of first) {
      expect(item.state).toBe('read_success');
      // These meters have no such log, which fails nothing.
      expect(item.result.events.absent).toEqual(['disconnector']);
      expect(item.result.events.fresh).toBe(item.result.events.found);
      const plan = simulation.world.meterBySn.get(item.meterSn);
      if (plan === undefined) throw new Error('No such meter');
      const truth = (['standard', 'fraud'] as const).flatMap((log) =>
        simulation.world.events(plan, log, Date.now() - 28 * DAY_MS, Date.now()).map((event) => `${log}:${event.code}@${event.at}`),
      );
      const stored = await get(`/event?node=meter:${item.meterId}&size=500`);
      const got = stored.items.map(
        (row: { log: string; code: number; occurAt: string }) => `${row.log}:${row.code}@${Date.parse(row.occurAt)}`,
      );
      expect(got).toEqual(expect.arrayContaining(truth));
    }
    const again = await order('/action/read/event', body);
    for (const item of again) {
      expect(item.result.events.fresh).toBe(0);
      expect(item.result.events.rows.every((row: { isKnown: boolean }) => row.isKnown)).toBe(true);
    }
  });

  test('the last entries of a log are read by their number', async () => {
    const [device] = await meters();
    const [item] = await order('/action/read/event', { devices: [{ kind: 'meter', id: device?.id }], logs: ['standard'], last: 2 });
    expect(item.result.events.found).toBeLessThanOrEqual(2);
  });

  test('S-228 S-229 S-230 S-231 S-232 S-233 S-234: an event has code, name, time, direction, message, note and level', async () => {
    const { device, plan } = await readTampered();
    const list = await get(`/event?logs=fraud&size=50&node=meter:${device.id}`);
    const removed = list.items.find((row: { code: number }) => row.code === 40);
    const truth = simulation.world.events(plan, 'fraud', Date.now() - 28 * DAY_MS, Date.now()).filter(({ code }) => code === 40);
    expect(truth.map(({ at }) => new Date(at).toISOString())).toContain(removed.occurAt);
    expect(removed).toMatchObject({
      nameEn: 'Terminal Cover Removed',
      nameZh: '端钮盖打开',
      direction: 'occur',
      abnormalLevel: 'serious',
      message: '0.0.96.11.1.255 = 40',
      note: null,
    });
    expect(removed.raw).toMatch(/^02/);
    const noted = await send('PUT', `/event/${removed.id}/note`, { note: 'Crew sent', version: removed.version });
    expect(noted.json()).toMatchObject({ note: 'Crew sent', version: removed.version + 1 });
    const stale = await send('PUT', `/event/${removed.id}/note`, { note: 'Other', version: removed.version });
    expect(stale.json().code).toBe('STALE');
  });

  test('an occurrence is closed by the event that ends it, which gives its duration', async () => {
    const list = await get('/event?codes=fraud:40&size=50');
    for (const row of list.items) expect(Date.parse(row.recoveredAt) - Date.parse(row.occurAt)).toBe(6 * 60_000);
  });

  test('an outage of a transformer is one incident, however many meters report it', async () => {
    const [one] = await meters();
    const all = (await meters()).filter((meter) => meter.dcuId === one?.dcuId);
    await order('/action/read/event', {
      devices: all.map(({ id }) => ({ kind: 'meter', id })),
      logs: ['standard'],
      from: dayOf(Date.now() - 29 * DAY_MS),
      to: dayOf(Date.now() + DAY_MS),
    });
    const incidents = await get(`/event/incident?codes=standard:1&node=dcu:${one?.dcuId}`);
    const plan = simulation.world.meterBySn.get(one?.sn ?? '');
    if (plan === undefined) throw new Error('No such meter');
    const from = Date.now() - 28 * DAY_MS;
    const downs = simulation.world.events(plan, 'standard', from, Date.now()).filter((event) => event.code === 1);
    for (const down of downs) {
      const incident = incidents.items.find((row: { openedAt: string }) => Date.parse(row.openedAt) === down.at);
      expect(incident.members).toBeGreaterThanOrEqual(all.length);
      expect(incident.closedAt).not.toBeNull();
    }
  });

  test('what is acknowledged waits no more, and once is enough', async () => {
    const before = await get('/event/facets');
    const open = (await get('/event?level=serious&acknowledged=false')).items[0];
    expect((await send('PUT', '/event/ack', { ids: [open.id] })).json()).toEqual({ acknowledged: 1 });
    expect((await send('PUT', '/event/ack', { ids: [open.id] })).json().code).toBe('NOTHING_TO_DO');
    expect((await get('/event/facets')).unacknowledged).toBe(before.unacknowledged - 1);
    expect(await get(`/event/${open.id}`)).toMatchObject({ ackByName: expect.any(String) });
  });

  test('a muted code of a device is kept and waits for nobody', async () => {
    // Any will do: how many still wait depends on what the town lived through.
    const [one] = (await get('/event')).items;
    const until = new Date(Date.now() + DAY_MS).toISOString();
    expect((await send('POST', '/event/mute', { eventId: one.id, until, reason: 'Being repaired' })).statusCode).toBe(201);
    expect((await get(`/event/${one.id}`)).isMuted).toBe(true);
    const { items } = await get('/event/mute');
    expect(items).toMatchObject([{ code: one.code, log: one.log }]);
    expect((await app.call(admin, { method: 'DELETE', url: `/api/event/mute/${items[0].id}` })).statusCode).toBe(204);
    expect((await get(`/event/${one.id}`)).isMuted).toBe(false);
  });

  test('a code that is named again is known by that name and level everywhere', async () => {
    const { items } = await get('/event/code');
    const code = items.find((row: { log: string; code: number }) => row.log === 'standard' && row.code === 4);
    const saved = await send('PUT', '/event/code', { ...code, nameEn: 'Time Changed', abnormalLevel: 'warning' });
    expect(saved.json()).toMatchObject({ nameEn: 'Time Changed', version: code.version + 1 });
    for (const row of (await get('/event?codes=standard:4')).items)
      expect(row).toMatchObject({ nameEn: 'Time Changed', abnormalLevel: 'warning' });
    expect((await send('PUT', '/event/code', { ...code, nameEn: 'Late' })).json().code).toBe('STALE');
  });

  test('S-024 S-340 S-341 S-342: are listed, of all levels or of those that are asked for', async () => {
    const levels = async (filter: string) => {
      const { items, total } = await get(
        `/event?size=200&${filter}&from=${dayOf(Date.now() - 29 * DAY_MS)}&to=${dayOf(Date.now() + DAY_MS)}`,
      );
      return { total, levels: [...new Set<string | null>(items.map((row: { abnormalLevel: string | null }) => row.abnormalLevel))] };
    };
    const [all, serious, warnings] = await Promise.all(['', 'level=serious', 'level=warning'].map(levels));
    expect(serious).toMatchObject({ levels: ['serious'] });
    expect(warnings?.levels).toEqual(['warning']);
    expect(all?.total).toBeGreaterThanOrEqual((serious?.total ?? 0) + (warnings?.total ?? 0));
    expect((await levels('level=all')).total).toBe(all?.total);
  });

  test('nobody sees events outside of his area, and more than 31 days are refused', async () => {
    const empty = await app.ctx.pool.query<{ id: string }>(
      "insert into network_level (name, code, type, path) values ('Far', 'FAR', 'company', '{999999}') returning id",
    );
    const stranger = await app.addUser({ scope: [empty.rows[0]?.id ?? ''] });
    expect((await get('/event', stranger)).items).toEqual([]);
    expect((await get('/event/facets', stranger)).all).toBe(0);
    expect((await app.call(admin, { method: 'GET', url: '/api/event?from=2026-01-01&to=2026-02-01' })).json().code).toBe('RANGE_TOO_LONG');
  });
});

describe('clocks', () => {
  const driftOf = (sn: string) => simulation.world.meterBySn.get(sn)?.driftSeconds ?? 0;

  test('S-021: a clock is read, set right and proved by reading it back', async () => {
    const slow = (await meters((sn) => driftOf(sn) < -6))[0];
    if (slow === undefined) throw new Error('No clock is off');
    const devices = [{ kind: 'meter', id: slow.id }];
    const [read] = await order('/action/clock', { devices, operation: 'read' });
    expect(Math.abs(read.result.clock.deviationMs - driftOf(slow.sn) * 1000)).toBeLessThan(500);
    expect((await get(`/action/clock?node=meter:${slow.id}`)).items[0]).toMatchObject({ class: 'adjust', lastSyncAt: null });

    const [set] = await order('/action/clock', { devices, operation: 'sync', reason: 'Month end' });
    expect(set.result.clock).toMatchObject({ method: 'shift', beforeMs: expect.any(Number) });
    expect(Math.abs(set.result.clock.deviationMs)).toBeLessThan(1000);
    expect((await get(`/action/clock?node=meter:${slow.id}`)).items[0]).toMatchObject({ class: 'fine', lastSyncMethod: 'shift' });
  });

  test('a clock that is right is left alone', async () => {
    const right = (await meters((sn) => driftOf(sn) === 0))[0];
    const [item] = await order('/action/clock', { devices: [{ kind: 'meter', id: right?.id }], operation: 'sync', reason: 'Check' });
    expect(item.result.clock.method).toBeNull();
  });

  test('a clock that is off by more than the limit is set only when somebody has confirmed the jump', async () => {
    const [device] = await meters((sn) => driftOf(sn) > 6);
    const devices = [{ kind: 'meter', id: device?.id }];
    const { value } = SETTINGS.thresholds;
    const strict = JSON.stringify({ ...value, clockFineS: 1, clockAdjustS: 2, clockSetS: 3 });
    await app.ctx.pool.query("insert into setting (key, value) values ('thresholds', $1)", [strict]);
    const [refused] = await order('/action/clock', { devices, operation: 'sync', reason: 'Try' });
    expect(refused).toMatchObject({ state: 'read_fail', reasonCode: 'CLOCK_CONFIRM' });
    const [set] = await order('/action/clock', { devices, operation: 'sync', reason: 'Sure', isConfirmed: true });
    expect(set.result.clock).toMatchObject({ method: 'set' });
    expect(Math.abs(set.result.clock.deviationMs)).toBeLessThan(1000);
    await app.ctx.pool.query("delete from setting where key = 'thresholds'");
  });

  test('every clock that was touched stands in the command log, whose chain is whole', async () => {
    const { rows } = await app.ctx.pool.query(
      "select kind, result, reason is not null as is_order from command_log where kind = 'clock_sync' order by id",
    );
    expect(rows.filter((row) => row.is_order)).toHaveLength(4);
    expect(rows.filter((row) => !row.is_order).map((row) => row.result)).toEqual(['ok', 'ok', 'CLOCK_CONFIRM', 'ok']);
    expect(await findBrokenCommand(app.ctx.db)).toBeUndefined();
    await expect(app.ctx.pool.query("update command_log set result = 'ok'")).rejects.toThrow(/permission denied/);
  });

  test('a broadcast sets the clock of the DCU, which sets those of all its meters', async () => {
    const fast = (await meters((sn) => driftOf(sn) > 6)).at(-1);
    const devices = [{ kind: 'meter', id: fast?.id }];
    const [dcu] = await order('/action/clock', { devices, operation: 'broadcast', reason: 'Daily' });
    expect(dcu).toMatchObject({ deviceKind: 'dcu', state: 'read_success' });
    const [read] = await order('/action/clock', { devices, operation: 'read' });
    expect(Math.abs(read.result.clock.deviationMs)).toBeLessThan(1000);
  });

  test('a synchronisation without a reason is refused', async () => {
    const [device] = await meters();
    const answer = await send('POST', '/action/clock', { devices: [{ kind: 'meter', id: device?.id }], operation: 'sync' });
    expect(answer.statusCode).toBe(400);
  });

  test('the histogram counts the clocks that were read', async () => {
    const summary = await get('/action/clock/summary');
    const read = (await get('/action/clock?class=fine,adjust,set,confirm')).total;
    expect(summary.histogram.reduce((sum: number, count: number) => sum + count, 0)).toBe(read);
    expect(Object.values(summary.byClass).reduce((sum: number, count) => sum + Number(count), 0)).toBe(summary.total);
  });
});

describe('real-time reading', () => {
  test('S-019: gives what the meter measures this second, and again when it is asked again', async () => {
    const three = (await meters((sn) => simulation.world.meterBySn.get(sn)?.phase === 'abc'))[0];
    const answer = await send('POST', '/action/read/real-time', { meterIds: [three?.id], keep: true });
    const { taskId } = answer.json();
    const [item] = await ended(taskId);
    const values = new Map(item.result.values.map((value: { item: string }) => [value.item, value]));
    expect([...values.keys()]).toEqual(
      expect.arrayContaining(['U1', 'U2', 'U3', 'I1', 'PF', 'P_PLUS', 'E_PLUS', 'RELAY_STATE', 'CLOCK', 'FREQUENCY']),
    );
    expect(values.get('U2')).toMatchObject({ unit: 'V', reasonCode: null });
    expect((await send('POST', `/action/read/real-time/${taskId}/again`, {})).json()).toEqual({ queued: 1 });
    await ended(taskId);
    const kept = await app.ctx.pool.query('select count(*)::int as n from reading_instant where meter_id = $1', [three?.id]);
    expect(kept.rows[0].n).toBeGreaterThanOrEqual(1);
  });

  test('belongs to who ordered it, and ends after half an hour', async () => {
    const [device] = await meters();
    const { taskId } = (await send('POST', '/action/read/real-time', { meterIds: [device?.id] })).json();
    await ended(taskId);
    const other = await app.addUser({ roles: ['ADMIN'] });
    expect((await send('POST', `/action/read/real-time/${taskId}/again`, {}, other)).json().code).toBe('NOT_FOUND');
    await app.ctx.pool.query("update task set created_at = created_at - interval '31 minutes' where id = $1", [taskId]);
    expect((await send('POST', `/action/read/real-time/${taskId}/again`, {})).json().code).toBe('REPEAT_ENDED');
  });
});

describe('on-demand reading', () => {
  /** What the meter read as: the values by their item, and how it ended. */
  const read = async (meterId: string | undefined, items: string[]) => {
    const [item] = await order('/action/read/on-demand', { meterIds: [meterId], kind: 'registers', items });
    expect(item.state).toBe('read_success');
    return new Map<string, { value: number; unit: string; reasonCode: string | null }>(
      item.result.values.map((value: { item: string }) => [value.item, value]),
    );
  };
  const planOf = (sn: string | undefined) => {
    const plan = simulation.world.meterBySn.get(sn ?? '');
    if (plan === undefined) throw new Error('No such meter');
    return plan;
  };

  test('S-237 S-238 S-239 S-240 S-241 S-242 S-243 S-244 S-245 S-246 S-528: energies are those of the registers, in all and under four tariffs', async () => {
    const [device] = await meters();
    const plan = planOf(device?.sn);
    const registers = (['plus', 'minus'] as const).flatMap((direction) =>
      ([0, 1, 2, 3, 4] as const).map((tariff) => ({
        key: `E_${direction.toUpperCase()}${tariff ? `_T${tariff}` : ''}`,
        direction,
        tariff,
      })),
    );
    const truth = () =>
      registers.map(({ direction, tariff }) => simulation.world.register(plan, simulation.clock.now(), direction, tariff));
    const before = truth();
    const values = await read(
      device?.id,
      registers.map(({ key }) => key),
    );
    const after = truth();
    for (const [index, { key }] of registers.entries()) {
      expect(values.get(key), key).toMatchObject({ unit: 'Wh', reasonCode: null });
      expect(values.get(key)?.value, key).toBeGreaterThanOrEqual((before[index] ?? 0) - 1);
      expect(values.get(key)?.value, key).toBeLessThanOrEqual((after[index] ?? 0) + 1);
    }
  });

  test('S-247 S-248 S-249 S-250 S-251 S-252 S-253 S-254: status, power factor, voltage, current and average powers come with their units', async () => {
    const [device] = await meters();
    const values = await read(device?.id, ['STATUS', 'PF', 'U1', 'I1', 'P_AVG_PLUS', 'P_AVG_MINUS', 'S_AVG_PLUS', 'S_AVG_MINUS']);
    for (const [key, value] of values) expect(value.reasonCode, key).toBeNull();
    expect([...values].map(([key, { unit }]) => [key, unit])).toEqual([
      ['STATUS', ''],
      ['PF', ''],
      ['U1', 'V'],
      ['I1', 'A'],
      ['P_AVG_PLUS', 'W'],
      ['P_AVG_MINUS', 'W'],
      ['S_AVG_PLUS', 'VA'],
      ['S_AVG_MINUS', 'VA'],
    ]);
    const seen = simulation.world.electricAt(planOf(device?.sn), simulation.clock.now());
    expect(Math.abs((values.get('U1')?.value ?? 0) - (seen.voltages[0] ?? 0))).toBeLessThan(10);
    expect(values.get('PF')?.value).toBeGreaterThan(0.5);
    // What flows in apparently is never less than what flows in truly.
    expect(values.get('S_AVG_PLUS')?.value).toBeGreaterThanOrEqual((values.get('P_AVG_PLUS')?.value ?? 0) - 1);
  });

  test('S-008 S-009: a meter answers by power line and by radio', async () => {
    for (const bearer of ['plc', 'rf']) {
      const { rows } = await app.ctx.pool.query<{ sn: string }>('select sn from meter where communication_mode = $1', [bearer]);
      const sns = new Set(rows.map(({ sn }) => sn));
      // Who is dialled by the head-end is there a little later than who dials.
      const device = await vi.waitFor(
        async () => {
          const [first] = await meters((sn) => sns.has(sn));
          if (first === undefined) throw new Error(`No meter by ${bearer} yet`);
          return first;
        },
        { timeout: 20_000, interval: 200 },
      );
      expect((await read(device.id, ['E_PLUS'])).get('E_PLUS')?.value, bearer).toBeGreaterThan(0);
    }
  });

  test('S-189 S-190 S-191 S-192 S-194: a day is kept with its freeze, its time of reading, its energy profile and load profile B, and counts as read', async () => {
    const { id: meterId = '' } = (await meters((sn) => simulation.world.meterBySn.get(sn)?.phase === 'abc'))[0] ?? {};
    const yesterday = dayOf(Date.now() - DAY_MS);
    const range = `from=${yesterday}&to=${yesterday}&meterId=${meterId}`;
    for (const kind of ['daily', 'energy', 'lpb'])
      expect((await order('/action/read/on-demand', { meterIds: [meterId], kind, from: yesterday, to: yesterday }))[0].state).toBe(
        'read_success',
      );
    expect((await get(`/reading/daily?${range}`)).items).toMatchObject([{ freezeDate: yesterday, readAt: expect.any(String) }]);
    const [energy] = (await get(`/reading/profile/energy?${range}`)).items;
    expect(energy).toMatchObject({ ePlus: expect.any(Number), readAt: expect.any(String) });
    const [voltage] = (await get(`/reading/profile/lpb?${range}`)).items;
    expect(voltage).toMatchObject({ u1: expect.any(Number), i1: expect.any(Number) });
    const [rate] = (await get(`/reading/completeness?profile=lpb&${range}`)).items;
    expect(rate.got).toBe(rate.expected);
    expect(rate.expected).toBeGreaterThan(0);
  });
});
