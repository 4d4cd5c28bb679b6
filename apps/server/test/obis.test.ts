import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let engineer: TestUser;
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  engineer = await app.addUser({ roles: ['DATA_ENGINEER'] });
});
afterAll(() => app.close());

const fields = {
  key: 'THD_U1',
  obis: '1-0:32.7.124.255',
  classId: 3,
  attribute: 2,
  nameEn: 'Harmonic Distortion L1',
  nameZh: 'A相电压谐波畸变率',
  category: 'quality',
};
const codes = '/api/reading/obis/code';
const templates = '/api/reading/obis/template';
const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
  app.call(engineer, { method, url, ...(payload === undefined ? {} : { payload }) });
const get = async (url: string) => (await app.call(engineer, { url })).json();
const idOf = async (key: string) =>
  (await app.ctx.pool.query<{ id: string }>('select id from obis_code where key = $1', [key])).rows[0]?.id ?? '0';

describe('the dictionary', () => {
  let id = '';
  it('S-026: takes an object in either spelling and keeps it dotted', async () => {
    const answer = await send('POST', codes, fields);
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ obis: '1.0.32.7.124.255', access: ['r'], templates: [], plans: [], version: 1 });
    id = answer.json().id;
  });

  test('holds each object once, and each key once', async () => {
    const sameObject = await send('POST', codes, { ...fields, key: 'OTHER' });
    expect([sameObject.json().code, sameObject.json().issues[0].field]).toEqual(['DUPLICATE', 'obis']);
    const sameKey = await send('POST', codes, { ...fields, attribute: 3 });
    expect([sameKey.json().code, sameKey.json().issues[0].field]).toEqual(['DUPLICATE', 'key']);
  });

  it.each([
    [{ obis: '1-0:32.7.124' }, 'obis'],
    [{ obis: '1-0:32.7.256.255' }, 'obis'],
    [{ key: 'small' }, 'key'],
    [{ classId: 0 }, 'classId'],
    [{ attribute: 128 }, 'attribute'],
    [{ scaler: 11 }, 'scaler'],
    [{ precision: 7 }, 'precision'],
    [{ access: [] }, 'access'],
  ])('refuses %o', async (change, field) => {
    const answer = await send('POST', codes, { ...fields, key: 'NEW_ONE', attribute: 9, ...change });
    expect([answer.statusCode, answer.json().issues[0].field]).toEqual([400, field]);
  });

  test('is changed only from what it is now, which a refusal contains', async () => {
    const other = { ...fields, key: 'OTHER', obis: '1-0:72.7.124.255', nameZh: '其他' };
    const added = (await send('POST', codes, other)).json();
    const url = `${codes}/${added.id}`;
    const { version } = added;
    expect((await send('PUT', url, { ...other, nameZh: '另一项', version })).statusCode).toBe(200);
    const stale = await send('PUT', url, { ...other, version });
    expect(stale.json()).toMatchObject({ code: 'STALE', current: { nameZh: '另一项', version: 2 } });
    expect((await send('DELETE', url)).statusCode).toBe(204);
  });

  test('is found by a part of the code in either spelling, by name, class and category, with counts', async () => {
    const found = await get(`${codes}?search=1-0:32.7`);
    expect(found.items.map((row: { key: string }) => row.key)).toEqual(['U1', 'THD_U1']);
    expect(found.categories).toEqual({ voltage: 1, quality: 1 });
    expect((await get(`${codes}?search=谐波`)).items).toHaveLength(1);
    expect((await get(`${codes}?classId=70`)).items.map((row: { key: string }) => row.key)).toEqual(['RELAY']);
  });

  test('knows every log that is read from a meter, under the name an engineer can move it by', async () => {
    const logs = await get(`${codes}?search=0-0:99.98`);
    const byKey = new Map<string, object>(logs.items.map((row: { key: string }) => [row.key, row]));
    expect([...byKey.keys()].toSorted()).toEqual(['EVLOG0', 'EVLOG1', 'EVLOG2', 'EVLOG3', 'EVLOG4', 'EVLOG5']);
    expect(byKey.get('EVLOG5')).toMatchObject({
      nameEn: 'Communication Event Log',
      nameZh: '通信事件日志',
      category: 'event',
      isBuiltin: true,
    });
  });

  test('keeps used items: by a plan, by a template, by the head-end', async () => {
    const plan = { name: 'Harmonics', type: 'registers', schedule: '0 0 * * * ? *', items: ['THD_U1'] };
    expect((await send('POST', '/api/reading/plan', plan)).statusCode).toBe(201);
    const refused = await send('DELETE', `${codes}/${id}`);
    expect([refused.json().code, refused.json().detail]).toEqual(['IN_USE', 'Still in use: Harmonics.']);
    expect((await send('PUT', `${codes}/${id}`, { ...fields, key: 'RENAMED', version: 1 })).json().code).toBe('IN_USE');
    expect((await send('DELETE', `${codes}/${await idOf('U1')}`)).json().code).toBe('BUILT_IN_ENTRY');
  });

  test('is read from a meter as a test: a task of one item that stores nothing', async () => {
    const meter = (await app.ctx.pool.query('select id from meter where dcu_id is not null order by id limit 1')).rows[0].id;
    const answer = await send('POST', `${codes}/${id}/test`, { meterId: meter });
    expect(answer.statusCode).toBe(202);
    const { rows } = await app.ctx.pool.query('select kind, params, total from task where id = $1', [answer.json().taskId]);
    expect(rows).toEqual([{ kind: 'registers', params: { items: ['THD_U1'], store: false, askAnyway: false }, total: 1 }]);
    const order = { meterIds: [meter], items: ['THD_U1'], includeUnsupported: true };
    const ordered = (await send('POST', '/api/action/read/on-demand', order)).json();
    const stored = await app.ctx.pool.query('select params from task where id = $1', [ordered.taskId]);
    expect(stored.rows).toEqual([{ params: { items: ['THD_U1'], store: true, askAnyway: true } }]);
    expect((await send('POST', `${codes}/${await idOf('LPA')}/test`, { meterId: meter })).json().code).toBe('NOT_TESTABLE');
    expect((await send('POST', `${codes}/${id}/test`, { meterId: '999999' })).json().code).toBe('METER_NOT_FOUND');
  });
});

