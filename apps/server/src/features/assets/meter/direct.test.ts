import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { importCommissioning } from '#db/seed/import-commissioning.ts';
import type { User } from '#db/context.ts';
import { findVisibleEndpoints } from '../../../http/queries.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import { assetSheet } from './export-assets.ts';
import { testApp, type TestApp, type TestUser } from '../../../../test/test-app.ts';
import { smallTown } from '../../../../test/town.ts';

let app: TestApp;
let admin: TestUser;
let meterTypeId: string;
let transformerId: string;
let count = 0;
let sn: string;

beforeAll(async () => {
  app = await testApp();
  const town = smallTown();
  const [first] = town.meters;
  if (first === undefined) throw new Error('The town has no meter');
  const { dcuSn: _none, ...direct } = first;
  town.meters.push({
    ...direct,
    sn: 'DIRECT000001',
    communicationMode: 'direct',
    connectionType: 'dial_out',
    host: '10.0.0.7',
    port: 4060,
    isMaster: false,
  });
  await importCommissioning(app.ctx, town);
  admin = await app.addUser({ roles: ['ADMIN'] });
  meterTypeId = (await app.ctx.db.selectFrom('meterType').where('code', '=', first.typeCode).select('id').executeTakeFirstOrThrow()).id;
  transformerId = (await app.ctx.db.selectFrom('transformer').where('code', '=', 'TN').select('id').executeTakeFirstOrThrow()).id;
});
beforeEach(() => (sn = `8811${String(++count).padStart(6, '0')}`));
afterAll(() => app.close());

async function ask(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, payload?: object) {
  const answer = await app.call(admin, { method, url: `/api${path}`, ...(payload === undefined ? {} : { payload }) });
  return { status: answer.statusCode, body: answer.body === '' ? undefined : answer.json() };
}

const fields = (more: object = {}) => ({ meterTypeId, communicationMode: 'direct', ...more });
const add = (more: object = {}) => ask('POST', '/asset/meter', fields({ sn, ...more }));
const endpointOf = (one = sn) =>
  app.ctx.db
    .selectFrom('endpoint')
    .where('sn', '=', one)
    .select(['id', 'kind', 'connectionType', 'host', 'port', 'transformerId'])
    .executeTakeFirst();
const dcuSns = async () => (await ask('GET', '/asset/dcu?size=200')).body.items.map((row: { sn: string }) => row.sn);

