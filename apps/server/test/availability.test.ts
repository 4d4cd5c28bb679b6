import type { DcuDetail } from '@hes/contract/asset/dcu.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const HOURS = 72;
const HOUR_S = 3600;

let app: TestApp;
let admin: TestUser;
let dcuId = '';
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  dcuId = (await app.ctx.db.selectFrom('dcu').select('id').where('sn', '=', 'DCUN0001').executeTakeFirstOrThrow()).id;
});
afterAll(() => app.close());

/** Instants are written in minutes relative to the beginning of the current hour. */
const at = (minutes: number) => sql<Date>`date_trunc('hour', now()) + make_interval(mins => ${minutes})`;
const h = (hours: number) => hours * 60;

const run = (from: number, to: number | 'now') =>
  sql`insert into node (started_at, alive_at) values (${at(from)}, ${to === 'now' ? sql`now()` : at(to)})`.execute(app.ctx.db);
const session = (from: number, to: number | undefined, reason: string | null = 'peer_closed') =>
  sql`insert into dcu_session (dcu_id, direction, remote, opened_at, identified_at, closed_at, close_reason)
    values (${dcuId}, 'dial_in', 'here', ${at(from)}, ${at(from)}, ${to === undefined ? null : at(to)}, ${to === undefined ? null : reason})`.execute(
    app.ctx.db,
  );
const registered = (minutes: number) =>
  sql`update dcu set created_at = ${at(minutes)} where id = ${dcuId}`.execute(app.ctx.db).then(() => undefined);

const get = async (url: string) => (await app.call(admin, { url: `/api${url}` })).json();
const detail = async (): Promise<DcuDetail> => get(`/asset/dcu/${dcuId}`);
/** The hour a number of hours before the current one. */
const hour = (shown: DcuDetail, ago: number) => {
  const { onlineSeconds, knownSeconds } = shown.onlineHours[HOURS - 1 - ago] ?? { onlineSeconds: NaN, knownSeconds: NaN };
  return { online: onlineSeconds / 60, known: knownSeconds / 60 };
};

beforeEach(async () => {
  await app.owner.query('truncate node; truncate dcu_session');
  // The response time of 2.5 heartbeats is ten minutes.
  await sql`update dcu_type set heartbeat_s = 240`.execute(app.ctx.db);
  await sql`update dcu set created_at = ${at(-h(100))}`.execute(app.ctx.db);
});

describe('the availability of a DCU', () => {
  test('is 0 % if the DCU never connected, and not 100 %', async () => {
    await run(-h(100), 'now');
    const shown = await detail();
    expect(shown.availability24h).toBe(0);
    expect(shown.onlineHours).toHaveLength(HOURS);
    expect(shown.onlineHours.slice(0, -1).every(({ onlineSeconds, knownSeconds }) => onlineSeconds === 0 && knownSeconds === HOUR_S)).toBe(
      true,
    );
  });

  test('shows an hour without a session as offline, and the part of an hour that was online', async () => {
    await run(-h(100), 'now');
    await session(-h(80), -h(10));
    await session(-h(9) + 45, undefined);
    const shown = await detail();
    expect(hour(shown, 11)).toEqual({ online: 60, known: 60 });
    expect(hour(shown, 10)).toEqual({ online: 0, known: 60 });
    expect(hour(shown, 9)).toEqual({ online: 15, known: 60 });
    expect(hour(shown, 8)).toEqual({ online: 60, known: 60 });
    // 105 minutes of 24 hours were offline.
    expect(shown.availability24h).toBeCloseTo(100 * (1 - 105 / 1440), 1);
  });

  test('counts overlapping sessions once', async () => {
    await run(-h(100), 'now');
    await session(-h(5), -h(3), 'replaced');
    await session(-h(4), undefined);
    expect(hour(await detail(), 4)).toEqual({ online: 60, known: 60 });
  });

  test('is not known while the head-end was down, nor until the DCU could connect again', async () => {
    await run(-h(100), -h(6));
    await run(-h(4), 'now');
    await session(-h(80), -h(6), 'server_stopped');
    await session(-h(4) + 5, undefined);
    const shown = await detail();
    expect(hour(shown, 7)).toEqual({ online: 60, known: 60 });
    expect(hour(shown, 6)).toEqual({ online: 0, known: 0 });
    expect(hour(shown, 5)).toEqual({ online: 0, known: 0 });
    expect(hour(shown, 4)).toEqual({ online: 55, known: 55 });
    expect(shown.availability24h).toBe(100);
  });

  test('is offline after a restart once the DCU has had the time to connect', async () => {
    await run(-h(100), -h(6));
    await run(-h(4), 'now');
    await session(-h(80), -h(6), 'server_stopped');
    expect(hour(await detail(), 4)).toEqual({ online: 0, known: 50 });
  });

  test('is not known before the DCU was registered', async () => {
    await run(-h(100), 'now');
    await registered(-h(2) + 20);
    const shown = await detail();
    expect(hour(shown, 3)).toEqual({ online: 0, known: 0 });
    expect(hour(shown, 2)).toEqual({ online: 0, known: 30 });
    await registered(-1);
    expect((await detail()).onlineHours.slice(0, -1).every(({ knownSeconds }) => knownSeconds === 0)).toBe(true);
  });

  test('is not known of a DCU that was registered a moment ago', async () => {
    await run(-h(100), 'now');
    await sql`update dcu set created_at = now() where id = ${dcuId}`.execute(app.ctx.db);
    expect((await detail()).availability24h).toBeNull();
    expect((await get('/asset/dcu?search=DCUN0001')).items[0].availability24h).toBeNull();
  });

  test('is the same in the list and in the detail', async () => {
    await run(-h(100), 'now');
    await session(-h(80), -h(12));
    const [row] = (await get('/asset/dcu?search=DCUN0001')).items;
    expect(row.availability24h).toBe((await detail()).availability24h);
  });
});

describe('the availability of all DCUs', () => {
  const hourOf = async (ago: number) => (await get('/dashboard/availability')).hours.at(-1 - ago);

  test('has no figures for the hours in which the head-end was down, instead of 0 %', async () => {
    await run(-h(100), -h(6));
    await run(-h(4), 'now');
    await session(-h(80), -h(6), 'server_stopped');
    await session(-h(4) + 5, undefined);
    expect(await hourOf(7)).toMatchObject({ mean: 1, max: 1, percent: 50 });
    expect(await hourOf(5)).toMatchObject({ mean: null, max: null, percent: null });
    expect(await hourOf(2)).toMatchObject({ mean: 1, max: 1, percent: 50 });
  });

  test('counts a DCU from its registration on', async () => {
    await run(-h(100), 'now');
    await session(-h(80), undefined);
    await sql`update dcu set created_at = ${at(-h(3))} where id <> ${dcuId}`.execute(app.ctx.db);
    expect(await hourOf(5)).toMatchObject({ percent: 100 });
    expect(await hourOf(1)).toMatchObject({ percent: 50 });
  });
});
