import { RULES } from '@hes/contract/core/rules.ts';
import { PAGE_PATH } from '@hes/contract/page/paths.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { openKeys } from '../src/platform/device-keys.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let admin: TestUser;
const changed: string[] = [];
beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  app.ctx.bus.subscribe(({ message }) => message.type === 'device.changed' && changed.push(...message.data.ids));
});
afterAll(() => app.close());

const fresh = (octets = 16) => randomBytes(octets).toString('hex').toUpperCase();
const HEAD = 'SN,Encryption key,Authentication key,Password';

const upload = (list: string, lines: string[], user = admin, language = 'en') =>
  app.call(user, {
    method: 'POST',
    url: `/api/import/${list}?name=keys.csv`,
    headers: { 'content-type': 'application/octet-stream', 'accept-language': language },
    payload: lines.join('\r\n'),
  });
const commit = (list: string, id: string, user = admin) => app.call(user, { method: 'POST', url: `/api/import/${list}/${id}/commit` });
const result = (list: string, id: string) => app.call(admin, { url: `/api/import/${list}/${id}/result` });

const stored = (kind: 'dcu' | 'meter', sn: string) =>
  app.ctx.db
    .selectFrom(kind)
    .where('sn', '=', sn)
    .select(['id', 'version', 'ekSecret', 'akSecret', 'masterKeySecret', 'passwordSecret'])
    .executeTakeFirstOrThrow();
const logOf = async (deviceKind: 'dcu' | 'meter', deviceId: string) =>
  app.ctx.db
    .selectFrom('deviceKeyLog')
    .where('deviceKind', '=', deviceKind)
    .where('deviceId', '=', deviceId)
    .select(['keyType', 'method', 'userId'])
    .orderBy('id')
    .execute();