describe('a direct meter', () => {
  test('has a connection of its own from the start, which is no DCU', async () => {
    const { status, body } = await add();
    expect(status).toBe(201);
    expect(body).toMatchObject({
      dcuId: null,
      dcuSn: null,
      connection: { connectionType: 'dial_in', host: null, port: null, onlineStatus: 'never' },
    });
    expect(await endpointOf()).toMatchObject({ kind: 'meter', connectionType: 'dial_in' });
    expect(await dcuSns()).not.toContain(sn);
  });

  test('that is dialled needs a host', async () => {
    const refused = await add({ connectionType: 'dial_out' });
    expect(refused).toMatchObject({ status: 400, body: { issues: [{ field: 'host' }] } });
    expect((await add({ connectionType: 'dial_out', host: '10.0.0.9', port: 4061 })).body.connection).toMatchObject({
      host: '10.0.0.9',
      port: 4061,
    });
  });

  test('has the framing and the physical address of its form, and of a file, which keeps what it does not name', async () => {
    const made = await add({ connectionType: 'dial_out', host: '10.0.0.9', protocol: 'dlms_hdlc', physicalAddress: 17 });
    expect(made.body.connection).toMatchObject({ protocol: 'dlms_hdlc', physicalAddress: 17 });
    const other = `${sn}B`;
    const { code } = (await ask('GET', `/asset/meter-type/${meterTypeId}`)).body;
    const file = [
      'SN,Type code,Communication mode,Protocol,HDLC physical address',
      `${sn},${code},Direct,,18`,
      `${other},${code},direct,dlms_hdlc,`,
      `${sn}C,${code},plc,dlms_hdlc,`,
    ].join('\n');
    const preview = await app.call(admin, {
      method: 'POST',
      url: '/api/import/meter?name=meters.csv',
      headers: { 'content-type': 'application/octet-stream' },
      payload: file,
    });
    expect(preview.json()).toMatchObject({ new: 1, update: 1, errors: 1 });
    expect(preview.json().rows.find(({ verdict }: { verdict: string }) => verdict === 'error').issues).toEqual([
      { column: 'protocol', message: 'Only a direct meter has a connection of its own' },
    ]);
    await ask('POST', `/import/meter/${preview.json().id}/commit`, {});
    const framingOf = (one: string) =>
      app.ctx.db.selectFrom('endpoint').where('sn', '=', one).select(['protocol', 'physicalAddress', 'host']).executeTakeFirst();
    expect(await framingOf(sn)).toEqual({ protocol: 'dlms_hdlc', physicalAddress: 18, host: '10.0.0.9' });
    expect(await framingOf(other)).toEqual({ protocol: 'dlms_hdlc', physicalAddress: null, host: null });
    const rows = (await ask('GET', `/asset/meter/inventory?search=${sn}`)).body.items;
    expect(rows.map((row: { connection: { protocol: string } }) => row.connection.protocol)).toEqual(['dlms_hdlc', 'dlms_hdlc']);
    await ask('POST', '/asset/meter', fields({ sn: `${sn}D`, communicationMode: 'plc' }));
    expect((await ask('GET', `/asset/meter/inventory?search=${sn}D`)).body.items[0].connection).toBeNull();
  });

  test('can be ordered to be read, whoever it is that connects', async () => {
    const { body } = await add();
    const ordered = await ask('POST', '/action/read/on-demand', { meterIds: [body.id], type: 'registers', items: ['E_PLUS'] });
    expect(ordered.body.code).not.toBe('NOT_BOUND');
    const items = (await ask('GET', `/task/${ordered.body.taskId}/items`)).body.items;
    expect(items).toMatchObject([{ meterSn: sn, dcuSn: null }]);
    const groups = (await ask('GET', `/task/${ordered.body.taskId}/by-dcu`)).body.items;
    expect(groups).toMatchObject([{ dcuId: null, dcuSn: null, cells: [{ meterSn: sn }] }]);
  });

  test('has events of its own: they name neither a DCU nor the head-end', async () => {
    await add();
    await app.ctx.pool.query(
      `insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash)
       select 'meter', m.id, m.dcu_id, 'standard', 1, now(), 'occur', '', 'pull', 'direct' from meter m where m.sn = $1`,
      [sn],
    );
    const { items } = (await ask('GET', `/event?search=${sn}&level=all`)).body;
    expect(items).toMatchObject([{ meterSn: sn, dcuSn: null }]);
  });

  test('has no route: the topology counts it beside the DCUs of its transformer', async () => {
    const { body } = await add();
    const count = async (query: string) => (await ask('GET', `/network/topology?size=1&${query}`)).body.direct;
    const before = await count(`node=transformer:${transformerId}`);
    await ask('PUT', '/asset/meter/state', { ids: [body.id], state: 'installed', transformerId });
    expect(await count(`node=transformer:${transformerId}`)).toBe(before + 1);
    expect(await count(`search=${sn}`)).toBe(1);
    expect(await count(`node=meter:${body.id}`)).toBe(1);
  });

  test('is followed live by a user who sees its transformer only', async () => {
    const { body } = await add();
    await ask('PUT', '/asset/meter/state', { ids: [body.id], state: 'installed', transformerId });
    const { id } = (await endpointOf()) ?? {};
    const seenBy = (transformerIds: string[]) =>
      // as: an area is all that the statement needs of a user
      findVisibleEndpoints(app.ctx.db, { scope: { kind: 'nodes', levelIds: [], transformerIds } } as unknown as User);
    expect(await seenBy([transformerId])).toContain(id);
    expect(await seenBy([])).not.toContain(id);
  });

  test('becomes a meter behind a DCU, and direct again, by a change', async () => {
    const { body: made } = await add();
    const { body: behind } = await ask('PUT', `/asset/meter/${made.id}`, fields({ communicationMode: 'plc', version: made.version }));
    expect(behind.connection).toBeNull();
    expect(await endpointOf()).toBeUndefined();
    const { body: again } = await ask(
      'PUT',
      `/asset/meter/${made.id}`,
      fields({ host: '10.0.0.8', connectionType: 'dial_out', version: behind.version }),
    );
    expect(again.connection).toMatchObject({ connectionType: 'dial_out', host: '10.0.0.8' });
  });

  test('does not become direct while it is bound to a DCU', async () => {
    const bound = (await ask('GET', '/asset/meter/inventory?bound=true&size=1')).body.items[0];
    const { version } = (await ask('GET', `/asset/meter/${bound.id}/asset`)).body;
    expect(await ask('PUT', `/asset/meter/${bound.id}`, fields({ version }))).toMatchObject({
      status: 409,
      body: { code: 'ALREADY_BOUND' },
    });
  });

  test('is in no archive of a DCU, and not among the meters that can be bound', async () => {
    const { body } = await add();
    const rows = await app.ctx.db.selectFrom('archiveRecord').where('sn', '=', sn).select('id').execute();
    expect(rows).toEqual([]);
    const unbound = (await ask('GET', '/asset/meter/inventory?bound=false&size=200')).body.items;
    expect(unbound.map((row: { id: string }) => row.id)).not.toContain(body.id);
  });

  test('is installed at a transformer with its connection, and keeps it in the warehouse', async () => {
    const { body } = await add();
    await ask('PUT', '/asset/meter/state', { ids: [body.id], state: 'installed', transformerId });
    expect((await endpointOf())?.transformerId).toBe(transformerId);
    await ask('PUT', '/asset/meter/state', { ids: [body.id], state: 'in_warehouse', finalKwh: 1, reason: 'Moved' });
    expect(await endpointOf()).toMatchObject({ kind: 'meter', transformerId: null });
  });

  test('takes the place of a meter behind a DCU, which leaves it', async () => {
    const old = (await ask('GET', '/asset/meter/inventory?bound=true&size=1')).body.items[0];
    const { body: fresh } = await add();
    const at = new Date(Date.now() - 60_000).toISOString();
    const replaced = await ask('POST', `/asset/meter/${old.id}/replace`, { newMeterId: fresh.id, finalKwh: 5, initialKwh: 0, at });
    expect(replaced.body).toMatchObject({ sn, dcuId: null, inventoryState: 'installed', transformerId: old.transformerId });
    expect((await endpointOf())?.transformerId).toBe(old.transformerId);
    expect((await ask('GET', `/asset/meter/${old.id}`)).body).toMatchObject({ dcuId: null, inventoryState: 'in_warehouse' });
  });

  test('is deleted with its connection', async () => {
    const { body } = await add();
    expect((await ask('DELETE', `/asset/meter/${body.id}`)).status).toBe(204);
    expect(await endpointOf()).toBeUndefined();
  });

  test('cannot have the serial number of a DCU', async () => {
    const [taken] = await dcuSns();
    expect(await ask('POST', '/asset/meter', fields({ sn: taken }))).toMatchObject({ status: 409, body: { code: 'DUPLICATE' } });
  });

  test('comes in service with a commissioning file', async () => {
    expect(await endpointOf('DIRECT000001')).toMatchObject({ kind: 'meter', connectionType: 'dial_out', host: '10.0.0.7', port: 4060 });
    const [row] = (await ask('GET', '/asset/meter?search=DIRECT000001')).body.items;
    expect(row).toMatchObject({ inventoryState: 'active', communicationMode: 'direct', dcuId: null });
  });

  test('says its heartbeat, APDU size and addresses by its type', async () => {
    const type = (await ask('GET', `/asset/meter-type/${meterTypeId}`)).body;
    expect(type).toMatchObject({ heartbeatSeconds: 3600, apduSize: 1024, allowedAddresses: [] });
    const changed = await ask('PUT', `/asset/meter-type/${meterTypeId}`, {
      ...type,
      heartbeatSeconds: 600,
      allowedAddresses: ['10.1.0.0/16'],
    });
    expect(changed.body).toMatchObject({ heartbeatSeconds: 600, allowedAddresses: ['10.1.0.0/16'] });
  });
});

