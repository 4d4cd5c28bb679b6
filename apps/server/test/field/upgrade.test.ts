import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { makeImage } from '@hes/simulator/devices/firmware-image.ts';
import { startSimulation, type Simulation } from '@hes/simulator/simulation.ts';
import type { FaultKind } from '@hes/simulator/control/faults.ts';
import { UPGRADE_NEXT, type UpgradeProtocol, type UpgradeState } from '@hes/contract/states/upgrade.ts';
import { MAX_FIRMWARE_OCTETS } from '@hes/contract/upgrade/firmware.ts';
import type { UpgradeLogLine, UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { commissioningFile } from '../../src/db/seed/commissioning.ts';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import { fieldFeatures } from '../../src/features/every-feature.ts';
import { startField, type Field } from '../../src/field/start-field.ts';
import { USUAL_PACE, type UpgradePace } from '../../src/features/upgrade/transfer/pace.ts';
import { startSupervisor } from '../../src/features/upgrade/job/supervisor.ts';
import type { PeriodicJob } from '../../src/platform/periodic-job.ts';
import { SwitchLedger } from '../../src/platform/switch-ledger.ts';
import { Dispatcher } from '../../src/tasks/dispatcher.ts';
import { testApp, type TestApp, type TestUser } from '../test-app.ts';

// Restarts of devices take longer on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Short intervals, because simulated devices are back at once. */
const PACE: UpgradePace = {
  ...USUAL_PACE,
  onHoldMs: 100,
  outsideWindowMs: 500,
  sleepingMs: 200,
  backOffMs: { first: 50, longest: 400 },
  pollMs: { soonest: 20, latest: 200 },
};

let app: TestApp;
let field: Field;
let dispatcher: Dispatcher;
let supervisor: PeriodicJob;
let simulation: Simulation;
let uploader: TestUser;
let approver: TestUser;
let pulse: NodeJS.Timeout;

beforeAll(async () => {
  app = await testApp();
  await app.ctx.pool.query('update collect_plan set enabled = false');
  field = await startField(app.ctx, {
    features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()), upgradePace: PACE }),
    dlmsPort: 0,
    host: '127.0.0.1',
    dialRules: { mayReachLocal: true, ownPorts: [], networks: [] },
    timeoutLimits: { longestMs: 800 },
  });
  simulation = await startSimulation({ channel: 'fast', headEnd: { host: '127.0.0.1', port: field.port } });
  await importCommissioning(app.ctx, commissioningFile.parse(simulation.commissioning));
  dispatcher = new Dispatcher(app.ctx, field);
  await dispatcher.start();
  supervisor = startSupervisor(app.ctx);
  // Called by the test, because both check only once a second.
  pulse = setInterval(() => {
    dispatcher.wake();
    void supervisor.runNow();
  }, 25);
  uploader = await app.addUser({ roles: ['FW_ENGINEER'] });
  approver = await app.addUser({ roles: ['ADMIN'] });
}, 60_000);
afterAll(async () => {
  clearInterval(pulse);
  await supervisor.stop();
  await dispatcher.stop();
  await simulation.stop();
  await field.stop();
  await app.close();
});

const get = async (url: string) => (await app.call(uploader, { method: 'GET', url: `/api${url}` })).json();
const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object, user = uploader) =>
  app.call(user, { method, url: `/api${url}`, ...(payload === undefined ? {} : { payload }) });
const upload = async (name: string, octets: Uint8Array) =>
  app.call(uploader, {
    method: 'POST',
    url: `/api/upgrade/firmware/file?name=${encodeURIComponent(name)}`,
    headers: { 'content-type': 'application/octet-stream' },
    payload: Buffer.from(octets),
  });

type Kind = 'dcu' | 'rt' | 'sta' | 'meter';
const MODELS: Record<Kind, string> = { dcu: 'HES-DC', rt: 'HES-RT', sta: 'HES-ST', meter: 'HES-MP' };
let serial = 0;

const typeIds = async (kind: Kind): Promise<string[]> =>
  (await app.ctx.pool.query<{ id: string }>(`select id from ${kind === 'meter' ? 'meter_type' : 'dcu_type'}`)).rows.map((row) => row.id);
const supplierId = async (): Promise<string> =>
  (await app.ctx.pool.query<{ id: string }>('select id from supplier order by id limit 1')).rows[0]?.id ?? '';

interface Wanted {
  kind?: Kind;
  model?: string;
  octets?: number;
  version?: string;
  fromVersions?: string[];
  upgradeProtocol?: UpgradeProtocol;
  blockSize?: number;
}