describe('a file of keys', () => {
  test('reports the issues of each line, and changes nothing before it is confirmed', async () => {
    const [one, two, three] = [fresh(), fresh(), fresh()];
    const answer = await upload('meter-key', [
      HEAD,
      `MN0001,${one},${two},`,
      `NOBODY1,${fresh()},${fresh()},`,
      `MN0002,${fresh().slice(2)},${fresh()},`,
      `MS0001,${'G'.repeat(32)},${fresh()},`,
      `MS0002,${'00'.repeat(16)},${fresh()},`,
      `MN0001,${fresh()},${fresh()},`,
      `NOBODY2,${one},${three},`,
      `NOBODY3,,,`,
      `NOBODY4,${fresh()},,`,
      `NOBODY5,${three.toLowerCase()},${fresh()},`,
    ]);
    const { rows, ...counts } = answer.json();
    expect(counts).toMatchObject({ total: 10, new: 0, update: 1, unchanged: 0, errors: 9, isDone: false });
    const issuesOf = (line: number) => rows.find((row: { line: number }) => row.line === line).issues;
    expect(issuesOf(3)).toEqual([{ column: 'sn', message: 'There is no such device in your area' }]);
    expect(issuesOf(4)).toEqual([{ column: 'ek', message: '32 hexadecimal digits, 64 in security suite 2' }]);
    expect(issuesOf(5)).toEqual([{ column: 'ek', message: '32 hexadecimal digits, 64 in security suite 2' }]);
    expect(issuesOf(6)).toEqual([{ column: 'ek', message: 'A key that can be guessed' }]);
    expect(issuesOf(7)).toEqual([{ column: 'sn', message: 'The same as line 2' }]);
    expect(issuesOf(8)[1]).toEqual({ column: 'ek', message: 'The same key as that of MN0001' });
    expect(issuesOf(9)[1]).toEqual({ message: 'There is no key on this line' });
    expect(issuesOf(10)[1]).toEqual({ column: 'ak', message: 'Both keys are needed, of the same length' });
    expect(issuesOf(11)[1]).toEqual({ column: 'ek', message: 'The same key as that of NOBODY2' });
    expect(await logOf('meter', (await stored('meter', 'MN0001')).id)).toEqual([]);
  });

  test('asks for the length that the suite of the type has, and for two keys that differ', async () => {
    await sql`update meter_type set security_suite = 2 where code = 'THREE'`.execute(app.ctx.db);
    const same = fresh();
    const lines = [HEAD, `MN0001,${fresh()},${fresh()},`, `MS0002,${same},${same},`, `MN0002,${fresh(32)},${fresh(32)},`];
    const { rows } = (await upload('meter-key', lines)).json();
    const length = ({ en: message }: Text) => ['ek', 'ak'].map((column) => ({ column, message }));
    expect(rows.map((row: { issues: unknown }) => row.issues)).toEqual([
      length(RULES.keyOf256Bits),
      [{ column: 'ak', message: 'The same as another key of this device' }],
      length(RULES.keyOf128Bits),
    ]);
    const chinese = (await upload('meter-key', lines, admin, 'zh-CN')).json();
    expect(chinese.rows[0].issues[0].message).toBe(RULES.keyOf256Bits.zh);
    await sql`update meter_type set security_suite = 0`.execute(app.ctx.db);
  });

  test('is stored in one transaction: sealed, logged with device and user, and never shown again', async () => {
    const given = { ek: fresh(), ak: fresh(), password: 'Word-Of-A-Meter-7' };
    const before = await stored('meter', 'MN0002');
    await sql`update meter set peer_invocation_counter = 4711 where sn in ('MN0002', 'MS0002')`.execute(app.ctx.db);
    changed.length = 0;
    const lines = [HEAD, `mn0002,${given.ek.toLowerCase()},${given.ak},${given.password}`, `MS0002,,,other-word`];
    const preview = await upload('meter-key', lines);
    expect(preview.json()).toMatchObject({ new: 1, update: 1, errors: 0 });
    const done = await commit('meter-key', preview.json().id);
    expect(done.json()).toMatchObject({ isDone: true, new: 1, update: 1 });

    const after = await stored('meter', 'MN0002');
    const opened = openKeys(app.ctx.secrets, 'meter', 'MN0002', after);
    expect([opened?.ek, opened?.ak].map((octets) => octets?.toString('hex').toUpperCase())).toEqual([given.ek, given.ak]);
    expect(app.ctx.secrets.open(after.passwordSecret ?? Buffer.alloc(0), 'meter/MN0002/password').toString()).toBe(given.password);
    expect(after.version).toBe(before.version + 1);
    const userId = admin.id;
    expect(await logOf('meter', after.id)).toEqual(['password', 'ek', 'ak'].map((keyType) => ({ keyType, method: 'imported', userId })));
    // A password alone keeps the keys and their counters.
    const other = await stored('meter', 'MS0002');
    expect(openKeys(app.ctx.secrets, 'meter', 'MS0002', other)).toBeDefined();
    const counters = await sql<{
      counter: string;
    }>`select peer_invocation_counter::text as counter from meter where sn in ('MN0002', 'MS0002') order by sn`.execute(app.ctx.db);
    expect(counters.rows.map(({ counter }) => counter)).toEqual(['-1', '4711']);
    expect([...changed].toSorted()).toEqual([after.id, other.id].toSorted());

    const audit = await app.call(admin, { url: '/api/manager/audit?size=2' });
    expect(audit.json().items).toMatchObject([
      { action: 'list_imported', detail: { list: 'meter-key', file: 'keys.csv', new: 1, update: 1 } },
      { action: 'meter_keys_changed', detail: { imported: ['MN0002', 'MS0002'], keys: ['password', 'ek', 'ak'] } },
    ]);
    const file = await result('meter-key', preview.json().id);
    expect(file.body.replace('\uFEFF', '')).toBe('Line,Result,Reason,SN\r\n2,Updated,,mn0002\r\n3,Added,,MS0002\r\n');
    const told = [preview.body, done.body, audit.body, file.body].join('\n').toUpperCase();
    expect(Object.values(given).filter((secret) => told.includes(secret.toUpperCase()))).toEqual([]);
  });

  test('with the stored values writes nothing; an equal password is never reported', async () => {
    const line = `DCUN0001,${fresh()},${fresh()},`;
    await commit('dcu-key', (await upload('dcu-key', [HEAD, line])).json().id);
    const { id, version } = await stored('dcu', 'DCUN0001');
    const again = (await upload('dcu-key', [HEAD, line])).json();
    expect(again).toMatchObject({ total: 1, new: 0, update: 0, unchanged: 1, errors: 0 });
    expect(again.rows[0].verdict).toBe('unchanged');
    expect((await commit('dcu-key', again.id)).json().code).toBe('NOTHING_TO_DO');
    expect((await stored('dcu', 'DCUN0001')).version).toBe(version);
    expect(await logOf('dcu', id)).toHaveLength(2);
    await commit('dcu-key', (await upload('dcu-key', [HEAD, 'DCUN0001,,,word'])).json().id);
    expect((await upload('dcu-key', [HEAD, 'DCUN0001,,,word'])).json()).toMatchObject({ update: 1, unchanged: 0 });
  });

  test('replaces secrets that were sealed with a lost key', async () => {
    await app.ctx.db
      .updateTable('dcu')
      .set({ ekSecret: randomBytes(45) })
      .where('sn', '=', 'DCUS0001')
      .execute();
    const line = `DCUS0001,${fresh()},${fresh()},,`;
    const preview = (await upload('dcu-key', [HEAD, line])).json();
    expect(preview).toMatchObject({ update: 1 });
    expect((await commit('dcu-key', preview.id)).json().isDone).toBe(true);
    expect(
      openKeys(app.ctx.secrets, 'dcu', 'DCUS0001', await stored('dcu', 'DCUS0001'))
        ?.ek.toString('hex')
        .toUpperCase(),
    ).toBe(line.split(',')[1]);
  });

  test('is of the area and the rights of who brings it', async () => {
    const north = (await app.ctx.db.selectFrom('networkLevel').where('code', '=', 'DN').select('id').executeTakeFirstOrThrow()).id;
    const user = await app.addUser({ scope: [north] });
    const lines = [HEAD, `MN0001,${fresh()},${fresh()},`, `MS0001,${fresh()},${fresh()},,`];
    expect((await upload('meter-key', lines, user)).json()).toMatchObject({ update: 1, errors: 1 });
    expect((await upload('meter-key', lines, await app.addUser({ roles: ['AUDITOR'] }))).statusCode).toBe(403);
  });

  test.each([
    ['dcu', 'SN *,Type code,加密密钥'],
    ['meter', 'sn,typeCode,communicationMode,ak'],
  ])('is no list of devices: one of %s with keys in it is refused, not taken without them', async (list, head) => {
    const answer = await upload(list, [head, 'X,Y,Z,W']);
    expect([answer.statusCode, answer.json().code]).toEqual([422, 'FILE_UNREADABLE']);
    expect(answer.json().detail).toContain('Import keys separately');
  });

  test.each(['dcu-key', 'meter-key'])('has a template that gives nothing away: %s', async (list) => {
    const template = await app.call(admin, { url: `/api/import/${list}/template?format=csv` });
    expect(template.body.replace('\uFEFF', '').split('\r\n')[0]).toBe(HEAD.replace('SN', 'SN *'));
    expect(template.body).not.toMatch(/[0-9A-F]{32}/);
  });
});

