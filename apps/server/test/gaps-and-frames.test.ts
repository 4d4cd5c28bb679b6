import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { FrameCapture } from '../src/field/frame-capture.ts';
import type { KeptFrame } from '../src/storage/frames.ts';
import { findOpenGaps } from '../src/storage/gaps.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const DAY_MS = 86_400_000;
const TRACE = '00000000-0000-4000-8000-00000000a001';
/** A request for an association with low security; its password is `12345678`. */
const AARQ =
  '000100010001003860 36A1090607608574050801018A0207808B0760857405080201AC0A80083132333435363738BE10040E01000000065F1F0400007E1F04B0';
const REFUSED = '0001000100010005C401C10103';
const octets = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

let app: TestApp;
let admin: TestUser;
let dcuId = '';
let day = '';
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  dcuId = (await app.ctx.pool.query<{ id: string }>("select id::text as id from dcu where sn = 'DCUN0001'")).rows[0]?.id ?? '';
  day = new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10);
});
afterAll(() => app.close());

const get = (url: string) => app.call(admin, { method: 'GET', url: `/api${url}` });
const send = (method: 'POST' | 'PUT', url: string, payload: object) => app.call(admin, { method, url: `/api${url}`, payload });

describe('missing readings', () => {
  it('is counted by meter and day, and by DCU; an order that costs nothing is refused', async () => {
    const heat = await get(`/reading/completeness/meters?from=${day}&to=${day}&profile=lpa`);
    expect(heat.json()).toMatchObject({ total: 4, days: [{ day, expected: 96 }], items: [{ got: [0] }, {}, {}, {}] });
    expect((await get(`/reading/completeness/dcus?from=${day}&to=${day}&profile=lpa`)).json().items).toMatchObject([
      { expected: 192, got: 0 },
      {},
    ]);
  });

  it('is estimated before it is ordered, ordered within the budget, and listed with its reason', async () => {
    const order = { from: day, to: day, profile: 'lpa', node: `dcu:${dcuId}`, minutesPerDcu: 10 };
    const cost = (await send('POST', '/reading/refill/estimate', order)).json();
    expect(cost).toMatchObject({ meters: 2, chosen: 2, missing: 192, dcus: [{ dcuSn: 'DCUN0001', onlineStatus: 'never' }] });
    const ordered = await send('POST', '/reading/refill', order);
    expect(ordered.statusCode).toBe(202);
    const gaps = (await get(`/reading/gap?from=${day}&to=${day}&profile=lpa&state=open`)).json();
    expect(gaps.items.every((gap: { reasonCode: string }) => gap.reasonCode === 'DCU_OFFLINE')).toBe(true);
    const states = async (filter: string) =>
      (await get(`/reading/gap?from=${day}&to=${day}&profile=lpa&state=open${filter}`))
        .json()
        .items.map(({ reading }: { reading: string }) => reading);
    expect(await states('')).toEqual(['read_fail', 'read_fail']);
    expect(await states('&reading=waiting,reading')).toEqual([]);
    await app.ctx.pool.query('update reading_gap set reason_code = null where meter_id = (select min(meter_id) from reading_gap)');
    expect(await states('&reading=waiting')).toEqual(['waiting']);
    await app.ctx.pool.query("update reading_gap set reason_code = 'DCU_OFFLINE'");
    const dismissed = await send('POST', '/reading/gap/dismiss', {
      ids: gaps.items.map(({ id }: { id: string }) => id),
      note: 'not there yet',
    });
    expect(dismissed.json()).toEqual({ changed: gaps.items.length });
    expect((await send('POST', '/reading/refill', { ...order, from: '2020-01-01', to: '2020-03-01' })).statusCode).toBe(400);
  });
});

