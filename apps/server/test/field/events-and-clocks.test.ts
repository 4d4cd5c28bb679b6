import type { Simulation } from '@hes/simulator/simulation.ts';
import { SETTINGS } from '@hes/contract/setting/settings.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { checkChain } from '../../src/db/check-chain.ts';
import { commitChanges, devicesChanged } from '../../src/db/changes.ts';
import type { TestApp, TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

let bench: AppBench;
let app: TestApp;
let simulation: Simulation;
let admin: TestUser;

beforeAll(async () => {
  bench = await appBench();
  ({ app, simulation } = bench);
  // DCUs with dial-out are dialled at once.
  await commitChanges(
    app.ctx,
    () => Promise.resolve(),
    () => [devicesChanged('dcu', ['0'])],
  );
  admin = await app.addUser({ roles: ['ADMIN'] });
}, 60_000);
afterAll(() => bench.close());

const get = async (url: string, user = admin) => (await app.call(user, { method: 'GET', url: `/api${url}` })).json();
const send = (method: 'POST' | 'PUT', url: string, payload: object, user = admin) => app.call(user, { method, url: `/api${url}`, payload });

/** Reachable meters of online DCUs, by serial number. */
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
type Electric = ReturnType<Simulation['world']['electricAt']>;
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Meters with an opened cover. */
const tamperedMeters = async () => {
  const tampered = new Set(
    simulation.world.plan.meters.filter((meter) => meter.isTampered && !meter.isSilent && !meter.hasWrongKey).map(({ sn }) => sn),
  );
  const devices = (await meters((sn) => tampered.has(sn))).slice(0, 3);
  expect(devices.length).toBeGreaterThan(0);
  return devices;
};
const planOf = (sn: string | undefined) => {
  const plan = simulation.world.meterBySn.get(sn ?? '');
  if (plan === undefined) throw new Error('No such meter');
  return plan;
};
const lastMonth = () => ({ from: dayOf(Date.now() - 29 * DAY_MS), to: dayOf(Date.now() + DAY_MS) });
const asDevices = (of: { id: string }[]) => of.map(({ id }) => ({ kind: 'meter', id }));

describe('a DCU that dials in', () => {
  const dcuOf = async (sn: string) => (await get(`/asset/dcu?search=${sn}`)).items[0];

  test('S-176 S-179: is online and has the time of its last contact; a DCU that never connected has neither', async () => {
    const [{ dcuId } = { dcuId: '' }] = await meters();
    const now = Date.now();
    await order('/action/clock', { devices: asDevices((await meters((sn) => sn !== '')).slice(0, 1)), operation: 'read' });
    const dcu = await vi.waitFor(
      async () => {
        const row = await get(`/asset/dcu/${dcuId}`);
        if (Date.parse(row.lastCommAt ?? '') < now) throw new Error(`Last heard at ${row.lastCommAt}`);
        return row;
      },
      { timeout: 25_000, interval: 200 },
    );
    expect(dcu.onlineStatus).toBe('online');
    expect(Date.parse(dcu.lastCommAt)).toBeLessThanOrEqual(Date.now());
    expect(await dcuOf(dcu.sn)).toMatchObject({ onlineStatus: 'online', lastCommAt: expect.any(String) });
    const absent = simulation.world.plan.dcus.find(({ isAbsent }) => isAbsent)?.sn ?? expect.fail('every DCU is there');
    expect(await dcuOf(absent)).toMatchObject({ onlineStatus: 'never', lastCommAt: null });
  });
});

describe('events', () => {
  test('S-020: an event log is read over DLMS and returns the logged events, each once', async () => {
    const body = { devices: asDevices(await tamperedMeters()), logs: ['standard', 'fraud', 'disconnector'], ...lastMonth() };
    const first = await order('/action/read/event', body);
    for (const item of first) {
      expect(item.state).toBe('read_success');
      // These meters do not have this log, which fails nothing.
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
});

describe('read events', () => {
  let device: { id: string; sn: string };
  beforeAll(async () => {
    const devices = await tamperedMeters();
    [device = { id: '', sn: '' }] = devices;
    await order('/action/read/event', { devices: asDevices(devices), logs: ['standard', 'fraud'], ...lastMonth() });
  });
  const fraud = async (code: number) => {
    const { items } = await get(`/event?logs=fraud&size=50&node=meter:${device.id}`);
    return items.find((row: { code: number }) => row.code === code) ?? expect.fail(`no event ${code}`);
  };

  test.each([
    [40, 'Terminal Cover Removed', '端钮盖打开'],
    [41, 'Terminal Cover Closed', '端钮盖合上'],
  ])(
    'S-228 S-229 S-230: event %i has its code, the name of it, and the time at which the meter logged it',
    async (code, nameEn, nameZh) => {
      const row = await fraud(code);
      expect(row).toMatchObject({ code, nameEn, nameZh });
      const logged = simulation.world.events(planOf(device.sn), 'fraud', Date.now() - 28 * DAY_MS, Date.now());
      expect(logged.filter((event) => event.code === code).map(({ at }) => new Date(at).toISOString())).toContain(row.occurAt);
    },
  );

  test('S-231: an event is an occurrence or a recovery', async () => {
    expect([(await fraud(40)).direction, (await fraud(41)).direction]).toEqual(['occur', 'recover']);
  });

  test('S-232 S-233 S-234: an event has the octets of the meter as its message, a note, and an abnormal level', async () => {
    const removed = await fraud(40);
    expect(removed).toMatchObject({ abnormalLevel: 'serious', message: '0.0.96.11.1.255 = 40', note: null });
    expect(removed.raw).toMatch(/^02/);
    const noted = await send('PUT', `/event/${removed.id}/note`, { note: 'Crew sent', version: removed.version });
    expect(noted.json()).toMatchObject({ note: 'Crew sent', version: removed.version + 1 });
    expect(await fraud(40)).toMatchObject({ note: 'Crew sent' });
    const stale = await send('PUT', `/event/${removed.id}/note`, { note: 'Other', version: removed.version });
    expect(stale.json().code).toBe('STALE');
  });

  test('an occurrence is closed by the event that ends it, which gives its duration', async () => {
    const { items } = await get('/event?codes=fraud:40&size=50');
    expect(items.length).toBeGreaterThan(0);
    for (const row of items) expect(Date.parse(row.recoveredAt) - Date.parse(row.occurAt)).toBe(6 * 60_000);
  });

  test('an outage of a transformer is one incident, for any number of reporting meters', async () => {
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

  test('an acknowledged event is no longer open, and a second acknowledgement changes nothing', async () => {
    const before = await get('/event/facets');
    expect(before.unacknowledged).toBeGreaterThan(0);
    const open = (await get('/event?level=serious&acknowledged=false')).items[0];
    expect((await send('PUT', '/event/ack', { ids: [open.id] })).json()).toEqual({ acknowledged: 1 });
    expect((await send('PUT', '/event/ack', { ids: [open.id] })).json().code).toBe('NOTHING_TO_DO');
    expect((await get('/event/facets')).unacknowledged).toBe(before.unacknowledged - 1);
    expect(await get(`/event/${open.id}`)).toMatchObject({ ackByName: expect.any(String) });
  });

  test('events with a muted code of a device are stored and need no acknowledgement', async () => {
    // Any event: the number of open ones depends on the simulated fleet.
    const [one] = (await get('/event')).items;
    const until = new Date(Date.now() + DAY_MS).toISOString();
    expect((await send('POST', '/event/mute', { eventId: one.id, until, reason: 'Being repaired' })).statusCode).toBe(201);
    expect((await get(`/event/${one.id}`)).isMuted).toBe(true);
    const { items } = await get('/event/mute');
    expect(items).toMatchObject([{ code: one.code, log: one.log }]);
    expect((await app.call(admin, { method: 'DELETE', url: `/api/event/mute/${items[0].id}` })).statusCode).toBe(204);
    expect((await get(`/event/${one.id}`)).isMuted).toBe(false);
  });

  test('a renamed code has its new name and level everywhere', async () => {
    const { items } = await get('/event/code');
    const code = items.find((row: { log: string; code: number }) => row.log === 'standard' && row.code === 4);
    const saved = await send('PUT', '/event/code', { ...code, nameEn: 'Time Changed', abnormalLevel: 'warning' });
    expect(saved.json()).toMatchObject({ nameEn: 'Time Changed', version: code.version + 1 });
    const { items: again } = await get('/event?codes=standard:4');
    expect(again.length).toBeGreaterThan(0);
    for (const row of again) expect(row).toMatchObject({ nameEn: 'Time Changed', abnormalLevel: 'warning' });
    const stale = await send('PUT', '/event/code', { ...code, nameEn: 'Late' });
    expect(stale.json()).toMatchObject({ code: 'STALE', current: { nameEn: 'Time Changed' } });
  });

  test('S-024 S-340 S-341 S-342: are listed, of all levels or of the selected ones', async () => {
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

  test('a user sees no events outside his area, and more than 31 days are refused', async () => {
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

  test('S-021: a clock is read, set and confirmed by read-back', async () => {
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

  test('a correct clock is not set', async () => {
    const right = (await meters((sn) => driftOf(sn) === 0))[0];
    const [item] = await order('/action/clock', { devices: [{ kind: 'meter', id: right?.id }], operation: 'sync', reason: 'Check' });
    expect(item.result.clock.method).toBeNull();
  });

  test('a clock with a deviation above the limit is set only after a user has confirmed the step', async () => {
    const [device] = await meters((sn) => driftOf(sn) > 6);
    const devices = [{ kind: 'meter', id: device?.id }];
    const { value } = SETTINGS.thresholds;
    const strict = JSON.stringify({ ...value, clockFineS: 1, clockAdjustS: 2, clockSetS: 3 });
    await app.ctx.pool.query("insert into setting (key, value) values ('thresholds', $1)", [strict]);
    const [refused] = await order('/action/clock', { devices, operation: 'sync', reason: 'Try' });
    expect(refused).toMatchObject({ state: 'read_fail', reasonCode: 'CLOCK_CONFIRM' });
    const { rows } = await app.ctx.pool.query("select result from command_log where kind = 'clock_sync' order by id desc limit 1");
    expect(rows).toEqual([{ result: 'CLOCK_CONFIRM' }]);
    const [set] = await order('/action/clock', { devices, operation: 'sync', reason: 'Sure', isConfirmed: true });
    expect(set.result.clock).toMatchObject({ method: 'set' });
    expect(Math.abs(set.result.clock.deviationMs)).toBeLessThan(1000);
    await app.ctx.pool.query("delete from setting where key = 'thresholds'");
  });

  test('every order to a clock is in the command log with its result, and the hash chain is intact', async () => {
    const right = (await meters((sn) => driftOf(sn) === 0)).at(-1);
    const { rows: before } = await app.ctx.pool.query<{ last: string }>('select coalesce(max(id), 0)::text as last from command_log');
    await order('/action/clock', { devices: [{ kind: 'meter', id: right?.id }], operation: 'sync', reason: 'For the log' });
    const { rows } = await app.ctx.pool.query("select reason, result from command_log where kind = 'clock_sync' and id > $1 order by id", [
      before[0]?.last,
    ]);
    expect(rows.map(({ reason, result }) => (reason === null ? result : reason))).toEqual(['For the log', 'ok']);
    expect(await checkChain(app.ctx.db, 'commands', { limit: 10_000 })).toMatchObject({ brokenId: null, isEnd: true });
    await expect(app.ctx.pool.query("update command_log set result = 'ok'")).rejects.toThrow(/permission denied/);
  });

  test('a broadcast sets the clock of the DCU, which sets the clocks of all its meters', async () => {
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

  test('the histogram counts the read clocks', async () => {
    const [device] = await meters();
    await order('/action/clock', { devices: [{ kind: 'meter', id: device?.id }], operation: 'read' });
    const summary = await get('/action/clock/summary');
    const read = (await get('/action/clock?class=fine,adjust,set,confirm')).total;
    expect(read).toBeGreaterThan(0);
    expect(summary.histogram.reduce((sum: number, count: number) => sum + count, 0)).toBe(read);
    expect(Object.values(summary.byClass).reduce((sum: number, count) => sum + Number(count), 0)).toBe(summary.total);
  });
});

describe('real-time reading', () => {
  test('S-019: returns the present values of the meter, and new ones with each read', async () => {
    const three = (await meters((sn) => simulation.world.meterBySn.get(sn)?.phase === 'abc'))[0];
    const answer = await send('POST', '/action/read/real-time', { meterIds: [three?.id], store: true });
    const { taskId } = answer.json();
    const [item] = await ended(taskId);
    const values = new Map(item.result.values.map((value: { item: string }) => [value.item, value]));
    expect([...values.keys()]).toEqual(
      expect.arrayContaining(['U1', 'U2', 'U3', 'I1', 'PF', 'P_PLUS', 'E_PLUS', 'RELAY_STATE', 'CLOCK', 'FREQUENCY']),
    );
    expect(values.get('U2')).toMatchObject({ unit: 'V', reasonCode: null });
    expect((await send('POST', `/action/read/real-time/${taskId}/repeat`, {})).json()).toEqual({ queued: 1 });
    await ended(taskId);
    const kept = await app.ctx.pool.query('select count(*)::int as n from reading_instant where meter_id = $1', [three?.id]);
    expect(kept.rows[0].n).toBeGreaterThanOrEqual(1);
  });

  test('belongs to the user who ordered it, and ends after half an hour', async () => {
    const [device] = await meters();
    const { taskId } = (await send('POST', '/action/read/real-time', { meterIds: [device?.id] })).json();
    await ended(taskId);
    const other = await app.addUser({ roles: ['ADMIN'] });
    expect((await send('POST', `/action/read/real-time/${taskId}/repeat`, {}, other)).json().code).toBe('NOT_FOUND');
    await app.ctx.pool.query("update task set created_at = created_at - interval '31 minutes' where id = $1", [taskId]);
    expect((await send('POST', `/action/read/real-time/${taskId}/repeat`, {})).json().code).toBe('REPEAT_ENDED');
  });
});

describe('on-demand reading', () => {
  /** Values by item, and the outcome. */
  const read = async (meterId: string | undefined, items: string[]) => {
    const [item] = await order('/action/read/on-demand', { meterIds: [meterId], kind: 'registers', items });
    expect(item.state).toBe('read_success');
    return new Map<string, { value: number; unit: string; reasonCode: string | null }>(
      item.result.values.map((value: { item: string }) => [value.item, value]),
    );
  };
  const registerOf = (sn: string, direction: 'plus' | 'minus', tariff: 0 | 1 | 2 | 3 | 4) =>
    simulation.world.register(planOf(sn), simulation.clock.now(), direction, tariff);
  /** A meter whose register is above zero, so that it differs from other registers. */
  const meterWith = async (direction: 'plus' | 'minus', tariff: 0 | 1 | 2 | 3 | 4) => {
    const [found] = [
      ...(await meters((sn) => registerOf(sn, direction, tariff) > 0)),
      // A generator feeds in only during daylight, so some tariff registers are zero.
      ...(await meters((sn) => registerOf(sn, direction, 0) > 0)),
    ];
    return found ?? expect.fail(`no meter with a register ${direction} ${tariff}`);
  };

  test.each([
    ['S-237', 'E_PLUS', 'plus', 0],
    ['S-238', 'E_MINUS', 'minus', 0],
    ['S-239', 'E_PLUS_T1', 'plus', 1],
    ['S-240', 'E_PLUS_T2', 'plus', 2],
    ['S-241', 'E_PLUS_T3', 'plus', 3],
    ['S-242', 'E_PLUS_T4', 'plus', 4],
    ['S-243', 'E_MINUS_T1', 'minus', 1],
    ['S-244', 'E_MINUS_T2', 'minus', 2],
    ['S-245', 'E_MINUS_T3', 'minus', 3],
    ['S-246', 'E_MINUS_T4', 'minus', 4],
  ] as const)('%s: %s is the value of the register of the meter', async (_statement, key, direction, tariff) => {
    const { id, sn } = await meterWith(direction, tariff);
    const before = registerOf(sn, direction, tariff);
    const value = (await read(id, [key])).get(key);
    const after = registerOf(sn, direction, tariff);
    expect(value).toMatchObject({ unit: 'Wh', reasonCode: null });
    expect(value?.value).toBeGreaterThanOrEqual(before - 1);
    expect(value?.value).toBeLessThanOrEqual(after + 1);
  });

  test('S-528: the four tariffs add up to the total, and there is no fifth', async () => {
    const { id } = await meterWith('plus', 4);
    const values = await read(id, ['E_PLUS', 'E_PLUS_T1', 'E_PLUS_T2', 'E_PLUS_T3', 'E_PLUS_T4']);
    const [total = 0, ...tariffs] = [...values.values()].map(({ value }) => value);
    expect(tariffs).toHaveLength(4);
    // The registers are read one after the other while the meter counts.
    expect(Math.abs(tariffs.reduce((sum, value) => sum + value, 0) - total)).toBeLessThan(10);
    const fifth = { meterIds: [id], kind: 'registers', items: ['E_PLUS_T5'] };
    expect((await send('POST', '/action/read/on-demand', fifth)).json().code).toBe('UNKNOWN_ITEM');
  });

  const PERIOD_MS = 900_000;
  /** The average since the demand period began, W. */
  const averageOf = (sn: string, direction: 'plus' | 'minus') => {
    const now = simulation.clock.now();
    return simulation.world.averagePower(planOf(sn), now, (now % PERIOD_MS) / 1000, direction);
  };
  const readOne = async (id: string, key: string) => (await read(id, [key])).get(key) ?? expect.fail(`no ${key}`);

  test('S-247: a meter returns its status', async () => {
    const [{ id } = { id: '' }] = await meters();
    expect(await readOne(id, 'STATUS')).toMatchObject({ value: expect.any(Number), unit: '', reasonCode: null });
  });

  test.each([
    ['S-248', 'PF', '', 0.15, ({ powerFactor }: Electric) => powerFactor],
    ['S-249', 'U1', 'V', 10, ({ voltages }: Electric) => voltages[0]],
    ['S-250', 'I1', 'A', 3, ({ currents }: Electric) => currents[0]],
  ] as const)('%s: %s is what the meter measures, with its unit', async (_statement, key, unit, tolerance, truthOf) => {
    const [{ id, sn } = { id: '', sn: '' }] = await meters();
    const value = await readOne(id, key);
    expect(value).toMatchObject({ unit, reasonCode: null });
    expect(Math.abs(value.value - (truthOf(simulation.world.electricAt(planOf(sn), simulation.clock.now())) ?? Infinity))).toBeLessThan(
      tolerance,
    );
  });

  test.each([
    ['S-251', 'P_AVG_PLUS', 'W', 'plus'],
    ['S-252', 'P_AVG_MINUS', 'W', 'minus'],
    ['S-253', 'S_AVG_PLUS', 'VA', 'plus'],
    ['S-254', 'S_AVG_MINUS', 'VA', 'minus'],
  ] as const)('%s: %s is the average since the demand period began, with its unit', async (_statement, key, unit, direction) => {
    const right = (sn: string) => planOf(sn).driftSeconds === 0;
    const flowing = await meters((sn) => right(sn) && averageOf(sn, direction) > 0);
    // At night no meter exports energy, so zero is expected.
    const [{ id, sn } = { id: '', sn: '' }] = flowing.length > 0 ? flowing : await meters(right);
    const truth = () => {
      const watts = averageOf(sn, direction);
      return unit === 'W' ? watts : watts / simulation.world.electricAt(planOf(sn), simulation.clock.now()).powerFactor;
    };
    const before = truth();
    const value = await readOne(id, key);
    const around = [before, truth()];
    expect(value).toMatchObject({ unit, reasonCode: null });
    // A register counts whole watt-hours, which matter most at the begin of a period.
    const tolerance = 2 + (2 * 3_600_000) / Math.max(1000, simulation.clock.now() % PERIOD_MS);
    expect(value.value).toBeGreaterThanOrEqual(Math.min(...around) - tolerance);
    expect(value.value).toBeLessThanOrEqual(Math.max(...around) + tolerance);
  });

  test('S-008 S-009: meters answer over power line and over radio', async () => {
    for (const bearer of ['plc', 'rf']) {
      const { rows } = await app.ctx.pool.query<{ sn: string }>('select sn from meter where communication_mode = $1', [bearer]);
      const sns = new Set(rows.map(({ sn }) => sn));
      // A DCU with dial-out is online a little later than one with dial-in.
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

  test('S-189 S-190 S-191 S-192 S-194: a day is stored with its freeze, its time of reading, its energy profile and load profile B, and counts as read', async () => {
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
