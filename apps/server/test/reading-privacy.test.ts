import type { Action } from '@hes/contract/core/route.ts';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ReadingViews } from '../src/db/reading-views.ts';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import type { User } from '../src/db/context.ts';
import { readZip, unpack } from '../src/platform/spreadsheet/zip-read.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const MINUTE_MS = 60_000;
const BILLS = '/meter-management/mdms/electric-bill';

let app: TestApp;
let meter: { id: string; sn: string };
let day: string;

beforeAll(async () => {
  app = await testApp({ isClockStill: true });
  await importCommissioning(app.ctx, smallTown());
  meter = await app.ctx.db.selectFrom('meter').select(['id', 'sn']).orderBy('id').limit(1).executeTakeFirstOrThrow();
  day = new Date(app.ctx.clock.now()).toISOString().slice(0, 10);
});
afterAll(() => app.close());

const ask = (user: TestUser, path: string) => app.call(user, { url: `/api${path}` });
const profileOf = (id: string) => `/reading/profile/lpa?meterId=${id}&from=${day}&to=${day}`;

async function addRole(code: string, rights: Record<string, Action[]>): Promise<string> {
  const { db } = app.ctx;
  await db.insertInto('role').values({ code, name: code, seesWholeNetwork: true }).execute();
  for (const [path, actions] of Object.entries(rights)) {
    await sql`insert into role_module select r.id, m.id from role r, module m where r.code = ${code} and m.path = ${path}`.execute(db);
    await sql`insert into role_action select r.id, m.id, unnest(${actions}::text[]) from role r, module m
      where r.code = ${code} and m.path = ${path}`.execute(db);
  }
  return code;
}

const viewsOf = (user: TestUser) =>
  app.ctx.db
    .selectFrom('auditLog')
    .where('userId', '=', user.id)
    .where('action', '=', 'readings_viewed')
    .select(['entity', 'entityId', 'detail', 'ip'])
    .orderBy('id')
    .execute();

test('a user who bills by the day has no right to values within a day', async () => {
  const clerk = await app.addUser({ roles: [await addRole('BILLS_ONLY', { [BILLS]: ['view'] })] });
  expect((await ask(clerk, `/analysis/bill?from=${day}&to=${day}`)).statusCode).toBe(200);
  const finer = [profileOf(meter.id), `/reading/${meter.id}/latest`, `/reading/${meter.id}/corrections?from=${day}&to=${day}&profile=lpa`];
  expect((await Promise.all(finer.map((path) => ask(clerk, path)))).map(({ statusCode }) => statusCode)).toEqual([403, 403, 403]);
});

describe('a look at readings', () => {
  test('is one row of the audit log for each user, meter and hour', async () => {
    const user = await app.addUser({ roles: ['ADMIN'] });
    for (let times = 0; times < 3; times++) expect((await ask(user, profileOf(meter.id))).statusCode).toBe(200);
    await ask(user, `/reading/${meter.id}/latest`);
    await ask(user, `/reading/daily?meterId=${meter.id}&from=${day}&to=${day}`);
    expect(await viewsOf(user)).toMatchObject([{ entity: 'meter', entityId: meter.id, ip: '127.0.0.1' }]);
    app.advance(10 * MINUTE_MS);
    expect((await ask(user, profileOf(meter.id))).statusCode).toBe(200);
    expect(await viewsOf(user)).toHaveLength(1);
    const views = new ReadingViews(app.ctx.clock);
    const caller = { id: user.id } as User; // as: a record needs no more of the user
    const look = () => views.record(app.ctx, { user: caller, ip: '127.0.0.1' }, { meterId: meter.id, sn: meter.sn });
    await look();
    app.advance(59 * MINUTE_MS);
    await look();
    expect(await viewsOf(user)).toHaveLength(2);
    app.advance(MINUTE_MS + 1);
    await look();
    expect(await viewsOf(user)).toHaveLength(3);
  });

  test('of a list is recorded with its filter, and a refused one is not', async () => {
    const user = await app.addUser({ roles: ['ADMIN'] });
    await ask(user, `/reading/profile/lpa?search=${meter.sn}&from=${day}&to=${day}`);
    expect(await viewsOf(user)).toMatchObject([{ entityId: null, detail: { filter: { search: meter.sn } } }]);
    await ask(user, '/reading/999999999/latest');
    await ask(user, `/reading/profile/lpa?meterId=${meter.id}&from=2015-01-01&to=2025-01-01`);
    expect(await viewsOf(user)).toHaveLength(1);
  });
});

test('an exported file says who took it, and when: in its name, in its properties and on each printed page', async () => {
  const admin = await app.addUser({ roles: ['ADMIN'] });
  const { username } = await app.ctx.db.selectFrom('appUser').where('id', '=', admin.id).select('username').executeTakeFirstOrThrow();
  const order = async (format: string) =>
    (await app.call(admin, { method: 'POST', url: '/api/export/meter', payload: { format, columns: ['sn'] } })).json();
  expect((await order('csv')).fileName).toMatch(new RegExp(`^Meters?-\\d{8}-\\d{4}-${username}\\.csv$`, 'i'));
  const { id } = await order('xlsx');
  const { rawPayload } = await ask(admin, `/export/${id}/file`);
  const entries = await readZip(rawPayload);
  const textOf = async (name: string) => {
    const entry = entries.get(name);
    let text = '';
    if (entry !== undefined) for await (const piece of unpack(entry, 1e6)) text += piece;
    return text;
  };
  const takenAt = new Date(app.ctx.clock.now()).toISOString();
  expect(await textOf('docProps/core.xml')).toContain(`<dc:creator>${username}</dc:creator>`);
  expect(await textOf('docProps/core.xml')).toContain(takenAt);
  expect(await textOf('xl/worksheets/sheet1.xml')).toContain(`<oddFooter>&amp;L${username} ${takenAt}</oddFooter>`);
});