describe('slots of a profile', () => {
  const POWER_DOWN = 0x80;
  const CLOCK_INVALID = 0x02;
  const [own, empty] = ['MN0001', 'MN0002'];
  const slots = async (filter = '') =>
    (await get(`/reading/profile/lpb?from=${day}&to=${day}&search=MN000${filter}`))
      .json()
      .items.map((row: Record<string, unknown>) => [
        row['meterSn'],
        String(row['ts']).slice(11, 16),
        row['reading'],
        row['quality'],
        row['gap'] === null ? row['statusWord'] : `${String(row['gap'])} ${String(row['note'] ?? row['reasonCode'])}`,
      ]);
  const idOf = `(select id from meter where sn = $1)`;

  it('say how they came, and stand in their place with the reason where nothing came', async () => {
    const { pool } = app.ctx;
    await pool.query(
      `insert into reading_profile (meter_id, profile, day, period_s, present, status, u1_mv, read_at, source)
       select id, 'lpb', $2::date, 900, 4, '{0, null, ${POWER_DOWN}, ${CLOCK_INVALID | POWER_DOWN}, null, 0}'::int[], '{230000, null, 1, 2, null, 231000}'::int[], now(), 'meter'
       from meter where sn = $1`,
      [own, day],
    );
    const gap = (sn: string, from: string, to: string, state: string, reason: string | null, note: string | null) =>
      pool.query(
        `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at, state, reason_code, note)
         values (${idOf}, 'lpb', $2::date, 1, $2::date::timestamp at time zone 'UTC' + $3::interval, $2::date::timestamp at time zone 'UTC' + $4::interval, now(), $5, $6, $7)
         on conflict (meter_id, profile, day) do update set state = excluded.state`,
        [sn, day, from, to, state, reason, note],
      );
    await gap(own, '00:15', '00:30', 'open', 'METER_TIMEOUT', null);
    await gap(empty, '06:00', '06:15', 'no_data', null, 'no supply');
    expect(await slots()).toEqual([
      [own, '00:00', 'read_success', 'read', 0],
      [own, '00:15', 'read_fail', 'missing', 'open METER_TIMEOUT'],
      [own, '00:30', 'read_success', 'read', POWER_DOWN],
      [own, '00:45', 'read_success', 'invalid', CLOCK_INVALID | POWER_DOWN],
      [own, '01:15', 'read_success', 'read', 0],
      [empty, '06:00', 'read_fail', 'missing', 'no_data no supply'],
      [empty, '06:15', 'read_fail', 'missing', 'no_data no supply'],
    ]);
    expect((await slots('&quality=missing,invalid')).map(([, at]: string[]) => at)).toEqual(['00:15', '00:45', '06:00', '06:15']);
    expect((await slots('&reading=read_fail')).map(([, at]: string[]) => at)).toEqual(['00:15', '06:00', '06:15']);
  });

  it('that reach into a day of the utility belong to it, regardless of the UTC day they are stored under', async () => {
    const { pool } = app.ctx;
    // Three in the morning in Shanghai is the evening before in UTC.
    const at = Date.parse(`${day}T00:00:00Z`) - 5 * 3_600_000;
    await pool.query(
      `insert into reading_gap (meter_id, profile, day, missing, from_at, to_at, next_try_at, state)
       values (${idOf}, 'energy', ($2::timestamptz at time zone 'UTC')::date, 1, $2, $2, now(), 'open')`,
      [own, new Date(at)],
    );
    const { rows } = await pool.query<{ id: string }>('select id::text as id from meter where sn = $1', [own]);
    const midnight = Date.parse(`${day}T00:00:00+08:00`);
    const ordered = { profile: 'energy', from: midnight, until: midnight + 86_400_000 };
    expect(await findOpenGaps(pool, rows[0]?.id ?? '', ordered)).toHaveLength(1);
    expect(await findOpenGaps(pool, rows[0]?.id ?? '', { ...ordered, until: at })).toEqual([]);
  });

  it('go out with their state in words', async () => {
    const filter = { from: day, to: day, profile: 'lpb', search: own, quality: 'missing,invalid' };
    const columns = ['time', 'reading', 'quality', 'why', 'marks'];
    const { id } = (await send('POST', '/export/reading-profile', { format: 'csv', filter, columns })).json();
    const lines = (await get(`/export/${id}/file`)).body.trim().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',').slice(2).join(','))).toEqual([
      'Read fail,Missing,The meter did not answer in time,',
      'Read success,Invalid,,"Clock invalid, Power down"',
    ]);
  });

  it('that came after they were missed are refilled', async () => {
    const { pool } = app.ctx;
    await pool.query(`update reading_profile set status[2] = 0 where meter_id = ${idOf} and profile = 'lpb'`, [own]);
    await pool.query(`update reading_gap set state = 'filled', missing = 0 where meter_id = ${idOf} and profile = 'lpb'`, [own]);
    expect((await slots()).filter(([sn]: string[]) => sn === own).map(([, at, , quality]: string[]) => `${at} ${quality}`)).toEqual([
      '00:00 read',
      '00:15 refilled',
      '00:30 refilled',
      '00:45 invalid',
      '01:15 read',
    ]);
  });
});