describe('a file of delivered meters with DCU and keys', () => {
  const COLUMNS = 'sn,typeCode,communicationMode,dcuSn,transformerCode,ek,ak';
  const line = (sn: string, dcuSn: string, ...rest: string[]) => [sn, 'ONE', 'plc', dcuSn, ...rest].join(',');

  test('adds, keys and binds them in one transaction, and shows no key', async () => {
    const [ek, ak] = [fresh(), fresh()];
    const preview = await upload('installation', [
      COLUMNS,
      line('DELIVERED1', 'dcun0001', 'TN', ek, ak),
      line('DELIVERED2', 'DCUN0001', '', '', ''),
    ]);
    expect(preview.json()).toMatchObject({ new: 2, errors: 0 });
    expect((await app.ctx.db.selectFrom('meter').where('sn', '=', 'DELIVERED1').select('id').execute()).length).toBe(0);
    const done = await commit('installation', preview.json().id);
    expect(done.json()).toMatchObject({ isDone: true, new: 2 });
    const { id } = await stored('meter', 'DELIVERED1');
    const asset = (await app.call(admin, { url: `/api/asset/meter/${id}/asset` })).json();
    expect(asset).toMatchObject({ dcuSn: 'DCUN0001', transformerName: 'Transformer N', inventoryState: 'installed' });
    const opened = openKeys(app.ctx.secrets, 'meter', 'DELIVERED1', await stored('meter', 'DELIVERED1'));
    expect([opened?.ek, opened?.ak].map((octets) => octets?.toString('hex').toUpperCase())).toEqual([ek, ak]);
    expect((await stored('meter', 'DELIVERED2')).ekSecret).toBeNull();
    expect(await logOf('meter', id)).toEqual(['ek', 'ak'].map((keyType) => ({ keyType, method: 'imported', userId: admin.id })));
    const audit = await app.call(admin, { url: '/api/manager/audit?size=4' });
    const actions = audit.json().items.map((entry: { action: string }) => entry.action);
    expect(actions).toEqual(['list_imported', 'archive_bound', 'meter_keys_changed', 'meter_created']);
    const told = [preview.body, done.body, audit.body, (await result('installation', preview.json().id)).body].join('\n').toUpperCase();
    expect([ek, ak].filter((secret) => told.includes(secret))).toEqual([]);
  });

  test('names each line that cannot be bound or keyed', async () => {
    const [ek, ak] = [fresh(), fresh()];
    const { rows } = (
      await upload('installation', [
        COLUMNS,
        line('NEWMETER1', 'NODCU', '', '', ''),
        line('NEWMETER2', 'DCUN0001', 'TS', '', ''),
        line('NEWMETER3', 'DCUN0001', 'NOWHERE', '', ''),
        line('MN0002', 'DCUN0001', '', '', ''),
        line('NEWMETER4', 'DCUN0001', '', ek, ''),
        line('NEWMETER5', 'DCUN0001', '', '00'.repeat(16), ak),
        line('NEWMETER6', 'DCUN0001', '', ek.slice(2), ak),
      ])
    ).json();
    const columnsOf = (number: number) =>
      rows.find((row: { line: number }) => row.line === number).issues.map(({ column }: { column: string }) => column);
    expect([2, 3, 4, 5, 6, 7].map(columnsOf)).toEqual([['dcuSn'], ['transformerCode'], ['transformerCode'], ['sn'], ['ak'], ['ek']]);
    expect(columnsOf(8)).toContain('ek');
  });

  test('is refused to callers who may not bind', async () => {
    const role = await app.call(admin, { method: 'POST', url: '/api/manager/role', payload: { code: 'STORE_KEEPER', name: 'x' } });
    const { items } = (await app.call(admin, { url: '/api/manager/role/module' })).json();
    const moduleId = items.find((one: { path: string }) => one.path === PAGE_PATH.meterAssets).id;
    const rights = {
      moduleIds: [moduleId],
      actions: [{ moduleId, actions: ['view', 'import'] }],
      area: { kind: 'whole' },
      version: role.json().version,
    };
    await app.call(admin, { method: 'PUT', url: `/api/manager/role/${role.json().id}/permission`, payload: rights });
    const keeper = await app.addUser({ roles: ['STORE_KEEPER'] });
    const answer = await upload('installation', [COLUMNS, line('NEWMETER7', 'DCUN0001', '', '', '')], keeper);
    expect(answer.json()).toMatchObject({ errors: 1 });
    expect(answer.json().rows[0].issues).toMatchObject([{ column: 'dcuSn' }]);
  });
});