/** A firmware that one user uploads and another one approves. */
async function approved({
  kind = 'meter',
  model = MODELS[kind],
  octets = 12_000,
  version = `${model} 9.0.${++serial}`,
  fromVersions = [],
  upgradeProtocol = 'dlms_image',
  blockSize,
}: Wanted = {}) {
  const file = await upload(`image-${serial}.bin`, makeImage({ model, version }, octets));
  expect(file.statusCode, file.body).toBe(201);
  const made = await send('POST', '/upgrade/firmware', {
    fileId: file.json().fileId,
    name: `Image ${version}`,
    version,
    supplierId: await supplierId(),
    targetKind: kind,
    typeIds: await typeIds(kind),
    imageIdentifier: `${model}-${serial}`,
    upgradeReason: 'Better',
    fileProvider: 'The manufacturer',
    fromVersions,
    upgradeProtocol,
    ...(blockSize === undefined ? {} : { blockSize }),
  });
  expect(made.statusCode, made.body).toBe(201);
  const { id, revision } = made.json();
  const ok = await send('PUT', `/upgrade/firmware/${id}/approve`, { revision }, approver);
  expect(ok.statusCode, ok.body).toBe(200);
  return { id: String(id), version, sha256: String(file.json().sha256), octets: Number(file.json().size) };
}

/** One reachable power line meter per DCU. */
async function meters(count: number): Promise<{ id: string; sn: string; dcuId: string }[]> {
  const good = new Set(
    simulation.world.plan.meters
      .filter((one) => !one.isSilent && !one.hasWrongKey && one.mode === 'plc' && one.kind !== 'master')
      .map((one) => one.sn),
  );
  return vi.waitFor(
    async () => {
      const { rows } = await app.ctx.pool.query<{ id: string; sn: string; dcuId: string }>(
        `select m.id, m.sn, m.dcu_id as "dcuId" from meter m join dcu d on d.id = m.dcu_id where d.online_status = 'online'
           and not exists (select from upgrade_record r where r.device_id = m.id and r.device_kind = 'meter') order by m.sn`,
      );
      const some = rows.filter((row) => good.has(row.sn));
      if (new Set(some.map((row) => row.dcuId)).size < 2 || some.length < count) throw new Error('Not online yet');
      return some.slice(0, count);
    },
    { timeout: 20_000 },
  );
}

/** Without intervals between rings, which other tests check. */
const WITHOUT_WAITING = { continueBy: 'itself', watchMinutes: 0 };

async function start(firmwareId: string, ids: string[], more: object = {}): Promise<string> {
  const body = { name: `Upgrade ${serial}`, firmwareId, selection: { ids }, rings: [], ...WITHOUT_WAITING, reason: 'A test', ...more };
  const begun = await send('POST', '/upgrade/job', body);
  expect(begun.statusCode, begun.body).toBe(202);
  return begun.json().jobId;
}

const rows = async (jobId: string): Promise<UpgradeRecordRow[]> => (await get(`/upgrade/record?jobId=${jobId}&size=500&sort=sn,asc`)).items;
const until = <T>(what: () => Promise<T>, is: (value: T) => boolean, ms = 50_000): Promise<T> =>
  vi.waitFor(
    async () => {
      const value = await what();
      expect(value, `Not yet: ${JSON.stringify(value).slice(0, 600)}`).toSatisfy(is);
      return value;
    },
    { timeout: ms, interval: 20 },
  );
const job = (id: string) => get(`/upgrade/job/${id}`);
const ended = (id: string) =>
  until(
    () => job(id),
    (row) => row.state === 'finished',
  );
const path = async (recordId: string): Promise<UpgradeState[]> =>
  (await get(`/upgrade/record/${recordId}/log`)).items.map((line: UpgradeLogLine) => line.toStatus);
const fault = (target: string, kind: FaultKind, more: object = { count: 1 }) => simulation.faults.add({ target, kind, ...more });

