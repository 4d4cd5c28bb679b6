import { randomBytes } from 'node:crypto';
import type { InjectOptions } from 'fastify';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importCommissioning } from '../src/db/seed/import-commissioning.ts';
import { openKeys } from '../src/platform/device-keys.ts';
import { testApp, type TestApp, type TestUser } from './test-app.ts';
import { smallTown } from './town.ts';

const KEY = '6E1C8A40D95B27F3A2E47D10C8935FB6';
const OTHER_KEY = 'B37F02D65A91E84C13F8AD6027C5E94B';
/** Of no other device: a key that one has is refused for another. */
const freshKey = (): string => randomBytes(16).toString('hex').toUpperCase();

let app: TestApp;
let admin: TestUser;
const announced: { kind: string; ids: string[] }[] = [];
const ids = new Map<string, string>();

beforeAll(async () => {
  app = await testApp();
  await importCommissioning(app.ctx, smallTown());
  admin = await app.addUser({ roles: ['ADMIN'] });
  app.ctx.bus.subscribe(({ message }) => void (message.type === 'device.changed' && announced.push(message.data)));
  for (const table of ['dcuType', 'meterType', 'transformer', 'networkLevel'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'code']).execute()) ids.set(row.code, row.id);
  for (const table of ['dcu', 'meter'] as const)
    for (const row of await app.ctx.db.selectFrom(table).select(['id', 'sn']).execute()) ids.set(row.sn, row.id);
});
afterAll(() => app.close());

const id = (name: string) => ids.get(name) ?? '';

