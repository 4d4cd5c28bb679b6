import { makeImage } from '@hes/simulator/devices/firmware-image.ts';
import type { UpgradeRecordRow } from '@hes/contract/upgrade/record.ts';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startSupervisor } from '../../src/features/upgrade/job/supervisor.ts';
import { USUAL_PACE, type UpgradePace } from '../../src/features/upgrade/transfer/pace.ts';
import type { PeriodicJob } from '../../src/platform/periodic-job.ts';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Short intervals, because simulated devices are back at once. */
const PACE: UpgradePace = {
  ...USUAL_PACE,
  onHoldMs: 100,
  sleepingMs: 200,
  backOffMs: { first: 50, longest: 400 },
  pollMs: { soonest: 20, latest: 200 },
};
const WITHIN = { timeout: 50_000, interval: 20 };
const MODEL = 'HES-MP';

interface Meter {
  id: string;
  sn: string;
  dcuId: string;
  transformerId: string;
}

let bench: AppBench;
let supervisor: PeriodicJob;
let pulse: NodeJS.Timeout;
let uploader: TestUser;
let approver: TestUser;
/** Two direct meters. */
let direct: Meter[];
let serial = 0;

beforeAll(async () => {
  bench = await appBench({
    scale: { dcus: 1, metersPerDcu: 4 },
    directMeters: { count: 3 },
    timeoutLimits: { longestMs: 800 },
    upgradePace: PACE,
  });
  const { app, dispatcher } = bench;
  supervisor = startSupervisor(app.ctx);
  // Called by the test, because both check only once a second.
  pulse = setInterval(() => {
    dispatcher.wake();
    void supervisor.runNow();
  }, 25);
  uploader = await app.addUser({ roles: ['FW_ENGINEER'] });
  approver = await app.addUser({ roles: ['ADMIN'] });
  await vi.waitFor(async () => {
    const { rows } = await app.ctx.pool.query("select from endpoint where online_status <> 'online'");
    expect(rows).toEqual([]);
  }, WITHIN);
  const found = await app.ctx.pool.query<Meter>(
    `select id, sn, dcu_id as "dcuId", transformer_id as "transformerId" from meter where communication_mode = 'direct' order by sn`,
  );
  direct = found.rows;
});
afterAll(async () => {
  clearInterval(pulse);
  await supervisor.stop();
  await bench.close();
});

const get = async (url: string, user = uploader) => (await bench.app.call(user, { method: 'GET', url: `/api${url}` })).json();
const send = (method: 'POST' | 'PUT', url: string, payload: object, user = uploader) =>
  bench.app.call(user, { method, url: `/api${url}`, payload });

/** A firmware for all meters, uploaded by one user and approved by another one. */
async function approved(octets: number) {
  const version = `${MODEL} 9.1.${++serial}`;
  const file = await bench.app.call(uploader, {
    method: 'POST',
    url: `/api/upgrade/firmware/file?name=direct-${serial}.bin`,
    headers: { 'content-type': 'application/octet-stream' },
    payload: Buffer.from(makeImage({ model: MODEL, version }, octets)),
  });
  const { pool } = bench.app.ctx;
  const made = await send('POST', '/upgrade/firmware', {
    fileId: file.json().fileId,
    name: `Image ${version}`,
    version,
    supplierId: (await pool.query<{ id: string }>('select id from supplier order by id limit 1')).rows[0]?.id,
    targetKind: 'meter',
    typeIds: (await pool.query<{ id: string }>('select id from meter_type')).rows.map(({ id }) => id),
    imageIdentifier: `${MODEL}-${serial}`,
    upgradeReason: 'Better',
    fileProvider: 'The manufacturer',
    fromVersions: [],
    upgradeProtocol: 'dlms_image',
  });
  expect(made.statusCode, made.body).toBe(201);
  const { id, revision } = made.json();
  expect((await send('PUT', `/upgrade/firmware/${id}/approve`, { revision }, approver)).statusCode).toBe(200);
  return { id: String(id), version, sha256: String(file.json().sha256), octets: Number(file.json().size) };
}

async function start(firmwareId: string, ids: readonly string[], rings: object[] = []): Promise<string> {
  const order = {
    name: `Direct ${serial}`,
    firmwareId,
    selection: { ids },
    rings,
    continueBy: 'itself',
    watchMinutes: 0,
    reason: 'A test',
  };
  const begun = await send('POST', '/upgrade/job', order);
  expect(begun.statusCode, begun.body).toBe(202);
  return begun.json().jobId;
}

const ended = (id: string) =>
  vi.waitFor(async () => {
    const job = await get(`/upgrade/job/${id}`);
    expect(job).toMatchObject({ state: 'finished' });
    return job;
  }, WITHIN);
const records = async (jobId: string): Promise<UpgradeRecordRow[]> =>
  (await get(`/upgrade/record?jobId=${jobId}&size=500&sort=sn,asc`)).items;