const UTC = new Zone('UTC');

describe('a list of meters', () => {
  const HEAD = 'sn,typeCode,communicationMode,connectionType,host,port';
  const typeCode = async () => (await ask('GET', `/asset/meter-type/${meterTypeId}`)).body.code;
  const upload = async (...lines: string[]) => {
    const answer = await app.call(admin, {
      method: 'POST',
      url: '/api/import/meter?name=list.csv',
      headers: { 'content-type': 'application/octet-stream', 'accept-language': 'en' },
      payload: [HEAD, ...lines].join('\r\n'),
    });
    return answer.json();
  };
  const commit = async ({ id }: { id: string }) => (await ask('POST', `/import/meter/${id}/commit`)).body;

  test('gives direct meters their connections, and changes those of known ones', async () => {
    const code = await typeCode();
    const lines = (port: string) => [`${sn},${code},direct,dial_out,10.2.0.1,${port}`, `${sn}9,${code},Direct,,,`];
    const fresh = await upload(...lines('4062'));
    expect(fresh).toMatchObject({ new: 2, errors: 0 });
    await commit(fresh);
    expect(await endpointOf()).toMatchObject({ kind: 'meter', connectionType: 'dial_out', host: '10.2.0.1', port: 4062 });
    expect(await endpointOf(`${sn}9`)).toMatchObject({ kind: 'meter', connectionType: 'dial_in', host: null });
    const again = await upload(`${sn},${code},direct,,,4063`, `${sn}9,${code},direct,,,`);
    expect(again).toMatchObject({ update: 2, errors: 0 });
    await commit(again);
    expect(await endpointOf()).toMatchObject({ connectionType: 'dial_out', host: '10.2.0.1', port: 4063 });
  });

  test('says in words what is wrong with a connection', async () => {
    const code = await typeCode();
    const { rows, errors } = await upload(
      `${sn},${code},direct,dial_out,,`,
      `${sn}8,${code},plc,dial_in,,4059`,
      `${sn}7,${code},direct,phone,,`,
    );
    expect(errors).toBe(3);
    const issues = rows.flatMap((row: { issues: { column: string; message: string }[] }) => row.issues);
    expect(issues.map(({ column }: { column: string }) => column)).toEqual(['host', 'connectionType', 'port', 'connectionType']);
    expect(issues.slice(0, 2).map(({ message }: { message: string }) => message)).toEqual([
      'A device that is dialled needs an address',
      'Only a direct meter has a connection of its own',
    ]);
  });

  test('is exported with the connections', async () => {
    await add({ connectionType: 'dial_out', host: '10.2.0.9', port: 4064 });
    const { items } = (await ask('GET', `/asset/meter/inventory?search=${sn}`)).body;
    const [row] = items;
    expect(row).toMatchObject({ sn, connection: { connectionType: 'dial_out', host: '10.2.0.9', port: 4064 } });
    const cells = (['connectionType', 'host', 'port'] as const).map((key) =>
      [assetSheet.columns[key] ?? []].flat()[0]?.cell(row, 'en-US', UTC),
    );
    expect(cells).toEqual(['HES dials out', '10.2.0.9', 4064]);
  });
});