async function ask(method: NonNullable<InjectOptions['method']>, path: string, payload?: object, user = admin, language = 'en') {
  const headers = { 'accept-language': language };
  const answer = await app.call(user, { method, url: `/api${path}`, headers, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json(), text: answer.body };
}
const lastAudit = async () => (await ask('GET', '/manager/audit?size=1')).body.items[0];

const dcuFields = (fields: object = {}) => ({
  name: 'By hand',
  dcuTypeId: id('DCU1'),
  transformerId: id('TN'),
  protocol: 'dlms_wrapper',
  communicateType: 'nb_iot',
  connectionType: 'dial_in',
  authenticationType: 'hls_gmac',
  dataChannel: 'plc_rf',
  country: 'CN',
  ...fields,
});
let count = 0;
const addDcu = async (fields: object = {}) =>
  (await ask('POST', '/asset/dcu', dcuFields({ sn: `HAND${String(++count).padStart(4, '0')}`, ...fields }))).body;

describe('a DCU', () => {
  test.each([
    ['S-174', 'protocol', 'dlms_wrapper', undefined],
    ['S-175', 'communicateType', 'nb_iot', 'g4'],
    ['S-177', 'connectionType', 'dial_in', 'dial_out'],
    ['S-178', 'authenticationType', 'hls_gmac', 'low'],
    ['S-180', 'dataChannel', 'plc_rf', 'rf'],
    ['S-181', 'country', 'CN', 'SG'],
  ])('%s: has a %s, which is kept and can be changed', async (_statement, field, first, second) => {
    const reached = { host: '10.0.0.9', port: 4059 };
    const own = dcuFields({ ...reached, [field]: first });
    const { id: dcuId, version } = await addDcu(own);
    const shown = async () => [
      (await ask('GET', `/asset/dcu/${dcuId}`)).body[field],
      (await ask('GET', `/asset/dcu?node=dcu:${dcuId}`)).body.items[0]?.[field],
    ];
    expect(await shown()).toEqual([first, first]);
    if (second === undefined) return;
    const changed = await ask('PUT', `/asset/dcu/${dcuId}`, { ...own, [field]: second, version });
    expect(changed.status, changed.text).toBe(200);
    expect(await shown()).toEqual([second, second]);
  });

  test('says when it was last heard, in its record and in the list', async () => {
    const { id: dcuId } = await addDcu({ host: '10.0.0.9', port: 4059 });
    await app.ctx.pool.query("update dcu set last_comm_at = '2026-03-04T05:06:07Z' where id = $1", [dcuId]);
    const lastCommAt = '2026-03-04T05:06:07.000Z';
    expect((await ask('GET', `/asset/dcu/${dcuId}`)).body).toMatchObject({ lastCommAt });
    expect((await ask('GET', `/asset/dcu?node=dcu:${dcuId}`)).body.items).toMatchObject([{ lastCommAt }]);
  });

  test('S-006 S-173: is registered under its serial number with all its fields, and its keys never come back', async () => {
    const added = await ask('POST', '/asset/dcu', dcuFields({ sn: 'hand9001', keys: { ek: KEY, ak: KEY, password: 'secret-word' } }));
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      sn: 'HAND9001',
      protocol: 'dlms_wrapper',
      communicateType: 'nb_iot',
      onlineStatus: 'never',
      connectionType: 'dial_in',
      authenticationType: 'hls_gmac',
      lastCommAt: null,
      dataChannel: 'plc_rf',
      country: 'CN',
      transformerName: 'Transformer N',
      hasKeys: true,
      keys: { password: true, masterKey: false, ek: true, ak: true },
    });
    expect(added.text.toUpperCase()).not.toContain(KEY);
    expect(added.text).not.toContain('secret-word');
    const row = await app.ctx.db
      .selectFrom('dcu')
      .where('sn', '=', 'HAND9001')
      .select(['ekSecret', 'akSecret', 'passwordSecret'])
      .executeTakeFirstOrThrow();
    expect(openKeys(app.ctx.secrets, 'dcu', 'HAND9001', row)?.ek.toString('hex').toUpperCase()).toBe(KEY);
    expect(row.passwordSecret?.includes(Buffer.from('secret-word'))).toBe(false);
    const entry = await lastAudit();
    expect(entry).toMatchObject({ action: 'dcu_created', detail: { after: { sn: 'HAND9001', keys: ['password', 'ek', 'ak'] } } });
    expect(JSON.stringify(entry).toUpperCase()).not.toContain(KEY);
    expect(announced.at(-1)).toEqual({ kind: 'dcu', ids: [added.body.id] });
    const logged = await app.ctx.db
      .selectFrom('deviceKeyLog')
      .where('deviceId', '=', added.body.id)
      .select(['keyType', 'method'])
      .execute();
    expect(logged).toEqual(['password', 'ek', 'ak'].map((keyType) => ({ keyType, method: 'typed' })));
  });

  test('of a name that is taken, of a wrong form, or dialled without an address is refused at its field in both languages', async () => {
    await addDcu({ sn: 'TAKEN001' });
    const again = dcuFields({ sn: 'taken001' });
    expect((await ask('POST', '/asset/dcu', again)).body).toMatchObject({
      code: 'DUPLICATE',
      issues: [{ field: 'sn', message: 'SN TAKEN001 is already in use.' }],
    });
    expect((await ask('POST', '/asset/dcu', again, admin, 'zh')).body.issues).toEqual([{ field: 'sn', message: '编号 TAKEN001 已存在。' }]);
    const wrong = await ask('POST', '/asset/dcu', dcuFields({ sn: 'a-b' }));
    expect(wrong.body).toMatchObject({ code: 'VALIDATION', issues: [{ field: 'sn', message: '6 to 32 letters and digits' }] });
    const noHost = await ask('POST', '/asset/dcu', dcuFields({ sn: 'NOHOST01', connectionType: 'dial_out' }));
    expect(noHost.body.issues).toEqual([{ field: 'host', message: 'A device that is dialled needs an address' }]);
    const nowhere = await ask('POST', '/asset/dcu', dcuFields({ sn: 'NOWHERE1', transformerId: '999999999' }));
    expect(nowhere.body).toMatchObject({ code: 'UNKNOWN_REFERENCE' });
  });

  test('that called unregistered is removed from that list when it is registered', async () => {
    await app.ctx.db.insertInto('dcuUnregistered').values({ claimedName: 'STRANGER01', remote: '192.0.2.7:1' }).execute();
    expect((await ask('GET', '/asset/dcu/unregistered')).body.items).toMatchObject([{ claimedName: 'STRANGER01' }]);
    await addDcu({ sn: 'STRANGER01' });
    expect((await ask('GET', '/asset/dcu/unregistered')).body.items).toEqual([]);
  });

  test('changed by another user in the meantime is not overwritten', async () => {
    const { id: dcuId, version } = await addDcu();
    const first = await ask('PUT', `/asset/dcu/${dcuId}`, dcuFields({ name: 'First', apn: 'meter.net', version }));
    expect(first.body).toMatchObject({ name: 'First', apn: 'meter.net' });
    expect((await ask('PUT', `/asset/dcu/${dcuId}`, dcuFields({ name: 'Second', version }))).body.code).toBe('STALE');
    expect(await lastAudit()).toMatchObject({ action: 'dcu_changed', detail: { before: { name: 'By hand' }, after: { name: 'First' } } });
  });

  test('takes its meters along when it moves to another transformer, one or many at once', async () => {
    const moved = await ask('PUT', '/asset/dcu/transformer', { ids: [id('DCUN0001')], transformerId: id('TS') });
    expect(moved.body).toEqual({ moved: 1 });
    expect((await ask('GET', `/asset/meter/${id('MN0002')}/asset`)).body.transformerName).toBe('Transformer S');
    expect((await ask('PUT', '/asset/dcu/transformer', { ids: [], transformerId: null })).body.issues[0].message).toBe(
      'Please Select Data!',
    );
    await ask('PUT', '/asset/dcu/transformer', { ids: [id('DCUN0001')], transformerId: id('TN') });
  });

  test('that serves meters is not deleted, and the refusal names them', async () => {
    const refused = await ask('DELETE', `/asset/dcu/${id('DCUS0001')}`);
    expect(refused).toMatchObject({ status: 409, body: { code: 'HAS_ARCHIVES' } });
    expect(refused.body.detail).toContain('MS0001, MS0002');
    const { id: dcuId } = await addDcu();
    expect((await ask('DELETE', `/asset/dcu/${dcuId}`)).status).toBe(204);
    expect((await ask('GET', `/asset/dcu/${dcuId}`)).status).toBe(404);
    expect(await lastAudit()).toMatchObject({ action: 'dcu_deleted', entityId: dcuId });
  });

  test('gets other keys in pairs only, and a cleared key is gone', async () => {
    const { id: dcuId } = await addDcu({ keys: { ek: freshKey(), ak: freshKey() } });
    expect((await ask('PUT', `/asset/dcu/${dcuId}/keys`, { ek: OTHER_KEY })).body.issues[0].message).toBe(
      'Both keys are needed, of the same length',
    );
    expect((await ask('PUT', `/asset/dcu/${dcuId}/keys`, { ek: 'XYZ', ak: KEY })).body.issues[0].message).toBe(
      '32 hexadecimal digits, 64 in security suite 2',
    );
    for (const ek of ['00'.repeat(16), '000102030405060708090A0B0C0D0E0F'])
      expect((await ask('PUT', `/asset/dcu/${dcuId}/keys`, { ek, ak: KEY })).body.issues).toMatchObject([
        { field: 'ek', message: 'A key that can be guessed' },
      ]);
    expect((await ask('PUT', `/asset/dcu/${dcuId}/keys`, { ek: null, ak: null, password: 'other-word' })).body.keys).toEqual({
      password: true,
      masterKey: false,
      ek: false,
      ak: false,
    });
  });

  test('is tested, asked about itself and restarted by tasks; a restart needs a reason and stands in the log', async () => {
    const tested = await ask('POST', `/asset/dcu/${id('DCUN0001')}/test`);
    expect(tested.status).toBe(202);
    expect((await ask('GET', `/task/${tested.body.taskId}`)).body).toMatchObject({ kind: 'dcu_test', total: 1 });
    const info = await ask('POST', '/asset/dcu/read-info', { ids: [id('DCUN0001'), id('DCUS0001')] });
    expect((await ask('GET', `/task/${info.body.taskId}`)).body).toMatchObject({ kind: 'dcu_read_info', total: 2 });
    expect((await ask('POST', `/asset/dcu/${id('DCUN0001')}/restart`, { reason: ' ' })).body.issues[0].message).toBe(
      'Please enter the reason',
    );
    const restart = await ask('POST', `/asset/dcu/${id('DCUN0001')}/restart`, { reason: 'Hangs since noon' });
    expect(restart.status).toBe(202);
    expect(await lastAudit()).toMatchObject({ action: 'dcu_restart_ordered', detail: { reason: 'Hangs since noon' } });
  });

  test('outside of the area of a user cannot be touched or made', async () => {
    const north = await app.addUser({ scope: [id('DN')] });
    expect((await ask('DELETE', `/asset/dcu/${id('DCUS0001')}`, undefined, north)).body.code).toBe('DCU_NOT_FOUND');
    expect((await ask('POST', `/asset/dcu/${id('DCUS0001')}/test`, undefined, north)).body.code).toBe('DCU_NOT_FOUND');
    expect((await ask('POST', '/asset/dcu', dcuFields({ sn: 'SOUTH001', transformerId: id('TS') }), north)).body.code).toBe(
      'UNKNOWN_REFERENCE',
    );
    expect((await ask('POST', '/asset/dcu', dcuFields({ sn: 'SOUTH001', transformerId: null }), north)).body.code).toBe(
      'UNKNOWN_REFERENCE',
    );
  });
});