describe('frames of a DCU', () => {
  it('S-033: are stored and sent while a capture runs, without passwords, and not afterwards', async () => {
    const capture = new FrameCapture(app.ctx, { storeTrace: () => undefined });
    const on = await send('PUT', '/debug/dcu-log/capture', { dcuIds: [dcuId], level: 'all', hours: 1 });
    expect(on.json().items).toMatchObject([{ dcuId, level: 'all' }]);
    await capture.settled();
    const told: unknown[] = [];
    app.ctx.bus.subscribe(({ topic, message }) => topic === `dculog:${dcuId}` && told.push(message.data));
    const at = Date.now();
    const frames: KeptFrame[] = [
      { at, direction: 'down', octets: octets(AARQ), plain: undefined },
      { at: at + 40, direction: 'up', octets: octets(REFUSED), plain: undefined },
    ];
    capture.storeTrace({
      id: TRACE,
      dcuId,
      meterId: null,
      sessionId: null,
      begunAt: at,
      durationMs: 40,
      bytes: 80,
      frames,
      opener: undefined,
    });
    await capture.stop();
    expect(told).toMatchObject([{ frames: [{ service: 'aarq' }, { service: 'getResponse' }], left: 0 }]);
    const kept = (await get(`/debug/dcu-log?dcuId=${dcuId}`)).json();
    expect(kept.items).toMatchObject([
      { direction: 'up', channel: 'D', service: 'getResponse', latencyMs: 40, result: 'readWriteDenied' },
      { direction: 'down', service: 'aarq', latencyMs: null, result: null },
    ]);
    expect(JSON.stringify(kept) + JSON.stringify(told)).not.toContain('3132333435363738');
    const frame = await get(`/debug/dcu-log/frame/${kept.items[1].id}`);
    expect(frame.json()).toMatchObject({ error: null, note: null });
    const noted = (note: string, before: string | null) => send('PUT', `/debug/dcu-log/frame/${kept.items[1].id}/note`, { note, before });
    expect([(await noted('Low security!', null)).statusCode, (await noted('Too late', null)).json().code]).toEqual([204, 'STALE']);
    expect((await get(`/debug/dcu-log?dcuId=${dcuId}`)).json().items.map(({ note }: { note: string | null }) => note)).toEqual([
      null,
      'Low security!',
    ]);
    const audits = await app.ctx.pool.query("select detail from audit_log where action = 'dcu_frame_noted'");
    expect(audits.rows).toMatchObject([{ detail: { before: { note: null }, after: { note: 'Low security!' } } }]);
    expect((await get(`/debug/dcu-log?dcuId=${dcuId}&failed=true&hex=c4 01`)).json().total).toBe(1);
    const lines = (await get(`/debug/dcu-log/ndjson?dcuId=${dcuId}`)).body.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).service)).toEqual(['aarq', 'getResponse']);
    expect((await send('POST', '/debug/dcu-log/clear', { dcuId })).json()).toEqual({ removed: 2 });
    expect((await send('PUT', '/debug/dcu-log/capture', { dcuIds: [dcuId], level: 'off' })).json()).toEqual({ items: [] });
  });
});