const deviceOf = (sn: string) => bench.simulation.firmware.find('meter', sn);
/** Closes the connection of a device as its network would. */
const disconnect = (sn: string) => fetch(`http://127.0.0.1:${bench.simulation.controlPort}/dcu/${sn}/disconnect`, { method: 'POST' });

describe('an upgrade of direct meters and a meter behind a DCU', () => {
  let firmware: Awaited<ReturnType<typeof approved>>;
  let jobId: string;
  let job: Record<string, unknown>;
  let chosen: Meter[];
  beforeAll(async () => {
    firmware = await approved(12_000);
    const { rows } = await bench.app.ctx.pool.query<Meter>(
      "select id, sn from meter where communication_mode <> 'direct' order by sn limit 1",
    );
    chosen = [...direct.slice(0, 2), ...rows];
    jobId = await start(
      firmware.id,
      chosen.map(({ id }) => id),
      [{ unit: 'devices', size: 1 }],
    );
    job = await ended(jobId);
  });

  test('transfers, verifies and activates the image over the connection of each meter, ring by ring', async () => {
    expect(job).toMatchObject({ ring: 2, targets: 3, done: 3, failed: 0, process: 100 });
    for (const { sn } of chosen)
      expect(deviceOf(sn)).toMatchObject({ version: firmware.version, flashedSha256: firmware.sha256, unverifiedOrders: 0 });
    for (const record of await records(jobId)) {
      const blocks = Math.ceil(firmware.octets / (record.blockSize ?? 0));
      expect(record).toMatchObject({ status: 'complete', blocksTotal: blocks, blocksDone: blocks });
      expect(blocks).toBeGreaterThan(10);
      const { postChecks } = await get(`/upgrade/record/${record.id}`);
      expect(postChecks.map((check: { result: string }) => check.result)).toEqual(['pass', 'pass', 'pass', 'pass']);
    }
  });

  test('names no DCU for a direct meter, and groups the direct meters of a transformer', async () => {
    const bySn = new Map((await records(jobId)).map((record) => [record.sn, record.dcuSn]));
    expect(chosen.map(({ sn }) => bySn.get(sn) === null)).toEqual([true, true, false]);
    const { items } = await get(`/upgrade/record/by-dcu?jobId=${jobId}`);
    const ofDirect = items.filter(({ dcuSn }: { dcuSn: string | null }) => dcuSn === null);
    const cells = ofDirect.flatMap((group: { cells: { sn: string }[] }) => group.cells.map(({ sn }) => sn));
    expect(cells.toSorted()).toEqual(direct.slice(0, 2).map(({ sn }) => sn));
    const { total } = await get(`/upgrade/record?jobId=${jobId}&dcuSn=${direct[0]?.sn}`);
    expect(total, 'direct meters found by a DCU of their serial number').toBe(0);
  });

  test('counts direct meters for a user who sees one transformer only', async () => {
    const [first] = direct;
    const user = await bench.app.addUser({ transformers: [first?.transformerId ?? ''] });
    const seen = chosen.filter(({ transformerId }) => transformerId === first?.transformerId).length;
    expect(seen).toBeGreaterThan(0);
    const { items } = await get('/upgrade/job?size=20', user);
    const behind = (await get(`/upgrade/record?jobId=${jobId}`, user)).total;
    expect(items).toMatchObject([{ id: jobId, targets: behind, done: behind }]);
    expect(behind).toBeGreaterThanOrEqual(seen);
    expect((await get(`/upgrade/firmware/${firmware.id}`, user)).jobs).toBe(1);
  });
});

test('an upgrade of a direct meter continues with the next missing block after its connection broke', async () => {
  const meter = direct[2];
  if (meter === undefined) throw new Error('No third direct meter');
  const firmware = await approved(80_000);
  // Slow enough to be interrupted during the transfer.
  bench.simulation.faults.add({ target: meter.sn, kind: 'slow', delayMs: 2 });
  const received = () => deviceOf(meter.sn)?.octetsReceived ?? 0;
  const jobId = await start(firmware.id, [meter.id]);
  let cuts = 0;
  for (let goal = 4_000; goal < firmware.octets; goal = received() + 10_000) {
    await vi.waitFor(() => expect(received()).toBeGreaterThanOrEqual(Math.min(goal, firmware.octets)), WITHIN);
    if (received() >= firmware.octets) break;
    cuts++;
    await disconnect(meter.sn);
  }
  expect(await ended(jobId)).toMatchObject({ done: 1, failed: 0 });
  const device = deviceOf(meter.sn);
  expect(device).toMatchObject({ version: firmware.version, flashedSha256: firmware.sha256, unverifiedOrders: 0 });
  expect(cuts).toBeGreaterThan(4);
  expect(device?.octetsReceived).toBeLessThanOrEqual(firmware.octets * 1.05);
});