const meterFields = (fields: object = {}) => ({ meterTypeId: id('ONE'), communicationMode: 'plc', ...fields });
const addMeter = async (fields: object = {}) =>
  (await ask('POST', '/asset/meter', meterFields({ sn: `METER${String(++count).padStart(4, '0')}`, ...fields }))).body;
const setState = (body: object) => ask('PUT', '/asset/meter/state', body);

describe('the list of DCUs', () => {
  test('says what a DCU holds against what we hold, and for how long it was there', async () => {
    const { body } = await ask('POST', '/asset/dcu', dcuFields({ sn: 'seen9001' }));
    const rowOf = async () => (await ask('GET', '/asset/dcu?search=SEEN9001')).body.items[0];
    expect(await rowOf()).toMatchObject({ meters: 0, archiveEntries: null, availability24h: null, clockDeviationS: null });
    const { db } = app.ctx;
    await sql`update dcu set created_at = now() - interval '4 hours', online_status = 'online', clock_deviation_s = -7 where id = ${body.id}`.execute(
      db,
    );
    await sql`insert into dcu_session (dcu_id, claimed_name, direction, remote, opened_at, identified_at, closed_at)
      values (${body.id}, 'SEEN9001', 'dial_in', '10.0.0.1:1', now() - interval '4 hours', now() - interval '4 hours', now() - interval '2 hours'),
        (${body.id}, 'SEEN9001', 'dial_in', '10.0.0.1:2', now() - interval '1 hour', now() - interval '1 hour', null)`.execute(db);
    await sql`insert into node (started_at, alive_at) values (now() - interval '1 day', now())`.execute(db);
    await sql`insert into archive_snapshot (dcu_id, taken_at, entries, count, frames, duration_ms)
      values (${body.id}, now() - interval '1 day', '[]', 9, 1, 1), (${body.id}, now(), '[]', 12, 1, 1)`.execute(db);
    expect(await rowOf()).toMatchObject({ archiveEntries: 12, availability24h: 75, clockDeviationS: -7 });
  });

  test('offers what the type says and where most of the others stand to a new one', async () => {
    const { types, country } = (await ask('GET', '/asset/dcu/option')).body;
    expect(country).toBe('CN');
    expect(types.find((type: { code: string }) => type.code === 'DCU1')).toMatchObject({ dataChannel: 'plc' });
  });
});