describe('the library', () => {
  describe('stores of a firmware', () => {
    let made: Awaited<ReturnType<typeof approved>>;
    let madeAfter: number;
    beforeAll(async () => {
      madeAfter = Date.now();
      made = await approved({ blockSize: 128 });
    });
    const kept = () => get(`/upgrade/firmware/${made.id}`);

    it.each<[statement: string, field: string, wanted: () => unknown]>([
      ['S-195', 'name', () => `Image ${made.version}`],
      ['S-196', 'version', () => made.version],
      ['S-197', 'upgradeProtocol', () => 'dlms_image'],
      ['S-198', 'size', () => made.octets],
      ['S-202', 'upgradeReason', () => 'Better'],
      ['S-203', 'fileProvider', () => 'The manufacturer'],
      ['S-204', 'blockSize', () => 128],
    ])('%s: its %s', async (_statement, field, wanted) => {
      expect((await kept())[field]).toEqual(wanted());
    });

    it('S-199: its time of creation', async () => {
      const at = Date.parse((await kept()).createdAt);
      expect(at).toBeGreaterThanOrEqual(madeAfter - 1000);
      expect(at).toBeLessThanOrEqual(Date.now() + 1000);
    });

    it('S-200: its manufacturer', async () => {
      const { rows: suppliers } = await app.ctx.pool.query<{ name: string }>('select name from supplier where id = $1', [
        await supplierId(),
      ]);
      expect((await kept()).supplierName).toBe(suppliers[0]?.name);
    });

    it('S-201: its file, octet by octet, with its hash', async () => {
      const row = await kept();
      expect(row).toMatchObject({ upgradeFile: expect.stringMatching(/\.bin$/), sha256: made.sha256, state: 'approved' });
      const file = await app.call(uploader, { method: 'GET', url: `/api/upgrade/firmware/${made.id}/file` });
      expect(createHash('sha256').update(file.rawPayload).digest('hex')).toBe(made.sha256);
      expect(file.rawPayload.length).toBe(made.octets);
    });
  });

  it('refuses other files than firmware, by their octets and not by their name', async () => {
    expect((await upload('tool.exe', Buffer.from('MZ'))).json().code).toBe('FIRMWARE_TYPE');
    expect((await upload('page.bin', Buffer.from('<!DOCTYPE html><html>'))).json().code).toBe('FIRMWARE_TYPE');
    expect((await upload('fake.zip', Buffer.from('not a zip'))).json().code).toBe('FIRMWARE_TYPE');
    expect((await upload('empty.bin', Buffer.alloc(0))).statusCode).toBeGreaterThanOrEqual(400);
  });

  it('returns a refusal while the file is still being sent, and receives the next file over the same connection', async () => {
    const address = await app.fastify.listen({ port: 0, host: '127.0.0.1' });
    const put = (octets: Uint8Array) =>
      fetch(`${address}/api/upgrade/firmware/file?name=large.bin`, {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream', authorization: `Bearer ${uploader.token}` },
        body: Buffer.from(octets),
      });
    const page = await put(Buffer.concat([Buffer.from('<html>'), Buffer.alloc(3_000_000)]));
    expect([page.status, ((await page.json()) as { code: string }).code]).toEqual([422, 'FIRMWARE_TYPE']);
    const large = await put(Buffer.alloc(MAX_FIRMWARE_OCTETS + 1, 7));
    expect([large.status, ((await large.json()) as { code: string }).code]).toEqual([413, 'FILE_TOO_LARGE']);
    const image = makeImage({ model: 'HES-MP', version: 'x' }, 1_000_000);
    expect(await (await put(image)).json()).toMatchObject({ size: image.length, format: 'bin' });
  });

  it('cannot be approved by a user who uploaded or changed it, and cannot be used before its approval', async () => {
    const both = await app.addUser({ roles: ['ADMIN', 'FW_ENGINEER'] });
    const image = makeImage({ model: 'HES-MP', version: 'own' }, 100);
    const file = await app.call(both, {
      method: 'POST',
      url: '/api/upgrade/firmware/file?name=own.bin',
      headers: { 'content-type': 'application/octet-stream' },
      payload: Buffer.from(image),
    });
    const body = { name: 'Own', version: 'own', supplierId: await supplierId(), targetKind: 'meter', typeIds: await typeIds('meter') };
    const more = { imageIdentifier: 'x', upgradeReason: 'x', fileProvider: 'x', fileId: file.json().fileId };
    const made = (await send('POST', '/upgrade/firmware', { ...body, ...more }, both)).json();
    const own = await send('PUT', `/upgrade/firmware/${made.id}/approve`, { revision: made.revision }, both);
    expect(own.json().code).toBe('FIRMWARE_OWN');
    const early = await send('POST', '/upgrade/job', {
      name: 'x',
      firmwareId: made.id,
      selection: { everywhere: true, typeIds: await typeIds('meter') },
      reason: 'x',
    });
    expect(early.json().code).toBe('FIRMWARE_STATE');
    expect((await send('DELETE', `/upgrade/firmware/${made.id}`)).statusCode).toBe(204);
  });

  it('requires a signature for manufacturers with a signature key, and refuses a wrong one', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const supplier = (
      await app.ctx.pool.query<{ id: string }>("insert into supplier (code, name) values ('SIGNER', 'Signer') returning id")
    ).rows[0]?.id;
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    expect((await send('PUT', `/upgrade/firmware-key/${supplier}`, { publicKey: pem }, approver)).statusCode).toBe(204);
    const fingerprint = createHash('sha256')
      .update(publicKey.export({ type: 'spki', format: 'der' }))
      .digest('hex');
    expect((await get('/upgrade/firmware-key')).items).toMatchObject([{ supplierName: 'Signer', algorithm: 'Ed25519', fingerprint }]);
    const image = makeImage({ model: 'HES-MP', version: 'signed' }, 500);
    const fileId = (await upload('signed.bin', image)).json().fileId;
    const body = {
      fileId,
      name: 'S',
      version: 's',
      supplierId: supplier,
      targetKind: 'meter',
      typeIds: await typeIds('meter'),
      imageIdentifier: 'x',
    };
    const make = (signature: string | null) =>
      send('POST', '/upgrade/firmware', { ...body, upgradeReason: 'x', fileProvider: 'x', signature });
    expect((await make(null)).json().code).toBe('SIGNATURE_MISSING');
    expect((await make(sign(null, Buffer.from('another'), privateKey).toString('base64'))).json().code).toBe('SIGNATURE_WRONG');
    expect((await make(sign(null, image, privateKey).toString('base64'))).json()).toMatchObject({ signature: 'valid', state: 'draft' });
    // Removing a stored key requires approval by a second user.
    expect((await send('PUT', `/upgrade/firmware-key/${supplier}`, { publicKey: '' }, approver)).statusCode).toBe(202);
    const second = await app.addUser({ roles: ['ADMIN'] });
    const [held] = (await app.call(second, { method: 'GET', url: '/api/action/held-call' })).json().items;
    expect((await send('PUT', `/action/held-call/${held.id}`, { decision: 'approve' }, second)).statusCode).toBe(204);
    const audits = await app.ctx.pool.query("select detail from audit_log where action = 'firmware_key_saved' order by id");
    expect(audits.rows).toMatchObject([
      { detail: { before: null, after: { fingerprint } } },
      { detail: { before: { fingerprint }, after: null } },
    ]);
  });
});

