import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let admin: TestUser;
let north: TestUser;
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  const { id } = await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DN').select('id').executeTakeFirstOrThrow();
  north = await app.addUser({ scope: [id] });
});
afterAll(() => app.close());

interface Line {
  line: number;
  verdict: string;
  issues: { column?: string; message: string }[];
}

async function upload(list: string, lines: string[], user = admin) {
  const answer = await app.call(user, {
    method: 'POST',
    url: `/api/import/${list}?name=list.csv`,
    headers: { 'content-type': 'application/octet-stream', 'accept-language': 'en' },
    payload: lines.join('\r\n'),
  });
  const preview = answer.json();
  const issuesOf = (line: number) =>
    preview.rows.find((row: Line) => row.line === line)?.issues.map((issue: { column: string }) => issue.column);
  return { preview, issuesOf };
}
const commit = async (list: string, id: string, user = admin) =>
  (await app.call(user, { method: 'POST', url: `/api/import/${list}/${id}/commit` })).json();
const items = async (path: string) => (await app.call(admin, { url: `/api${path}` })).json().items;

describe('the reading rate of a meter', () => {
  const rateOf = async (sn: string) => (await items(`/asset/meter/inventory?sns=${sn}`))[0].readRate30d;
  const freeze = (sn: string, days: number[]) =>
    app.owner.query(
      `insert into reading_daily (meter_id, freeze_date, read_at, source, quality)
       select m.id, current_date - d, now(), 'meter', 'read' from meter m cross join unnest($2::int[]) as d where m.sn = $1`,
      [sn, days],
    );

  test('is unknown on the day of the installation, and counts readings that are older than the record of the meter', async () => {
    expect(await rateOf('MN0001')).toBeNull();
    await freeze('MN0001', [0, 1, 2, 4]);
    expect(await rateOf('MN0001')).toBe(80);
    await freeze(
      'MN0001',
      Array.from({ length: 30 }, (_, at) => at + 5),
    );
    expect(await rateOf('MN0001')).toBe(96.7);
  });

  test('counts from the new installation only when a meter was removed before', async () => {
    await freeze('MN0002', [0, 20]);
    await app.owner.query(
      `insert into meter_exchange (old_meter_id, at) select id, now() - interval '10 days' from meter where sn = 'MN0002'`,
    );
    await app.owner.query("update meter set installed_at = now() - interval '1 day' where sn = 'MN0002'");
    expect(await rateOf('MN0002')).toBe(100);
  });
});

describe('a list of levels', () => {
  const HEAD = 'parentCode,code,name,type,longitude,latitude';

  test('brings parents before children, and changes those that are known', async () => {
    const { preview, issuesOf } = await upload('level', [
      HEAD,
      'DN,DN-F1,Feeder One,feeder,,',
      'DN-F1,DN-F1-A,Branch,Other,121.5,31.2',
      'NOWHERE,X1,Lost,feeder,,',
      'CITY,DN,District North,district,,',
      'DS,DN-F2,Half,feeder,121,',
      ',DN,Twice,region,,',
      'CITY,DX,district s,district,,',
    ]);
    expect(preview).toMatchObject({ new: 2, update: 1, errors: 4 });
    expect(issuesOf(4)).toEqual(['parentCode']);
    expect(issuesOf(6)).toEqual(['latitude']);
    expect(issuesOf(8)).toEqual(['name']);
    expect(await commit('level', preview.id)).toMatchObject({ isDone: true, new: 2 });
    const levels = await items('/asset/level');
    expect(levels.find((row: { code: string }) => row.code === 'DN-F1-A')).toMatchObject({ depth: 4, type: 'other', longitude: 121.5 });
    expect(levels.find((row: { code: string }) => row.code === 'DN')).toMatchObject({ name: 'District North', depth: 2 });
  });

  test('stays within the area of who imports', async () => {
    const { issuesOf, preview } = await upload('level', [HEAD, ',N1,Root,company,,', 'DS,N2,There,feeder,,', 'DN,N3,Here,feeder,,'], north);
    expect(preview).toMatchObject({ new: 1, errors: 2 });
    expect([issuesOf(2), issuesOf(3)]).toEqual([['parentCode'], ['parentCode']]);
  });
});

