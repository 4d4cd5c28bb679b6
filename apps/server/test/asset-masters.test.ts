import type { InjectOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

let app: TestApp;
let admin: TestUser;
/** A user whose area is District N. */
let north: TestUser;
const ids = new Map<string, string>();
const idOf = (code: string) => ids.get(code) ?? '';

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  const { db } = app.ctx;
  for (const table of ['networkLevel', 'transformer', 'supplier', 'dcuType', 'meterType'] as const)
    for (const row of await db.selectFrom(table).select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
  admin = await app.addUser({ roles: ['ADMIN'] });
  north = await app.addUser({ scope: [idOf('DN')] });
});
afterAll(() => app.close());

async function ask(user: TestUser, method: NonNullable<InjectOptions['method']>, path: string, payload?: object, language = 'en') {
  const headers = { 'accept-language': language };
  const answer = await app.call(user, { method, url: `/api${path}`, headers, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

const levels = async () => (await ask(admin, 'GET', '/asset/level')).body.items;
const levelOf = async (id: string) => (await levels()).find((row: { id: string }) => row.id === id);
const addLevel = async (name: string, parentId: string | null, type = 'feeder') =>
  (await ask(admin, 'POST', '/asset/level', { name, code: name.toUpperCase().replaceAll(' ', '-'), type, parentId })).body;
const lastAudit = async () => (await ask(admin, 'GET', '/manager/audit?size=1')).body.items[0];

describe('network levels', () => {
  test('S-013 S-164 S-165: are added as siblings and children, counted, changed and deleted', async () => {
    const root = await ask(admin, 'POST', '/asset/level', { name: 'Second company', code: 'co-2', type: 'company', parentId: null });
    expect([root.status, root.body]).toMatchObject([201, { code: 'CO-2', depth: 1, parentId: null, transformers: 0 }]);
    const below = await ask(admin, 'POST', '/asset/level', { name: 'Region', code: 'CO-2-1', type: 'region', parentId: root.body.id });
    expect(below.body).toMatchObject({ depth: 2, parentId: root.body.id, sort: 10 });
    const change = { name: 'Region West', code: 'CO-2-1', type: 'region', version: 1, longitude: -58.4, latitude: -34.6 };
    const changed = await ask(admin, 'PUT', `/asset/level/${below.body.id}`, change);
    expect(changed.body).toMatchObject({ name: 'Region West', longitude: -58.4, version: 2 });
    expect(await lastAudit()).toMatchObject({ action: 'network_level_changed', entityId: below.body.id });
    expect((await ask(admin, 'DELETE', `/asset/level/${root.body.id}`)).body).toMatchObject({
      status: 409,
      code: 'NOT_EMPTY',
      detail: 'Level is not empty: levels: 1.',
    });
    expect((await ask(admin, 'DELETE', `/asset/level/${below.body.id}`)).status).toBe(204);
    expect((await ask(admin, 'DELETE', `/asset/level/${root.body.id}`)).status).toBe(204);
    expect(await levelOf(idOf('CITY'))).toMatchObject({ transformers: 2, dcus: 2, dcusOnline: 0, meters: 4 });
    expect(await levelOf(idOf('DN'))).toMatchObject({ transformers: 1, dcus: 1, meters: 2 });
  });

  test('with transformers are not deleted, and the refusal counts them, in both languages', async () => {
    const refused = await ask(admin, 'DELETE', `/asset/level/${idOf('DS')}`, undefined, 'zh-CN');
    expect(refused.body).toMatchObject({ code: 'NOT_EMPTY', detail: '该层级不为空：1台变压器。' });
  });

  test('a code, and a name among siblings, is unique, and a position is complete or empty', async () => {
    const fields = { name: 'district n', code: 'DX', type: 'district', parentId: idOf('CITY') };
    expect((await ask(admin, 'POST', '/asset/level', fields)).body).toMatchObject({ code: 'DUPLICATE', issues: [{ field: 'name' }] });
    const other = { ...fields, name: 'Other', code: 'dn' };
    expect((await ask(admin, 'POST', '/asset/level', other)).body).toMatchObject({ code: 'DUPLICATE', issues: [{ field: 'code' }] });
    const half = { ...fields, name: 'Half', longitude: 12 };
    expect((await ask(admin, 'POST', '/asset/level', half)).body).toMatchObject({ code: 'VALIDATION', issues: [{ field: 'latitude' }] });
  });

  test('a stale form is rejected with the current values', async () => {
    const { id } = await addLevel('Stale', idOf('CITY'));
    const fields = { name: 'First', code: 'STALE', type: 'feeder', version: 1 };
    await ask(admin, 'PUT', `/asset/level/${id}`, fields);
    expect((await ask(admin, 'PUT', `/asset/level/${id}`, { ...fields, name: 'Late' })).body).toMatchObject({
      status: 409,
      code: 'STALE',
      current: { name: 'First', version: 2 },
    });
    await ask(admin, 'DELETE', `/asset/level/${id}`);
  });

  test('a move carries the whole sub-tree along, refuses circles and depths beyond eight, and keeps the order', async () => {
    const a = await addLevel('Move A', idOf('CITY'));
    const b = await addLevel('Move B', a.id);
    const c = await addLevel('Move C', b.id);
    const d = await addLevel('Move D', idOf('DS'));
    const move = (id: string, parentId: string | null, beforeId?: string) =>
      levelOf(id).then(({ version }) => ask(admin, 'PUT', `/asset/level/${id}/move`, { parentId, beforeId: beforeId ?? null, version }));
    expect((await move(a.id, c.id)).body).toMatchObject({ status: 422, code: 'LEVEL_CYCLE' });
    expect((await move(a.id, a.id)).body.code).toBe('LEVEL_CYCLE');
    expect((await move(b.id, d.id)).body).toMatchObject({ parentId: d.id, depth: 4 });
    expect(await levelOf(c.id)).toMatchObject({ parentId: b.id, depth: 5 });
    const paths = await app.ctx.db.selectFrom('networkLevel').where('id', '=', c.id).select('path').executeTakeFirstOrThrow();
    expect(paths.path).toEqual([idOf('CITY'), idOf('DS'), d.id, b.id, c.id]);
    expect(await lastAudit()).toMatchObject({ action: 'network_level_moved', detail: { after: { parentId: d.id } } });
    await move(a.id, idOf('CITY'), idOf('DN'));
    const order = (await levels())
      .filter((row: { parentId: string }) => row.parentId === idOf('CITY'))
      .map((row: { code: string }) => row.code);
    expect(order.indexOf('MOVE-A')).toBeLessThan(order.indexOf('DN'));

    let deepest = c;
    for (const step of ['Six', 'Seven', 'Eight']) deepest = await addLevel(step, deepest.id, 'other');
    expect(deepest.depth).toBe(8);
    const ninth = { name: 'Nine', code: 'NINE', type: 'other', parentId: deepest.id };
    expect((await ask(admin, 'POST', '/asset/level', ninth)).body).toMatchObject({ status: 422, code: 'LEVEL_DEPTH' });
    expect((await move(b.id, a.id)).status).toBe(200);
    expect((await move(a.id, idOf('DS'))).body).toMatchObject({ depth: 3 });
    expect((await move(a.id, d.id)).body).toMatchObject({ status: 422, code: 'LEVEL_DEPTH' });
  });

  test('two moves at the same time never make a circle', async () => {
    const one = await addLevel('Ring one', idOf('CITY'));
    const two = await addLevel('Ring two', idOf('CITY'));
    const answers = await Promise.all([
      ask(admin, 'PUT', `/asset/level/${one.id}/move`, { parentId: two.id, version: one.version }),
      ask(admin, 'PUT', `/asset/level/${two.id}/move`, { parentId: one.id, version: two.version }),
    ]);
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 422]);
  });

  test('a user limited to an area reaches it, works in it, and sees nothing outside of it', async () => {
    const seen = (await ask(north, 'GET', '/asset/level')).body.items;
    expect(seen.map((row: { code: string; isWithin: boolean }) => [row.code, row.isWithin])).toEqual([
      ['CITY', false],
      ['DN', true],
    ]);
    const fields = { name: 'Feeder 1', code: 'DN-F1', type: 'feeder' };
    expect((await ask(north, 'POST', '/asset/level', { ...fields, parentId: idOf('DN') })).status).toBe(201);
    expect((await ask(north, 'POST', '/asset/level', { ...fields, parentId: idOf('DS') })).body.code).toBe('UNKNOWN_REFERENCE');
    expect((await ask(north, 'POST', '/asset/level', { ...fields, parentId: null })).body.code).toBe('BEYOND_OWN_RIGHTS');
    expect((await ask(north, 'DELETE', `/asset/level/${idOf('DS')}`)).status).toBe(404);
    expect((await ask(north, 'PUT', `/asset/level/${idOf('CITY')}`, { ...fields, version: 1 })).status).toBe(404);
  });
});

describe('suppliers', () => {
  const fields = { code: 'nova', name: 'Nova Meters', flagId: 'NVA', phone: '+86 21 5555 0000', email: '', country: 'cn' };

  test('S-010: are added, found, changed, disabled and deleted', async () => {
    const added = await ask(admin, 'POST', '/asset/supplier', fields);
    expect([added.status, added.body]).toMatchObject([
      201,
      { code: 'NOVA', flagId: 'NVA', country: 'CN', email: null, enabled: true, types: 0 },
    ]);
    const { id } = added.body;
    expect((await ask(admin, 'GET', '/asset/supplier?search=nov&country=CN&enabled=true')).body.items).toMatchObject([{ id }]);
    const changed = await ask(admin, 'PUT', `/asset/supplier/${id}`, { ...fields, enabled: false, note: 'no more', version: 1 });
    expect(changed.body).toMatchObject({ enabled: false, note: 'no more', version: 2 });
    expect(await lastAudit()).toMatchObject({ action: 'supplier_changed', detail: { after: { enabled: false, note: 'no more' } } });
    expect((await ask(admin, 'DELETE', `/asset/supplier/${id}`)).status).toBe(204);
    expect((await ask(admin, 'GET', `/asset/supplier/${id}`)).status).toBe(404);
  });

  test('with a wrong phone, a taken code or FLAG id are refused at that field', async () => {
    const refusal = async (change: object, language = 'en') =>
      (await ask(admin, 'POST', '/asset/supplier', { ...fields, code: 'OTHER', flagId: '', ...change }, language)).body;
    expect((await refusal({ phone: 'call me' })).issues).toEqual([{ field: 'phone', message: 'Phone Number Is Not Valid' }]);
    expect((await refusal({ phone: 'call me' }, 'zh')).issues).toEqual([{ field: 'phone', message: '手机号码不正确' }]);
    expect(await refusal({ code: 'acme' })).toMatchObject({ code: 'DUPLICATE', issues: [{ field: 'code' }] });
    expect(await refusal({ flagId: 'ACM' })).toMatchObject({ code: 'DUPLICATE', issues: [{ field: 'flagId' }] });
    expect((await refusal({ flagId: 'acm' })).issues).toMatchObject([{ field: 'flagId' }]);
  });

  test('in use are not deleted, and the refusal names the types', async () => {
    expect((await ask(admin, 'DELETE', `/asset/supplier/${idOf('ACME')}`)).body).toMatchObject({
      status: 409,
      code: 'IN_USE',
      detail: 'Still in use: DCU one, Single phase, Three phase.',
    });
  });
});

describe('types', () => {
  const profileId = async (kind: 'dcu' | 'meter', key: string) =>
    (await ask(admin, 'GET', `/asset/${kind}-type/choice`)).body.profiles.find((row: { key: string }) => row.key === key).id;

  test('S-011: DCU types are added with their defaults, filtered, changed and deleted', async () => {
    const fields = { code: 'GW-2', name: 'Gateway two', supplierId: idOf('ACME'), profileId: await profileId('dcu', 'hes-dcu-1') };
    const added = await ask(admin, 'POST', '/asset/dcu-type', fields);
    expect(added.body).toMatchObject({
      protocol: 'dlms_wrapper',
      authenticationType: 'hls_gmac',
      downlinkModes: ['plc'],
      maxMeters: 1024,
      heartbeatSeconds: 300,
      parallelMeters: 1,
      apduSize: 1024,
      dcus: 0,
    });
    const { id } = added.body;
    const change = { ...fields, heartbeatSeconds: 60, downlinkModes: ['plc', 'rf'], version: 1 };
    expect((await ask(admin, 'PUT', `/asset/dcu-type/${id}`, change)).body).toMatchObject({
      heartbeatSeconds: 60,
      downlinkModes: ['plc', 'rf'],
    });
    const filter = `protocol=dlms_wrapper&supplierId=${idOf('ACME')}&search=GW-2`;
    expect((await ask(admin, 'GET', `/asset/dcu-type?${filter}`)).body.items).toMatchObject([{ id }]);
    expect((await ask(admin, 'PUT', `/asset/dcu-type/${id}`, { ...change, maxMeters: 5000 })).body.issues).toMatchObject([
      { field: 'maxMeters' },
    ]);
    expect((await ask(admin, 'POST', '/asset/dcu-type', { ...fields, code: 'X', name: 'X', downlinkModes: [] })).body.issues).toEqual([
      { field: 'downlinkModes', message: 'Please select at least one' },
    ]);
    expect((await ask(admin, 'POST', '/asset/dcu-type', { ...fields, code: 'X', name: 'X', profileId: '999999' })).body).toMatchObject({
      code: 'UNKNOWN_REFERENCE',
    });
    expect((await ask(admin, 'DELETE', `/asset/dcu-type/${id}`)).status).toBe(204);
    expect((await ask(admin, 'DELETE', `/asset/dcu-type/${idOf('DCU1')}`)).body).toMatchObject({
      code: 'IN_USE',
      detail: 'Still in use: DCUs: 2.',
    });
  });

  test('S-012: meter types are added with their defaults, and a current must make sense', async () => {
    const fields = { code: 'M1', name: 'Meter one', supplierId: idOf('ACME'), profileId: await profileId('meter', 'hes-meter-1p2w') };
    const added = await ask(admin, 'POST', '/asset/meter-type', fields);
    expect(added.body).toMatchObject({
      phase: '1p2w',
      accuracy: 'B',
      voltage: '230',
      current: '5(60)',
      hasRelay: true,
      relayMode: 4,
      lpaPeriodSec: 900,
      lacksDailyFreeze: false,
    });
    const { id } = added.body;
    for (const current of ['60', '60(5)', '5(60) V', '(60)'])
      expect((await ask(admin, 'PUT', `/asset/meter-type/${id}`, { ...fields, current, version: 1 })).body.issues).toMatchObject([
        { field: 'current' },
      ]);
    expect((await ask(admin, 'PUT', `/asset/meter-type/${id}`, { ...fields, current: '1.5(6) A', version: 1 })).body.current).toBe(
      '1.5(6)',
    );
    expect((await ask(admin, 'GET', '/asset/meter-type?phase=1p2w&hasRelay=true&search=meter one')).body.items).toMatchObject([{ id }]);
    expect((await ask(admin, 'DELETE', `/asset/meter-type/${idOf('ONE')}`)).body).toMatchObject({
      code: 'IN_USE',
      detail: 'Still in use: meters: 2.',
    });
    expect((await ask(admin, 'DELETE', `/asset/meter-type/${id}`)).status).toBe(204);
  });

  test.each(['dcu', 'meter'] as const)('a %s type goes to another site and back as one file', async (kind) => {
    const code = kind === 'dcu' ? 'DCU1' : 'ONE';
    const file = (await ask(admin, 'GET', `/asset/${kind}-type/${idOf(code)}/file`)).body;
    expect(file).toMatchObject({ format: `hes-${kind}-type`, type: { code }, supplier: { code: 'ACME' } });
    expect(Object.keys(file.profile.body.objects).length).toBeGreaterThan(10);
    expect((await ask(admin, 'POST', `/asset/${kind}-type/file`, file)).body.code).toBe('DUPLICATE');
    const other = {
      ...file,
      type: { ...file.type, code: `${code}-B`, name: `${file.type.name} B`, current: '5(60)' },
      supplier: { code: 'FAR', name: 'Far away' },
      profile: { ...file.profile, key: `far-${kind}`, name: 'Far profile' },
    };
    const taken = await ask(admin, 'POST', `/asset/${kind}-type/file`, other);
    expect([taken.status, taken.body]).toMatchObject([201, { supplierName: 'Far away', profileName: 'Far profile' }]);
    expect((await ask(admin, 'GET', `/asset/${kind}-type/${taken.body.id}/file`)).body.profile.body).toEqual(file.profile.body);
    expect((await ask(admin, 'POST', `/asset/${kind}-type/file`, { format: 'something else' })).body.code).toBe('VALIDATION');
  });

  test('S-010 S-011 S-012: delivered ones keep their code and stay, may be disabled, and have names in both languages', async () => {
    const kept = [
      ['supplier', 'HES-REF', 'HES 参考型号'],
      ['dcu-type', 'REF-DCU', '参考集中器'],
      ['meter-type', 'REF-1P2W', '参考电表 1P2W'],
      ['meter-type', 'REF-3P4W', '参考电表 3P4W'],
    ] as const;
    for (const [kind, code, called] of kept) {
      const path = `/asset/${kind}`;
      const [row, ...others] = (await ask(admin, 'GET', `${path}?search=${encodeURIComponent(called)}`)).body.items;
      expect([row, others]).toMatchObject([{ code, isBuiltin: true, enabled: true }, []]);
      const renamed = await ask(admin, 'PUT', `${path}/${row.id}`, { ...row, code: 'MINE' }, 'zh-CN');
      expect([renamed.status, renamed.body.code, renamed.body.detail]).toEqual([422, 'BUILT_IN_CODE', '系统内置数据的编码不能修改。']);
      expect((await ask(admin, 'DELETE', `${path}/${row.id}`)).body).toMatchObject({ status: 422, code: 'BUILT_IN_ENTRY' });
      const off = await ask(admin, 'PUT', `${path}/${row.id}`, { ...row, enabled: false });
      expect(off.body).toMatchObject({ code, enabled: false, isBuiltin: true });
      await ask(admin, 'PUT', `${path}/${row.id}`, { ...off.body, enabled: true });
    }
    const stored = (await ask(admin, 'GET', '/asset/meter-type?search=REF-1P2W')).body.items[0];
    expect(stored).toMatchObject({ supplierName: 'HES Reference', profileName: 'Reference meter, single-phase two-wire', phase: '1p2w' });
    const file = (await ask(admin, 'GET', `/asset/meter-type/${stored.id}/file`)).body;
    const copied = await ask(admin, 'POST', '/asset/meter-type/file', { ...file, type: { ...file.type, code: 'COPY', name: 'Copy' } });
    expect(copied.body).toMatchObject({ code: 'COPY', isBuiltin: false });
    expect((await ask(admin, 'DELETE', `/asset/meter-type/${copied.body.id}`)).status).toBe(204);
  });

  test('a conformance check and a learning run are tasks, for devices of that type within the own area', async () => {
    const check = await ask(admin, 'POST', `/asset/dcu-type/${idOf('DCU1')}/conformance`, { dcuId: idOf('DCUN0001') });
    expect([check.status, check.body.taskId]).toEqual([202, expect.any(String)]);
    // A search by number or name finds one of thousands.
    const { sn, name } = await app.ctx.db
      .selectFrom('dcu')
      .where('id', '=', idOf('DCUN0001'))
      .select(['sn', 'name'])
      .executeTakeFirstOrThrow();
    const found = async (search: string) =>
      (await ask(admin, 'GET', `/asset/dcu-type/${idOf('DCU1')}/dcu?search=${encodeURIComponent(search)}`)).body.items.map(
        (row: { sn: string }) => row.sn,
      );
    expect(await found(sn.slice(2).toLowerCase())).toEqual([sn]);
    expect(await found(name.toUpperCase())).toEqual([sn]);
    expect((await ask(north, 'POST', `/asset/dcu-type/${idOf('DCU1')}/conformance`, { dcuId: idOf('DCUS0001') })).body.code).toBe(
      'DCU_NOT_FOUND',
    );
    const learn = await ask(admin, 'POST', `/asset/meter-type/${idOf('ONE')}/learn`, { meterId: idOf('MN0002') });
    expect(learn.status).toBe(202);
    expect((await ask(admin, 'POST', `/asset/meter-type/${idOf('ONE')}/learn`, { meterId: idOf('MN0001') })).body.code).toBe(
      'METER_NOT_FOUND',
    );
    expect((await ask(admin, 'GET', `/asset/meter-type/${idOf('ONE')}/learnt/${learn.body.taskId}`)).body.code).toBe('NOT_LEARNT');
    expect((await ask(admin, 'GET', `/asset/meter-type/${idOf('ONE')}/learnt/${check.body.taskId}`)).body.code).toBe('NOT_FOUND');
  });

  test('the object list of a meter becomes a template, which the type uses', async () => {
    const { taskId } = (await ask(admin, 'POST', `/asset/meter-type/${idOf('ONE')}/learn`, { meterId: idOf('MN0002') })).body;
    const objects = [
      { classId: 3, version: 0, obis: '1.0.1.8.0.255', readable: [1, 2, 3] },
      { classId: 7, version: 1, obis: '1.0.98.2.0.255', readable: [1, 2] },
      { classId: 1, version: 0, obis: '0.0.96.200.7.255', readable: [2] },
    ];
    await app.ctx.db
      .updateTable('taskItem')
      .set({ result: JSON.stringify({ objects }), state: 'read_success' })
      .where('taskId', '=', taskId)
      .execute();
    const path = `/asset/meter-type/${idOf('ONE')}/learnt/${taskId}`;
    const lines = (await ask(admin, 'GET', path)).body.items;
    expect(
      lines
        .filter((line: { difference: string }) => line.difference === 'same')
        .map((line: { key: string }) => line.key)
        .toSorted(),
    ).toEqual(['DAILY', 'E_PLUS']);
    expect(lines.at(-1)).toMatchObject({ key: null, difference: 'unknown', object: { obis: '0.0.96.200.7.255' } });
    const { version } = (await ask(admin, 'GET', `/asset/meter-type/${idOf('ONE')}`)).body;
    const taken = await ask(admin, 'POST', path, { name: 'As built', version });
    expect(taken.body).toMatchObject({ profileName: 'As built', lacksDailyFreeze: false, version: version + 1 });
    expect((await ask(admin, 'POST', path, { name: 'Again', version })).body.code).toBe('STALE');
  });
});

describe('transformers', () => {
  const fields = () => ({ name: 'T North 2', address: '1 River Road', longitude: -0.1276, latitude: -33.4489, levelId: idOf('DN') });

  test.each([
    ['S-166', 'name', 'T Kept 1', 'T Kept 2'],
    ['S-167', 'address', '1 River Road', '2 Hill Road'],
    ['S-168', 'longitude', 120.5, -0.1276],
    ['S-169', 'latitude', 31.25, -33.4489],
  ])('%s: have a %s, which is kept and can be changed', async (_statement, field, first, second) => {
    const own = { ...fields(), name: `T with ${field}`, [field]: first };
    const { id, version } = (await ask(admin, 'POST', '/asset/transformer', own)).body;
    const shown = async () => (await ask(admin, 'GET', `/asset/transformer/${id}`)).body[field];
    expect(await shown()).toBe(first);
    expect((await ask(admin, 'PUT', `/asset/transformer/${id}`, { ...own, [field]: second, version })).status).toBe(200);
    expect(await shown()).toBe(second);
    expect((await ask(admin, 'DELETE', `/asset/transformer/${id}`)).status).toBe(204);
  });

  test('S-170: belong to a level, and are found below it and below no other', async () => {
    const own = { ...fields(), name: 'T of a level' };
    const { id, version } = (await ask(admin, 'POST', '/asset/transformer', own)).body;
    const below = async (code: string): Promise<string[]> =>
      (await ask(admin, 'GET', `/asset/transformer?node=level:${idOf(code)}&size=500`)).body.items.map((row: { id: string }) => row.id);
    expect([(await below('DN')).includes(id), (await below('DS')).includes(id)]).toEqual([true, false]);
    await ask(admin, 'PUT', `/asset/transformer/${id}`, { ...own, levelId: idOf('DS'), version });
    expect([(await below('DN')).includes(id), (await below('DS')).includes(id)]).toEqual([false, true]);
    expect((await ask(admin, 'DELETE', `/asset/transformer/${id}`)).status).toBe(204);
  });

  test.each([
    ['S-171', 'longitude', 180],
    ['S-172', 'latitude', 90],
  ])('%s: have a %s that is positive on one side of zero, negative on the other, and ends at %i', async (_statement, field, most) => {
    for (const [value, status] of [
      [most, 201],
      [-most, 201],
      [most + 0.1, 400],
      [-most - 0.1, 400],
    ] as const) {
      const answer = await ask(admin, 'POST', '/asset/transformer', { ...fields(), name: `T at ${field} ${value}`, [field]: value });
      expect(answer.status, `${value}`).toBe(status);
      if (status !== 201) continue;
      expect(answer.body[field]).toBe(value);
      expect((await ask(admin, 'DELETE', `/asset/transformer/${answer.body.id}`)).status).toBe(204);
    }
  });

  test('S-005: are added, found, changed within their bounds, and deleted when nothing hangs on them', async () => {
    const added = await ask(admin, 'POST', '/asset/transformer', fields());
    expect([added.status, added.body]).toMatchObject([
      201,
      {
        name: 'T North 2',
        address: '1 River Road',
        longitude: -0.1276,
        latitude: -33.4489,
        levelId: idOf('DN'),
        levelName: 'District N',
        capacityKva: 400,
        ctRatio: 1,
        publicOrPrivate: 'public',
        code: 'TR000001',
        state: 'no_dcu',
      },
    ]);
    const { id } = added.body;
    for (const [change, field] of [
      [{ longitude: 180.1 }, 'longitude'],
      [{ latitude: -90.1 }, 'latitude'],
      [{ longitude: null }, 'latitude'],
      [{ capacityKva: 0 }, 'capacityKva'],
      [{ ctRatio: 0 }, 'ctRatio'],
    ] as const)
      expect((await ask(admin, 'PUT', `/asset/transformer/${id}`, { ...fields(), ...change, version: 1 })).body.issues).toMatchObject([
        { field },
      ]);
    expect((await ask(admin, 'POST', '/asset/transformer', fields())).body).toMatchObject({
      code: 'DUPLICATE',
      issues: [{ field: 'name' }],
    });
    expect((await ask(admin, 'GET', '/asset/transformer?search=river')).body.items).toMatchObject([{ id }]);
    expect((await ask(admin, 'GET', '/asset/transformer?hasDcu=false')).body.items).toMatchObject([{ id }]);
    expect((await ask(admin, 'GET', `/asset/transformer?node=level:${idOf('DS')}`)).body.items).toMatchObject([{ code: 'TS' }]);
    expect((await ask(admin, 'GET', '/asset/transformer?state=some_offline')).body.total).toBe(2);
    const facets = (await ask(admin, 'GET', '/asset/transformer/facets')).body;
    expect(facets.state.some_offline).toBe(2);
    expect(Object.values<number>(facets.state).reduce((sum, count) => sum + count, 0)).toBe(facets.total);
    expect((await ask(admin, 'DELETE', `/asset/transformer/${id}`)).status).toBe(204);
    expect((await ask(admin, 'DELETE', `/asset/transformer/${idOf('TN')}`)).body).toMatchObject({
      status: 409,
      code: 'IN_USE',
      detail: 'Still in use: DCUs: 1, meters: 2.',
    });
  });

  test('S-444 S-445: a DCU that belongs somewhere is not bound, one that does not is not unbound, each in the words for it', async () => {
    const { id } = (await ask(admin, 'POST', '/asset/transformer', { ...fields(), name: 'Bind me' })).body;
    const bind = (language = 'en') => ask(admin, 'PUT', `/asset/transformer/${id}/dcu`, { dcuIds: [idOf('DCUS0001')] }, language);
    expect((await bind()).body).toMatchObject({ status: 409, code: 'ALREADY_BOUND', detail: 'Exist Data Has Been Bound!' });
    expect((await bind('zh')).body.detail).toBe('存在已绑定的数据！');
    expect((await ask(admin, 'DELETE', `/asset/transformer/${id}/dcu/${idOf('DCUS0001')}`)).body).toMatchObject({
      code: 'NOT_BOUND',
      detail: 'Exist Data Not Bind!',
    });
    expect((await ask(admin, 'DELETE', `/asset/transformer/${idOf('TS')}/dcu/${idOf('DCUS0001')}`)).status).toBe(204);
    expect(await lastAudit()).toMatchObject({ action: 'transformer_dcu_unbound', detail: { dcus: ['DCUS0001'] } });
    expect((await ask(admin, 'GET', '/asset/transformer/dcu')).body.items[0]).toMatchObject({ sn: 'DCUS0001', transformerId: null });
    expect((await bind()).body).toMatchObject({ dcus: 1, state: 'some_offline' });
    expect((await ask(admin, 'GET', `/asset/transformer/${id}`)).body.dcuList).toMatchObject([{ sn: 'DCUS0001' }]);
    await ask(admin, 'DELETE', `/asset/transformer/${id}/dcu/${idOf('DCUS0001')}`);
    await ask(admin, 'PUT', `/asset/transformer/${idOf('TS')}/dcu`, { dcuIds: [idOf('DCUS0001')] });
  });

  test('a master meter hangs at its transformer, and there is one', async () => {
    const set = (meterId: string | null) => ask(admin, 'PUT', `/asset/transformer/${idOf('TN')}/master`, { meterId });
    expect((await set(idOf('MS0001'))).body.code).toBe('NOT_AT_TRANSFORMER');
    expect((await set(idOf('MN0002'))).body).toMatchObject({ masterMeterSn: 'MN0002' });
    const masters = (await ask(admin, 'GET', `/asset/transformer/${idOf('TN')}/meter`)).body.items;
    expect(masters.map((row: { sn: string; isMaster: boolean }) => [row.sn, row.isMaster])).toEqual([
      ['MN0002', true],
      ['MN0001', false],
    ]);
    expect((await set(null)).body.masterMeterSn).toBeNull();
    expect(
      (await ask(admin, 'GET', `/asset/transformer/${idOf('TN')}/meter`)).body.items.some((row: { isMaster: boolean }) => row.isMaster),
    ).toBe(false);
  });

  test('several move to a level together or not at all, and only within the own area', async () => {
    const a = (await ask(admin, 'POST', '/asset/transformer', { ...fields(), name: 'Mover' })).body;
    const b = (await ask(admin, 'POST', '/asset/transformer', { ...fields(), name: 'Blocked' })).body;
    await ask(admin, 'POST', '/asset/transformer', { ...fields(), name: 'Blocked', levelId: idOf('CITY') });
    const move = (user: TestUser, levelId: string, of = [a.id, b.id]) => ask(user, 'PUT', '/asset/transformer/level', { ids: of, levelId });
    expect((await move(admin, idOf('CITY'))).body.code).toBe('DUPLICATE');
    expect((await ask(admin, 'GET', `/asset/transformer/${a.id}`)).body.levelId).toBe(idOf('DN'));
    expect((await move(north, idOf('DS'))).body.code).toBe('UNKNOWN_REFERENCE');
    expect((await move(admin, idOf('DS'))).body).toEqual({ moved: 2 });
    expect((await move(north, idOf('DN'))).body.code).toBe('NOT_FOUND');
  });

  test('stand on the map, close ones as one dot, within the view and the area', async () => {
    const near = await ask(admin, 'GET', '/asset/transformer/map?zoom=2&bbox=121,31,122,32');
    expect(near.body.items).toMatchObject([{ id: null, transformers: 2, dcus: 2 }]);
    expect((await ask(north, 'GET', '/asset/transformer/map?zoom=20&bbox=121,31,122,32')).body.items).toMatchObject([
      { id: idOf('TN'), name: 'Transformer N' },
    ]);
    expect((await ask(admin, 'GET', '/asset/transformer/map?bbox=1,2')).body.code).toBe('VALIDATION');
  });
});