describe('a meter', () => {
  test.each([
    ['S-183', 'isMaster', false, true],
    ['S-187', 'current', '5(60) A', '10(100) A'],
  ])('%s: has %s, which is kept and can be changed', async (_statement, field, first, second) => {
    const own = meterFields({ [field]: first });
    const { id: meterId, sn, version } = await addMeter(own);
    const shown = async () => (await ask('GET', `/asset/meter/${meterId}/asset`)).body[field];
    expect(await shown()).toBe(first);
    const changed = await ask('PUT', `/asset/meter/${meterId}`, { ...own, sn, [field]: second, version });
    expect(changed.status, changed.text).toBe(200);
    expect(await shown()).toBe(second);
  });

  test('S-184 S-185 S-186 S-188: has the supplier, accuracy, voltage and phases of its type, and others with another type', async () => {
    const fieldsOf = async (type: string) => {
      const { id: meterId } = await addMeter({ meterTypeId: id(type) });
      const { supplierName, accuracy, voltage, phase } = (await ask('GET', `/asset/meter/${meterId}/asset`)).body;
      return { supplierName, accuracy, voltage, phase };
    };
    const { body: one } = await ask('GET', `/asset/meter-type/${id('ONE')}`);
    const { body: three } = await ask('GET', `/asset/meter-type/${id('THREE')}`);
    for (const [code, type] of [
      ['ONE', one],
      ['THREE', three],
    ] as const)
      expect(await fieldsOf(code)).toEqual({
        supplierName: type.supplierName,
        accuracy: type.accuracy,
        voltage: type.voltage,
        phase: type.phase,
      });
    expect(one.phase).not.toBe(three.phase);
  });

  test('S-007 S-182: is added to the warehouse under its serial number, with what its type says and what differs', async () => {
    const added = await ask(
      'POST',
      '/asset/meter',
      meterFields({ sn: 'hand000001', isMaster: true, current: '10(100) A', keys: { ek: freshKey(), ak: freshKey() } }),
    );
    expect(added.status).toBe(201);
    expect(added.body).toMatchObject({
      sn: 'HAND000001',
      isMaster: true,
      supplierName: 'Acme Meters',
      accuracy: '1',
      voltage: '230 V',
      current: '10(100) A',
      typeCurrent: '5(60) A',
      phase: '1p2w',
      inventoryState: 'in_warehouse',
      keys: { ek: true, ak: true, password: false, masterKey: false },
    });
    expect(added.text.toUpperCase()).not.toContain(KEY);
    const listed = await ask('GET', '/asset/meter/inventory?search=HAND00&bound=false&isMaster=true');
    expect(listed.body.items).toMatchObject([{ sn: 'HAND000001', bindState: null, dispatchState: null }]);
    expect((await ask('POST', '/asset/meter', meterFields({ sn: 'M1' }))).body.issues[0].message).toBe('6 to 20 letters and digits');
  });

  test('S-288 S-289 S-290: goes from the warehouse to installed to active and back, by its rules', async () => {
    const { id: meterId, sn } = await addMeter();
    const state = async () => (await ask('GET', `/asset/meter/${meterId}/asset`)).body.inventoryState;
    expect((await setState({ ids: [meterId], state: 'active' })).body).toMatchObject({ status: 409, code: 'METER_STATE' });
    expect((await setState({ ids: [meterId], state: 'installed' })).body.code).toBe('UNKNOWN_REFERENCE');
    expect((await setState({ ids: [meterId], state: 'installed', transformerId: id('TN') })).body).toEqual({ changed: 1 });
    expect(await state()).toBe('installed');
    // It was never read, so a request cannot make it active.
    const notRead = await ask('PUT', '/asset/meter/state', { ids: [meterId], state: 'active' }, admin, 'zh');
    expect(notRead.body.detail).toBe(`电表 ${sn} 当前不能从“已安装”变为“已激活（运行）”。`);
    await app.ctx.db
      .updateTable('meter')
      .set({ lastReadAt: new Date(Date.now() + 1000) })
      .where('id', '=', meterId)
      .execute();
    expect((await setState({ ids: [meterId], state: 'active' })).body).toEqual({ changed: 1 });
    expect((await setState({ ids: [meterId], state: 'in_warehouse', finalKwh: 1234.5, reason: 'House torn down' })).body).toEqual({
      changed: 1,
    });
    const back = (await ask('GET', `/asset/meter/${meterId}/asset`)).body;
    expect(back).toMatchObject({
      inventoryState: 'in_warehouse',
      transformerId: null,
      replacements: [{ oldSn: sn, newSn: null, finalKwh: 1234.5 }],
    });
    expect(await lastAudit()).toMatchObject({
      action: 'meter_state_changed',
      detail: { state: 'in_warehouse', from: [{ sn, inventoryState: 'active' }] },
    });
  });

  test('S-444: that is bound to a DCU does not go back to the warehouse', async () => {
    const refused = await setState({ ids: [id('MN0002')], state: 'in_warehouse' });
    expect(refused.body).toMatchObject({ status: 409, code: 'ALREADY_BOUND', detail: 'Exist Data Has Been Bound!' });
  });

  test('is deleted from the warehouse only, and never when it was read', async () => {
    expect((await ask('DELETE', `/asset/meter/${id('MN0002')}`)).body.code).toBe('NOT_IN_WAREHOUSE');
    const read = await addMeter();
    await app.ctx.db
      .insertInto('readingDaily')
      .values({ meterId: read.id, freezeDate: new Date().toISOString().slice(0, 10), readAt: new Date(), source: 'meter', quality: 'read' })
      .execute();
    expect((await ask('DELETE', `/asset/meter/${read.id}`)).body.code).toBe('HAS_READINGS');
    const spare = await addMeter();
    expect((await ask('DELETE', `/asset/meter/${spare.id}`)).status).toBe(204);
    expect((await ask('GET', `/asset/meter/${spare.id}/asset`)).status).toBe(404);
  });

  test('is replaced at its place: the new one keeps customer, transformer, DCU and role, the old one goes to the warehouse', async () => {
    const fresh = await addMeter({ meterTypeId: id('THREE') });
    const order = {
      newMeterId: fresh.id,
      finalKwh: 987.6,
      initialKwh: 0.5,
      final: { plusT1: 600.1, plusT2: 387.5, minus: 12.3 },
      at: new Date(Date.now() - 60_000).toISOString(),
      note: 'Display dark',
    };
    await sql`insert into meter_limit (meter_id, upper_kwh, changed_at) values (${id('MS0001')}, 70, now())`.execute(app.ctx.db);
    const replaced = await ask('POST', `/asset/meter/${id('MS0001')}/replace`, order);
    expect(replaced.body).toMatchObject({
      sn: fresh.sn,
      inventoryState: 'installed',
      transformerName: 'Transformer S',
      dcuSn: 'DCUS0001',
      isMaster: true,
      recordedPhase: 'abc',
      replacements: [
        { oldSn: 'MS0001', newSn: fresh.sn, finalKwh: 987.6, initialKwh: 0.5, final: { ...order.final, plusT3: null, minusT1: null } },
      ],
    });
    const records = await app.ctx.db
      .selectFrom('archiveRecord')
      .where('sn', 'in', ['MS0001', fresh.sn])
      .select(['sn', 'bindState', 'distributionState'])
      .orderBy('sn')
      .execute();
    expect(records).toMatchObject([
      { sn: fresh.sn, bindState: 'bound', distributionState: 'pending_distribution' },
      { sn: 'MS0001', bindState: 'not_bound' },
    ]);
    const master = await app.ctx.db.selectFrom('transformer').where('code', '=', 'TS').select('masterMeterId').executeTakeFirstOrThrow();
    expect(master.masterMeterId).toBe(fresh.id);
    const limits = await sql<{ meterId: string; upper: number }>`select meter_id, upper_kwh::float8 as upper from meter_limit`.execute(
      app.ctx.db,
    );
    expect(limits.rows).toEqual([{ meterId: fresh.id, upper: 70 }]);
    expect((await ask('GET', `/asset/meter/${id('MS0001')}/asset`)).body).toMatchObject({
      inventoryState: 'in_warehouse',
      dcuSn: null,
      isMaster: false,
    });
    expect((await ask('POST', `/asset/meter/${id('MS0002')}/replace`, order)).body.code).toBe('METER_STATE');
  });

  test('is installed behind a DCU with its first value, once, and only behind a DCU of the own area', async () => {
    const fresh = await addMeter();
    const order = {
      dcuId: id('DCUN0001'),
      initialKwh: 2.5,
      customerNo: 'C777',
      at: new Date(Date.now() - 60_000).toISOString(),
      note: 'New house',
    };
    const install = (user: TestUser, payload: object) =>
      app.call(user, { method: 'POST', url: `/api/asset/meter/${fresh.id}/install`, payload });
    const limited = await app.addUser({ transformers: [id('TS')] });
    expect((await install(limited, order)).json().code).toBe('DCU_NOT_FOUND');
    expect((await install(admin, { ...order, at: new Date(Date.now() + 60_000).toISOString() })).json().code).toBe('VALIDATION');
    const done = await install(admin, order);
    expect(done.json()).toMatchObject({
      dcuSn: 'DCUN0001',
      transformerName: 'Transformer N',
      inventoryState: 'installed',
      customerNo: 'C777',
      replacements: [],
      installation: { initialKwh: 2.5, note: 'New house', hasPhoto: false },
    });
    expect((await install(admin, order)).json().code).toBe('METER_STATE');
    expect((await install(limited, order)).json().code).toBe('METER_NOT_FOUND');
    const [entry] = (await ask('GET', '/manager/audit?size=1')).body.items;
    expect(entry).toMatchObject({ action: 'meter_installed', detail: { sn: fresh.sn, dcuSn: 'DCUN0001', initialKwh: 2.5 } });
    const opening = await sql<{
      registers: string[];
    }>`select initial_registers as registers from meter_exchange where new_meter_id = ${fresh.id}`.execute(app.ctx.db);
    expect(Number(opening.rows[0]?.registers[0])).toBe(2.5);
  });

  test('is offered the nearest DCUs of the own area first', async () => {
    await sql`update dcu set longitude = 121.6, latitude = 31.3 where sn = 'DCUS0001'`.execute(app.ctx.db);
    const near = async (user: TestUser, query: string) =>
      (await app.call(user, { url: `/api/asset/dcu/near${query}` }))
        .json()
        .items.map(({ sn, distanceM }: { sn: string; distanceM: number }) => [sn, distanceM]);
    const found = await near(admin, '?longitude=121.6&latitude=31.3');
    expect(found[0]).toEqual(['DCUS0001', 0]);
    const distances = found.flatMap(([, distance]: [string, number | null]) => distance ?? []);
    expect(distances).toEqual(distances.toSorted((a: number, b: number) => a - b));
    expect((await near(admin, '?search=dcus0001')).map(([sn]: string[]) => sn)).toEqual(['DCUS0001']);
    const limited = await app.addUser({ transformers: [id('TN')] });
    const own = (await app.call(limited, { url: '/api/asset/dcu?size=100' })).json().items.map(({ sn }: { sn: string }) => sn);
    expect((await near(limited, '')).map(([sn]: string[]) => sn).toSorted()).toEqual(own.toSorted());
    expect((await app.call(admin, { url: '/api/asset/dcu/near?longitude=121' })).statusCode).toBe(400);
  });

  test('tells what it showed at the last freeze since or until a moment, and nothing that was estimated', async () => {
    const shown = async (query: string) => (await ask('GET', `/asset/meter/${id('MN0001')}/frozen-registers${query}`)).body.reading;
    const day = (k: number) => new Date(Date.now() - k * 86_400_000).toISOString().slice(0, 10);
    const freeze = { meterId: id('MN0001'), readAt: new Date(), source: 'meter' } as const;
    await app.ctx.db
      .insertInto('readingDaily')
      .values([
        { ...freeze, freezeDate: day(3), quality: 'read', ePlus: 10, ePlusT1: 6.5, eMinus: 2 },
        { ...freeze, freezeDate: day(2), quality: 'refilled', ePlus: 11 },
        { ...freeze, freezeDate: day(1), quality: 'estimated', ePlus: 12 },
      ])
      .execute();
    const zone = app.ctx.settings.timeZone;
    const { rows } = await sql<{ at: Date }>`select (${day(2)}::date)::timestamp at time zone ${zone} as at`.execute(app.ctx.db);
    const midnight = rows[0]?.at ?? new Date(0);
    const later = (ms: number) => new Date(midnight.getTime() + ms).toISOString();
    expect(await shown('')).toMatchObject({ at: midnight.toISOString(), plus: 11, others: { plusT1: null, minus: null } });
    expect(await shown(`?notBefore=${later(0)}`)).toMatchObject({ plus: 11 });
    expect(await shown(`?notBefore=${later(1000)}`)).toBeNull();
    expect(await shown(`?notAfter=${later(0)}`)).toMatchObject({ plus: 11 });
    expect(await shown(`?notAfter=${later(-1000)}`)).toMatchObject({ plus: 10, others: { plusT1: 6.5, plusT2: null, minus: 2 } });
    await app.ctx.db.deleteFrom('readingDaily').where('meterId', '=', id('MN0001')).execute();
  });

  test('many at once become masters or get another type', async () => {
    const [one, two] = [await addMeter(), await addMeter({ accuracy: '0.5S' })];
    expect((await ask('PUT', '/asset/meter/master', { ids: [one.id, two.id], isMaster: true })).body).toEqual({ changed: 2 });
    expect((await ask('PUT', '/asset/meter/type', { ids: [one.id, two.id], meterTypeId: id('THREE') })).body).toEqual({ changed: 2 });
    const typed = (await ask('GET', `/asset/meter/${two.id}/asset`)).body;
    expect(typed).toMatchObject({ isMaster: true, meterTypeName: 'Three phase', accuracy: '1', phase: '3p4w' });
  });

  test('gets no key that another device has, at its making, by hand or from a file', async () => {
    const [ek, ak, other] = [freshKey(), freshKey(), freshKey()];
    const { id: first, sn } = await addMeter({ keys: { ek, ak } });
    const { id: second, sn: secondSn } = await addMeter({ keys: { ek: freshKey(), ak: freshKey() } });
    const byHand = await ask('PUT', `/asset/meter/${second}/keys`, { ek: other, ak: ak.toLowerCase() });
    expect(byHand.body).toMatchObject({ status: 400, code: 'KEY_SHARED', issues: [{ field: 'ak' }] });
    expect((await ask('POST', '/asset/meter', meterFields({ sn: 'SHARED0001', keys: { ek, ak: other } }))).body.code).toBe('KEY_SHARED');
    const file = await app.call(admin, {
      method: 'POST',
      url: '/api/import/meter-key?name=keys.csv',
      headers: { 'content-type': 'application/octet-stream', 'accept-language': 'en' },
      payload: Buffer.from(`SN,Encryption key,Authentication key\n${secondSn},${other},${ek}\n${sn},${ek},${ak}\n`),
    });
    expect(file.json()).toMatchObject({ errors: 2 });
    expect(file.body).toContain('Another device has this key');
    // Its own keys are no other device's.
    expect((await ask('PUT', `/asset/meter/${first}/keys`, { ek, ak })).status).toBe(200);
  });

  test('with other keys restarts its counter', async () => {
    const { id: meterId } = await addMeter({ keys: { ek: freshKey(), ak: freshKey() } });
    await app.ctx.db.updateTable('meter').set({ peerInvocationCounter: '500' }).where('id', '=', meterId).execute();
    await ask('PUT', `/asset/meter/${meterId}/keys`, { ek: freshKey(), ak: freshKey() });
    const row = await app.ctx.db.selectFrom('meter').where('id', '=', meterId).select('peerInvocationCounter').executeTakeFirstOrThrow();
    expect(row.peerInvocationCounter).toBe('-1');
    expect(await lastAudit()).toMatchObject({ action: 'meter_keys_changed', detail: { keys: ['ek', 'ak'] } });
  });
});