describe('templates', () => {
  test('are the objects of a meter model; those that came with the head-end are copied, not changed', async () => {
    const { items } = await get(templates);
    const three = items.find((row: { key: string }) => row.key === 'hes-meter-3p4w');
    const one = items.find((row: { key: string }) => row.key === 'hes-meter-1p2w');
    expect(three.meterTypes).toEqual(['Reference 3P4W', 'Three phase']);
    expect(three.keys).toEqual(expect.arrayContaining(['U1', 'U2', 'U3', 'RELAY']));
    expect(one.keys).not.toContain('U2');
    const refused = await send('PUT', `${templates}/${three.id}`, { name: 'Mine', keys: ['U1'], version: three.version });
    expect(refused.json().code).toBe('BUILT_IN_ENTRY');

    const copy = (
      await send('POST', templates, { name: 'Ours', keys: ['PF', ...three.keys.filter((key: string) => key !== 'PF')], copyOf: three.id })
    ).json();
    expect(copy.keys[0]).toBe('PF');
    const changed = await send('PUT', `${templates}/${copy.id}`, { name: 'Ours', keys: ['THD_U1', 'U1', 'RELAY'], version: copy.version });
    expect(changed.json().keys).toEqual(['THD_U1', 'U1', 'RELAY']);
    const stale = await send('PUT', `${templates}/${copy.id}`, { name: 'Ours', keys: ['U1'], version: copy.version });
    expect(stale.json()).toMatchObject({
      code: 'STALE',
      current: { name: 'Ours', keys: ['THD_U1', 'U1', 'RELAY'], version: changed.json().version },
    });
    const { rows } = await app.ctx.pool.query("select body->'objects'->'RELAY' as relay from southbound_profile where id = $1", [copy.id]);
    expect(rows[0].relay.attribute).toBe(3);
  });

  test('have unique names, contain known objects only, and stay while a meter type uses them', async () => {
    const { items } = await get(templates);
    const ours = items.find((row: { name: string }) => row.name === 'Ours');
    expect((await send('POST', templates, { name: 'ours', keys: ['U1'] })).json().code).toBe('DUPLICATE');
    expect((await send('POST', templates, { name: 'Other', keys: ['NO_SUCH'] })).json().code).toBe('UNKNOWN_ITEM');
    await app.ctx.pool.query("update meter_type set profile_id = $1 where code = 'ONE'", [ours.id]);
    expect((await send('DELETE', `${templates}/${ours.id}`)).json().code).toBe('IN_USE');
    await app.ctx.pool.query(
      "update meter_type set profile_id = (select id from southbound_profile where key = 'hes-meter-1p2w') where code = 'ONE'",
    );
    expect((await send('DELETE', `${templates}/${ours.id}`)).statusCode).toBe(204);
  });
});

describe('the import', () => {
  const upload = (text: string) =>
    app.call(engineer, {
      method: 'POST',
      url: '/api/import/obis-code?name=objects.csv',
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.from(text),
    });
  const head = 'key,obis,classId,attribute,kind,nameEn,nameZh,category,dataType,unit,scaler,precision,access,decoder,enabled';

  test('adds new objects, changes known ones, and refuses an object under a second key', async () => {
    const preview = (
      await upload(
        [
          head,
          'THD_U2,1-0:52.7.124.255,3,2,attribute,Harmonic Distortion L2,B相谐波,quality,,255,,3,r,plain,yes',
          'THD_U1,1-0:32.7.124.255,3,2,attribute,Harmonics L1,A相谐波,quality,float32,255,-1,2,r,plain,yes',
          'THIRD,1-0:52.7.0.255,3,2,attribute,Third,三,quality,,255,,3,r,plain,yes',
        ].join('\n'),
      )
    ).json();
    expect(preview).toMatchObject({ total: 3, new: 1, update: 1, errors: 1 });
    const done = await app.call(engineer, { method: 'POST', url: `/api/import/obis-code/${preview.id}/commit` });
    expect(done.json().isDone).toBe(true);
    const { items } = await get(`${codes}?search=THD`);
    expect(items.map((row: { nameEn: string; precision: number }) => [row.nameEn, row.precision])).toEqual([
      ['Harmonics L1', 2],
      ['Harmonic Distortion L2', 3],
    ]);
  });
});