describe('a list of suppliers', () => {
  test('adds and changes by code; an empty cell keeps the stored value', async () => {
    const { preview, issuesOf } = await upload('supplier', [
      '编码,名称,FLAG 标识,电话',
      'nova,Nova Meters,NVA,+86 21 5555 0000',
      'ACME,Acme Renamed,,',
      'BAD,Taken Flag,ACM,',
      'WORSE,Phone,,call me',
    ]);
    expect(preview).toMatchObject({ new: 1, update: 1, errors: 2 });
    expect([issuesOf(4), issuesOf(5)]).toEqual([['flagId'], ['phone']]);
    await commit('supplier', preview.id);
    expect(await items('/asset/supplier?sort=code,asc')).toMatchObject([
      { code: 'ACME', name: 'Acme Renamed', flagId: 'ACM', version: 2 },
      { code: 'HES-REF', isBuiltin: true },
      { code: 'NOVA', phone: '+86 21 5555 0000' },
    ]);
  });
});

describe('a list of transformers', () => {
  const HEAD = 'code,name,levelCode,address,longitude,latitude,capacityKva';

  test('hangs each at its level, east and north positive', async () => {
    const { preview, issuesOf } = await upload('transformer', [
      HEAD,
      't-01,Mill Lane,DS,"Mill Lane 7, back yard",-58.381592,-34.603722,250',
      't-02,Lost,NOWHERE,,,,',
      't-03,Transformer N,DN,,,,',
      'TN,Transformer North,DN,,,,630',
      't-04,Off The Map,DS,,181,0,',
    ]);
    expect(preview).toMatchObject({ new: 1, update: 1, errors: 3 });
    expect([issuesOf(3), issuesOf(4), issuesOf(6)]).toEqual([['levelCode'], ['name'], ['longitude']]);
    await commit('transformer', preview.id);
    const [added] = await items('/asset/transformer?search=T-01');
    expect(added).toMatchObject({
      levelName: 'District S',
      address: 'Mill Lane 7, back yard',
      longitude: -58.381592,
      latitude: -34.603722,
    });
    const [changed] = await items('/asset/transformer?search=TN');
    expect(changed).toMatchObject({ name: 'Transformer North', capacityKva: 630, longitude: 121.5 });
  });
});

test.each(['supplier', 'dcu-type', 'meter-type', 'transformer'])('the list of %ss goes out as a file, behind its filter', async (list) => {
  const run = await app.call(admin, {
    method: 'POST',
    url: `/api/export/${list}`,
    payload: { format: 'csv', filter: { search: 'no such thing' } },
  });
  expect(run.json()).toMatchObject({ state: 'ready', rows: 0 });
  const all = await app.call(admin, { method: 'POST', url: `/api/export/${list}`, payload: { format: 'csv', filter: {} } });
  const file = await app.call(admin, { url: `/api/export/${all.json().id}/file`, headers: { 'accept-language': 'zh' } });
  expect(file.body.split('\r\n').length).toBeGreaterThan(2);
});

test('levels go out as a file that comes in again as it is', async () => {
  const run = await app.call(admin, { method: 'POST', url: '/api/export/level', payload: { format: 'csv', filter: {} } });
  const file = await app.call(admin, { url: `/api/export/${run.json().id}/file` });
  const [head, ...lines] = file.body.trim().split('\r\n');
  expect(lines).toHaveLength((await app.call(admin, { url: '/api/asset/level' })).json().items.length);
  const { preview } = await upload('level', [head ?? '', ...lines]);
  expect(preview).toMatchObject({ new: 0, update: lines.length, errors: 0 });
});