describe('an upgrade', () => {
  /** Every transition of upgrades in this file. */
  afterAll(async () => {
    const { rows: steps } = await app.ctx.pool.query<{ from: UpgradeState; to: UpgradeState }>(
      'select distinct from_status as "from", to_status as "to" from upgrade_log',
    );
    for (const { from, to } of steps) expect(UPGRADE_NEXT[from]).toContain(to);
  });

  describe('of three meters', () => {
    let chosen: Awaited<ReturnType<typeof meters>>;
    let firmware: Awaited<ReturnType<typeof approved>>;
    let done: Record<string, unknown>;
    let record: UpgradeRecordRow;
    let states: UpgradeState[];
    let begunAfter: number;
    beforeAll(async () => {
      chosen = await meters(3);
      firmware = await approved();
      begunAfter = Date.now();
      const id = await start(
        firmware.id,
        chosen.map((meter) => meter.id),
        { rings: [{ unit: 'devices', size: 1 }] },
      );
      done = await ended(id);
      record = (await rows(id))[0] ?? expect.fail('no record');
      states = await path(record.id);
    });

    it('S-027: flashes each of them over the air, ring by ring, and confirms it by their new version', async () => {
      expect(done).toMatchObject({ ring: 2, targets: 3, done: 3, failed: 0, process: 100 });
      for (const { sn } of chosen)
        expect(simulation.firmware.find('meter', sn)).toMatchObject({
          version: firmware.version,
          flashedSha256: firmware.sha256,
          unverifiedOrders: 0,
        });
      const detail = await get(`/upgrade/record/${record.id}`);
      expect(detail.postChecks.map((check: { result: string }) => check.result)).toEqual(['pass', 'pass', 'pass', 'pass']);
      expect(detail.blockMap).toMatch(/^1+$/);
    });

    it.each<[statement: string, field: keyof UpgradeRecordRow, wanted: () => unknown]>([
      ['S-205', 'type', () => 'meter'],
      ['S-207', 'status', () => 'complete'],
      ['S-208', 'oldVersion', () => 'HES-MP 2.4.1'],
      ['S-209', 'newVersion', () => firmware.version],
      ['S-210', 'checkResult', () => 'pass'],
      ['S-211', 'process', () => 100],
    ])('%s: has its %s', (_statement, field, wanted) => {
      expect(record[field]).toEqual(wanted());
    });

    it('S-206: has its time', () => {
      const at = Date.parse(record.time);
      expect(at).toBeGreaterThanOrEqual(begunAfter - 1000);
      expect(at).toBeLessThanOrEqual(Date.now() + 1000);
    });

    it('S-302: begins idle', async () => {
      const { items } = await get(`/upgrade/record/${record.id}/log`);
      expect(items[0]).toMatchObject({ fromStatus: 'idle', toStatus: 'check_version' });
    });

    it.each<[statement: string, state: UpgradeState, next: UpgradeState]>([
      ['S-303', 'check_version', 'download_file'],
      ['S-304', 'download_file', 'enable_translate'],
      ['S-305', 'enable_translate', 'set_block_size'],
      ['S-306', 'set_block_size', 'translate_init'],
      ['S-307', 'translate_init', 'start_translate'],
      ['S-308', 'start_translate', 'translating'],
      ['S-309', 'translating', 'check_fail_block'],
      ['S-310', 'check_fail_block', 'check_image'],
      ['S-311', 'check_image', 'activate_image'],
      ['S-312', 'activate_image', 'wait_update'],
      ['S-316', 'wait_update', 'updating'],
      ['S-317', 'updating', 'update_success'],
      ['S-318', 'update_success', 'complete'],
    ])('%s: is in %s, and then in %s', (_statement, state, next) => {
      expect(states[states.indexOf(state) + 1]).toBe(next);
      expect(states.filter((one) => one === state)).toHaveLength(1);
    });

    it('S-320: ends complete', () => {
      expect(states.at(-1)).toBe('complete');
    });

    it('S-312: orders the activation in the step of that name, and only once', async () => {
      const { items }: { items: UpgradeLogLine[] } = await get(`/upgrade/record/${record.id}/log`);
      const momentOf = (state: UpgradeState) => Date.parse(items.find(({ toStatus }) => toStatus === state)?.at ?? '');
      const ordered = simulation.firmware.find('meter', record.sn)?.activatedAtMs ?? [];
      expect(ordered).toHaveLength(1);
      expect(ordered[0]).toBeGreaterThanOrEqual(momentOf('activate_image'));
      expect(ordered[0]).toBeLessThanOrEqual(momentOf('wait_update'));
    });
  });

  it('S-313: does nothing where the version is already running', async () => {
    const [meter] = await meters(1);
    const firmware = await approved();
    await ended(await start(firmware.id, [meter?.id ?? '']));
    const again = await start(firmware.id, [meter?.id ?? '']);
    await ended(again);
    expect((await rows(again))[0]).toMatchObject({ status: 'no_need_complete', checkResult: 'skipped' });
  });

  it('leaves frames that lead to its task', async () => {
    const [{ id: meterId, dcuId } = { id: '', dcuId: '' }] = await meters(1);
    const capture = (level: 'off' | 'all') => send('PUT', '/debug/dcu-log/capture', { dcuIds: [dcuId], level, hours: 1 }, approver);
    expect((await capture('all')).statusCode).toBe(200);
    const firmware = await approved();
    await ended(await start(firmware.id, [meterId]));
    const kinds = async () =>
      (
        await app.ctx.pool.query(
          'select distinct t.kind from dcu_frame_log f left join task t on t.id = f.task_id where f.dcu_id = $1 and f.meter_id = $2',
          [dcuId, meterId],
        )
      ).rows;
    expect(await until(kinds, (found) => found.length > 0)).toEqual([{ kind: 'upgrade' }]);
    await capture('off');
  });

  it('S-314 S-315: brings route modules, stations and the DCU itself to a new version', async () => {
    const [meter] = await meters(1);
    for (const kind of ['rt', 'sta', 'dcu'] as const) {
      const firmware = await approved({ kind });
      const id = await start(firmware.id, [meter?.dcuId ?? '']);
      await ended(id);
      const [record] = await rows(id);
      expect(record, JSON.stringify(record)).toMatchObject({ type: kind, status: 'complete', newVersion: firmware.version });
      if (kind !== 'dcu') expect(await path(record?.id ?? '')).toContain(`send_upgrade_${kind}`);
    }
  });

  it('sends blocks again that a device has confirmed and lost', async () => {
    const [meter] = await meters(1);
    const { id: meterId = '', sn = '' } = meter ?? {};
    fault(sn, 'lost_block', { skip: 5, count: 3 });
    const firmware = await approved();
    const id = await start(firmware.id, [meterId]);
    await ended(id);
    const [record] = await rows(id);
    expect(record).toMatchObject({ status: 'complete' });
    expect((await path(record?.id ?? '')).filter((state) => state === 'translating')).toHaveLength(2);
    expect(simulation.firmware.find('meter', sn)?.flashedSha256).toBe(firmware.sha256);
  });

  it('initiates the transfer again for a device that has lost the image after a power failure', async () => {
    const [{ id: meterId, sn } = { id: '', sn: '' }] = await meters(1);
    fault(sn, 'slow', { delayMs: 5 });
    const firmware = await approved({ octets: 20_000 });
    const id = await start(firmware.id, [meterId]);
    const device = () => simulation.firmware.find('meter', sn);
    await until(
      async () => device()?.octetsReceived ?? 0,
      (octets) => octets > 4_000,
    );
    device()?.store.forget();
    await ended(id);
    const [record] = await rows(id);
    expect(record).toMatchObject({ status: 'complete' });
    expect((await path(record?.id ?? '')).filter((state) => state === 'enable_translate')).toHaveLength(2);
    expect(device()).toMatchObject({ flashedSha256: firmware.sha256, unverifiedOrders: 0 });
  });

  it('broadcasts one image to all meters of a DCU, and sends to a single one only its missing blocks', async () => {
    const dcuId = (await meters(1))[0]?.dcuId;
    const chosen = (await meters(12)).filter((meter) => meter.dcuId === dcuId).slice(0, 4);
    expect(chosen.length).toBeGreaterThan(2);
    fault(chosen[1]?.sn ?? '', 'lost_block', { skip: 7, count: 2 });
    const firmware = await approved({ upgradeProtocol: 'dlms_image_via_dcu' });
    const id = await start(
      firmware.id,
      chosen.map((meter) => meter.id),
    );
    const done = await ended(id);
    expect(done).toMatchObject({
      done: chosen.length,
      failed: 0,
      broadcasts: { total: 1, done: 1, failed: 0, octetsSent: firmware.octets },
    });
    // Two blocks of 256 octets for one meter, none for the others.
    expect(done.octetsSent).toBe(firmware.octets + 2 * 256);
    for (const { sn } of chosen)
      expect(simulation.firmware.find('meter', sn)).toMatchObject({ flashedSha256: firmware.sha256, unverifiedOrders: 0 });
  });

  it('schedules the activation in the device, and cancels it when the upgrade is stopped', async () => {
    const [first, second] = await meters(2);
    const deviceOf = (meter: { sn: string } | undefined) => simulation.firmware.find('meter', meter?.sn ?? '');
    const firmware = await approved();
    const activateAt = new Date(Date.now() + 200_000).toISOString();
    const jobs = [
      await start(firmware.id, [first?.id ?? ''], { activateAt }),
      await start(firmware.id, [second?.id ?? ''], { activateAt }),
    ];
    for (const id of jobs)
      await until(
        () => rows(id),
        ([row]) => row?.status === 'wait_update' && row.scheduledAt === activateAt && row.checkResult === 'pass',
      );
    expect((await send('POST', `/upgrade/job/${jobs[1]}/stop`)).statusCode).toBe(200);
    await until(
      () => rows(jobs[1] ?? ''),
      ([row]) => row?.status === 'error' && row.reasonCode === 'CANCELLED',
    );
    expect(deviceOf(second)).toMatchObject({ version: 'HES-MP 2.4.1', schedule: { times: [] } });
    // The time of activation has passed, in the device and in the head-end.
    app.advance(200_000);
    deviceOf(first)?.schedule.run?.();
    await ended(jobs[0] ?? '');
    expect((await rows(jobs[0] ?? ''))[0]).toMatchObject({ status: 'complete' });
    expect(deviceOf(first)).toMatchObject({ flashedSha256: firmware.sha256, unverifiedOrders: 0 });
    // An operator can resume a stopped device although its upgrade has ended.
    const [stopped] = await rows(jobs[1] ?? '');
    expect((await send('POST', '/upgrade/record/retry', { ids: [stopped?.id] })).statusCode).toBe(202);
    await ended(jobs[1] ?? '');
    expect(deviceOf(second)).toMatchObject({ flashedSha256: firmware.sha256, unverifiedOrders: 0 });
  });

  it('S-439: refuses targets that the firmware does not fit, lists them, and leaves them out on request', async () => {
    const [meter] = await meters(1);
    const firmware = await approved({ fromVersions: ['HES-MP 1.0.0'] });
    await app.ctx.pool.query("update meter set firmware_version = 'HES-MP 2.4.1' where id = $1", [meter?.id]);
    const selection = { ids: [meter?.id], sns: ['NOSUCHMETER'] };
    const report = (await send('POST', '/upgrade/job/preflight', { firmwareId: firmware.id, selection })).json();
    expect(report).toMatchObject({ total: 2, ready: 0, refused: 2, byIssue: { not_found: 1, not_in_chain: 1 } });
    const begun = await send('POST', '/upgrade/job', { name: 'x', firmwareId: firmware.id, selection, reason: 'x' });
    expect(begun.json()).toMatchObject({ code: 'PREFLIGHT', detail: 'Please Select Valid Data!' });
  });

  it('refuses a downgrade unless the firmware names the present version, and warns of a weak signal and a low battery', async () => {
    const [{ id, sn, dcuId } = { id: '', sn: '', dcuId: '' }] = await meters(1);
    const { pool } = app.ctx;
    await pool.query("update meter set firmware_version = 'HES-MP 2.4.1' where id = $1", [id]);
    await pool.query(
      `insert into topology_node (dcu_id, mac, node_id, sn, level, role, phase, link, signal_value, last_seen_at, is_online)
      values ($1, 'FE', 1, $2, 1, 'sta', 'a', 'plc', 3, now(), true)`,
      [dcuId, sn],
    );
    await pool.query(
      `insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash)
      values ('meter', $1, $2, 'standard', 8, now() - interval '3 days', 'occur', '', 'pull', 'battery')`,
      [id, dcuId],
    );
    const look = async ({ id: firmwareId }: { id: string }) =>
      (await send('POST', '/upgrade/job/preflight', { firmwareId, selection: { ids: [id] } })).json();
    expect(await look(await approved({ version: 'HES-MP 1.9.9' }))).toMatchObject({ ready: 0, byIssue: { not_in_chain: 1 } });
    const back = await approved({ version: 'HES-MP 1.9.8', fromVersions: ['HES-MP 2.4.1'] });
    expect(await look(back)).toMatchObject({ total: 1, ready: 0, warned: 1, refused: 0, byIssue: { signal_weak: 1, battery_low: 1 } });
    // Unknown properties are read from the device before its first block.
    await pool.query('update meter set firmware_version = null where id = $1', [id]);
    const older = await approved({ version: 'HES-MP 1.9.7' });
    const jobId = await start(older.id, [id]);
    await until(
      () => rows(jobId),
      ([row]) => row?.status === 'error',
    );
    expect((await rows(jobId))[0]).toMatchObject({ reasonCode: 'NOT_IN_CHAIN', failedIn: 'check_version', octetsSent: 0 });
  });

  it('refuses an order without targets: types and versions only filter targets', async () => {
    const firmware = await approved();
    const typesOfMeters = await typeIds('meter');
    for (const selection of [{}, { typeIds: typesOfMeters }, { versions: ['HES-MP 2.4.1'] }, { ids: [], sns: [] }])
      for (const path of ['/upgrade/job', '/upgrade/job/preflight']) {
        const answer = await send('POST', path, { name: 'x', firmwareId: firmware.id, selection, reason: 'x' });
        expect(answer.json()).toMatchObject({ code: 'VALIDATION', issues: [{ field: 'selection' }] });
      }
  });

  it('returns for each target whether it is ready, ready with a warning, or left out', async () => {
    const firmware = await approved();
    const selection = { everywhere: true, typeIds: await typeIds('meter') };
    const report = (await send('POST', '/upgrade/job/preflight', { firmwareId: firmware.id, selection })).json();
    expect(report.total).toBeGreaterThan(10);
    expect(report.ready + report.warned + report.refused).toBe(report.total);
    expect(report.rings.reduce((sum: number, count: number) => sum + count, 0)).toBe(report.ready + report.warned);
    expect(report.rings[0]).toBeLessThanOrEqual(Math.ceil(report.total / 100));
  });

  it('without a definition of rings begins with a few devices, observes them for an hour, and waits for approval', async () => {
    const chosen = await meters(3);
    const firmware = await approved();
    const body = { name: 'Careful', firmwareId: firmware.id, selection: { sns: chosen.map(({ sn }) => sn) }, reason: 'A test' };
    const { jobId } = (await send('POST', '/upgrade/job', body)).json();
    expect(await job(jobId)).toMatchObject({ continueBy: 'hand', watchMinutes: 60, rings: [{ targets: 1 }, { targets: 2 }] });
    expect((await send('POST', `/upgrade/job/${jobId}/stop`)).statusCode).toBe(200);
  });

  it('S-319 S-321: reports how it failed, halts before further devices fail, and continues on request of an operator', async () => {
    const chosen = await meters(4);
    const [cut, wrong] = chosen;
    fault(cut?.sn ?? '', 'activation_power_cut');
    fault(wrong?.sn ?? '', 'bad_image');
    const firmware = await approved();
    const ids = chosen.map((meter) => meter.id);
    const id = await start(firmware.id, ids, { rings: [{ unit: 'devices', size: 2 }], haltRule: { failPercent: 5 } });
    const halted = await until(
      () => job(id),
      (row) => row.state === 'halted',
    );
    expect(halted).toMatchObject({ haltCause: 'failures', haltDetail: { limit: 5 } });
    expect((await rows(id)).filter((row) => row.status === 'idle').length).toBeGreaterThanOrEqual(2);
    // Each of the two failures halts the upgrade once.
    const all = await until(
      async () => {
        if ((await job(id)).state === 'halted') await send('POST', `/upgrade/job/${id}/resume`);
        return rows(id);
      },
      (some) => some.every((row) => ['complete', 'update_fail', 'error'].includes(row.status)),
      30_000,
    );
    const of = (sn: string | undefined) => all.find((row) => row.sn === sn);
    expect(of(cut?.sn)).toMatchObject({ status: 'update_fail', reasonCode: 'ACTIVATION_FAILED' });
    expect(of(wrong?.sn)).toMatchObject({
      status: 'error',
      failedIn: 'check_image',
      checkResult: 'fail',
      reasonCode: 'IMAGE_VERIFY_FAILED',
    });
    expect(await job(id)).toMatchObject({ targets: 4, done: 2, failed: 2, rings: [{ targets: 2 }, { targets: 2, done: 2, failed: 0 }] });
    const wall = await get(`/upgrade/record/by-dcu?jobId=${id}`);
    const cells = wall.items.flatMap((group: { cells: { sn: string; status: UpgradeState }[] }) => group.cells);
    expect(cells.find((cell: { sn: string }) => cell.sn === cut?.sn)).toMatchObject({ status: 'update_fail' });
    expect(cells).toHaveLength(4);
    const report = await app.call(uploader, { method: 'GET', url: `/api/upgrade/job/${id}/report` });
    expect(report.headers['content-type']).toBe('application/pdf');
    expect(report.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
    await app.ctx.pool.query("update upgrade_job set window_from = '03:00', window_to = '03:01' where id = $1", [id]);
    const again = await send('POST', '/upgrade/record/retry', { jobId: id, from: 'start', window: null });
    expect([again.statusCode, again.json()]).toEqual([202, { count: 2 }]);
    expect(await job(id)).toMatchObject({ window: null });
    await send('POST', `/upgrade/job/${id}/resume`);
    await until(
      () => rows(id),
      (some) => some.every((row) => row.status === 'complete'),
    );
  }, 60_000);

  it('detects a faulty version by its post-checks, not by its number', async () => {
    const [meter] = await meters(1);
    fault(meter?.sn ?? '', 'broken_version');
    const firmware = await approved();
    const id = await start(firmware.id, [meter?.id ?? '']);
    await until(
      () => job(id),
      (row) => row.state === 'halted',
    );
    expect((await rows(id))[0]).toMatchObject({
      status: 'error',
      reasonCode: 'POST_CHECK_FAILED',
      checkResult: 'fail',
      failedIn: 'update_success',
    });
  });
});

/** Reproducible pseudo-random numbers. */
function chance(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

describe('an interrupted upgrade', () => {
  it('continues with the next missing block of the device after failures of link and worker, and repeats few blocks', async () => {
    const [meter] = await meters(1);
    const { sn = '', id: meterId = '' } = meter ?? {};
    const firmware = await approved({ octets: 120_000 });
    const dcu = simulation.dcus.find((one) => one.plan === simulation.world.meterBySn.get(sn)?.dcu);
    // Slow enough to be interrupted during the transfer.
    fault(sn, 'slow', { delayMs: 1 });
    const next = chance(7);
    const received = () => simulation.firmware.find('meter', sn)?.octetsReceived ?? 0;
    const id = await start(firmware.id, [meterId]);
    let cuts = 0;
    for (let goal = 4000; goal < firmware.octets; goal = received() + 2000 + next() * 12_000) {
      await until(
        async () => received(),
        (octets) => octets >= Math.min(goal, firmware.octets),
      );
      if (received() >= firmware.octets) break;
      cuts++;
      if (cuts % 4 !== 0) {
        dcu?.disconnect();
        continue;
      }
      // Another process continues, as after a kill, without the state in memory.
      const old = dispatcher;
      dispatcher = new Dispatcher(app.ctx, field);
      dcu?.disconnect();
      await old.stop();
      await dispatcher.start();
    }
    await ended(id);
    const device = simulation.firmware.find('meter', sn);
    expect(device).toMatchObject({ version: firmware.version, flashedSha256: firmware.sha256, unverifiedOrders: 0 });
    expect(cuts).toBeGreaterThan(6);
    expect(device?.octetsReceived).toBeLessThanOrEqual(firmware.octets * 1.05);
  }, 60_000);
});