describe('a list', () => {
  async function importList(entity: string, csv: string) {
    const answer = await app.call(admin, {
      method: 'POST',
      url: `/api/import/${entity}?name=list.csv`,
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.from(csv),
    });
    const preview = answer.json();
    const done = preview.new + preview.update > 0 ? await ask('POST', `/import/${entity}/${preview.id}/commit`) : undefined;
    return { preview, done };
  }

  test('of DCUs, of meters and of bindings registers, fills the warehouse and binds, and says of each wrong line why', async () => {
    const dcus = await importList(
      'dcu',
      'sn,typeCode,transformerCode,connectionType,communicateType,dataChannel\nLIST0001,DCU1,TN,dial_in,4G,PLC\nLIST0002,NONE,TN,dial_in,g4,plc\nLIST0003,DCU1,TN,dial_out,g4,plc\n',
    );
    expect(dcus.preview).toMatchObject({ total: 3, new: 1, errors: 2 });
    expect(dcus.done?.body).toMatchObject({ isDone: true });
    const meters = await importList(
      'meter',
      'sn,typeCode,communicationMode,phase,customerNo\nLISTM00001,ONE,plc,B,C1\nLISTM00002,ONE,plc,,\n',
    );
    expect(meters.preview).toMatchObject({ total: 2, new: 2, errors: 0 });
    const again = await importList('meter', 'sn,typeCode,communicationMode\nLISTM00001,THREE,plc\n');
    expect(again.preview).toMatchObject({ update: 1 });
    const more = await importList(
      'meter',
      'sn,typeCode,communicationMode,isGenerator,longitude,latitude,note\nLISTM00002,ONE,plc,Yes,121.501,31.25,Behind the mill\nLISTM00003,ONE,plc,,121.5,,\n',
    );
    expect(more.preview).toMatchObject({ update: 1, errors: 1 });
    expect(more.preview.rows[0].issues).toEqual([{ column: 'latitude', message: 'Longitude and latitude belong together' }]);
    const [listed] = (await ask('GET', '/asset/meter/inventory?search=LISTM00002')).body.items;
    expect((await ask('GET', `/asset/meter/${listed.id}/asset`)).body).toMatchObject({
      isGenerator: true,
      longitude: 121.501,
      latitude: 31.25,
      note: 'Behind the mill',
    });
    const sims = await importList(
      'dcu',
      'sn,typeCode,transformerCode,connectionType,communicateType,dataChannel,serverSap,longitude,latitude,simIccid,apn,msisdn,note\nLIST0001,DCU1,TN,dial_in,4G,PLC,17,121.6,31.3,8986011234567890123,meters,13800000000,On the pole\n',
    );
    expect(sims.preview).toMatchObject({ update: 1 });
    const dcuRow = (await ask('GET', '/asset/dcu?search=LIST0001')).body.items[0];
    expect((await ask('GET', `/asset/dcu/${dcuRow.id}`)).body).toMatchObject({
      clientSap: 1,
      serverSap: 17,
      ownLongitude: 121.6,
      ownLatitude: 31.3,
      simIccid: '8986011234567890123',
      apn: 'meters',
      msisdn: '13800000000',
      note: 'On the pole',
    });
    const bindings = await importList('binding', 'dcuSn,meterSn,phase\nLIST0001,LISTM00001,C\nLIST0001,MN0002,\nNOBODY,LISTM00002,\n');
    expect(bindings.preview).toMatchObject({ total: 3, new: 1, errors: 2 });
    const found = await ask('GET', '/asset/meter/inventory?search=LISTM00001');
    expect(found.body.items).toMatchObject([
      {
        dcuSn: 'LIST0001',
        recordedPhase: 'c',
        customerNo: 'C1',
        meterTypeName: 'Three phase',
        bindState: 'bound',
        inventoryState: 'installed',
      },
    ]);
  });
});
