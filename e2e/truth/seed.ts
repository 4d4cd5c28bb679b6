import { randomBytes, randomUUID } from 'node:crypto';
import { expect, type Browser } from '@playwright/test';
import { ageRights, inDatabase } from '../support/age-rights.ts';
import { askControl, PASSWORD, type HeadEnd } from '../support/head-end.ts';
import { signIn } from '../support/sign-in.ts';

/** Calls the API as a user. */
export type Ask = <T>(path: string, body?: object | Buffer, method?: 'GET' | 'POST' | 'PUT') => Promise<T>;

interface Meter {
  id: string;
  sn: string;
  dcuId: string | null;
  meterTypeId: string;
}

interface Seeds {
  browser: Browser;
  headEnd: HeadEnd;
  ask: Ask;
  /** Meters of one DCU. */
  meters: readonly Meter[];
  dcuId: string;
  yesterday: string;
}

interface Named {
  id: string;
  code: string;
}
interface List<R> {
  items: R[];
}

const REASON = 'Comparison of screen and file';
const ENGINEER = { username: 'fern.ware', password: 'Block-By-Block-42' };
const DONE_WITHIN_MS = 120_000;
const LAST_EVENTS = 200;
const LIMIT_KWH = 0.001;
const VERSION = 'HES-MP 9.1.0';

const ended = (ask: Ask, taskId: string): Promise<void> =>
  expect
    .poll(async () => (await ask<{ state: string }>(`/task/${taskId}`)).state, { timeout: DONE_WITHIN_MS })
    .not.toMatch(/^(waiting|running)$/);

/** A firmware engineer with a separate session: the uploader of a file must not approve it. */
async function engineerOf({ browser, headEnd, ask }: Seeds): Promise<Ask> {
  const { items } = await ask<List<Named>>('/manager/role?size=100');
  const roleIds = items.flatMap(({ id, code }) => (code === 'FW_ENGINEER' ? [id] : []));
  await ask('/manager/user', { ...ENGINEER, name: 'Fern Ware', roleIds, mustChangePassword: false });
  await ageRights(headEnd);
  const page = await (await browser.newContext()).newPage();
  await signIn(page, headEnd, ENGINEER);
  const token = JSON.parse((await page.evaluate(() => localStorage.getItem('HES_TOKEN'))) ?? '{}').access_token as string; // as: the console keeps a text
  return asker(headEnd, () => `Bearer ${token}`);
}

/** Calls with the token that is valid at each call. */
export const asker =
  ({ address }: HeadEnd, authorization: () => string): Ask =>
  async <T>(path: string, body?: object | Buffer, method = body === undefined ? 'GET' : 'POST') => {
    const isFile = Buffer.isBuffer(body);
    const answer = await fetch(`${address}/api${path}`, {
      method,
      headers: {
        authorization: authorization(),
        ...(body === undefined ? {} : { 'content-type': isFile ? 'application/octet-stream' : 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isFile ? new Uint8Array(body) : JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (answer.status === 204 ? undefined : await answer.json()) as T; // as: the caller knows the route
  };

/** Adds a firmware file and an upgrade of two meters. */
async function upgradeSome(seeds: Seeds): Promise<void> {
  const { headEnd, ask, meters } = seeds;
  const engineer = await engineerOf(seeds);
  const query = `model=HES-MP&version=${encodeURIComponent(VERSION)}&octets=6000`;
  const { base64 } = (await (await askControl(headEnd, `/image?${query}`)).json()) as { base64: string }; // as: the type of the response
  const { fileId } = await engineer<{ fileId: string }>('/upgrade/firmware/file?name=meter.bin', Buffer.from(base64, 'base64'));
  const { items: types } = await ask<List<{ id: string; supplierId: string }>>('/asset/meter-type?size=100');
  const typeId = meters[0]?.meterTypeId;
  const firmware = await engineer<{ id: string; revision: number }>('/upgrade/firmware', {
    name: 'PLC meter',
    version: VERSION,
    supplierId: types.find(({ id }) => id === typeId)?.supplierId,
    targetKind: 'meter',
    typeIds: [typeId],
    imageIdentifier: 'HES-MP-910',
    upgradeReason: REASON,
    fileProvider: 'The factory',
    fileId,
  });
  await ask(`/upgrade/firmware/${firmware.id}/approve`, { revision: firmware.revision }, 'PUT');
  const ids = meters.flatMap(({ id, meterTypeId }) => (meterTypeId === typeId ? [id] : [])).slice(0, 2);
  await engineer('/upgrade/job', { name: 'Two meters', firmwareId: firmware.id, selection: { ids }, rings: [], reason: REASON });
}

/** Calculates a day with meters beyond their limit. */
async function calculate({ ask, meters, yesterday }: Seeds): Promise<void> {
  const { taskId } = await ask<{ taskId: string }>('/analysis/bill/calculate', { from: yesterday, to: yesterday, kind: 'day' });
  await ended(ask, taskId);
  for (const { id } of meters.slice(0, 2)) {
    const { version } = await ask<{ version: number }>(`/analysis/anomaly/limit/${id}`);
    await ask(`/analysis/anomaly/limit/${id}`, { upperKwh: LIMIT_KWH, lowerKwh: null, version }, 'PUT');
  }
}

/** Creates an order that waits for approval. */
async function askForApproval({ ask, meters }: Seeds): Promise<void> {
  const meterIds = meters.slice(-1).map(({ id }) => id);
  await ask('/action/relay/protection', { meterIds, isProtected: true, reason: REASON }, 'PUT');
  await ask('/action/relay', {
    requestId: randomUUID(),
    meterIds,
    operation: 'disconnect',
    reason: REASON,
    workOrder: 'WO-2',
    password: PASSWORD,
  });
}

async function readEvents({ ask, meters }: Seeds): Promise<void> {
  const devices = meters.map(({ id }) => ({ kind: 'meter', id }));
  await ask('/action/read/event', { devices, logs: ['standard', 'quality'], last: LAST_EVENTS });
}

/** Captures all frames of a DCU from now on. */
async function captureFrames({ ask, dcuId }: Seeds): Promise<void> {
  await ask('/debug/dcu-log/capture', { dcuIds: [dcuId], level: 'all', hours: 1 }, 'PUT');
}

/** Adds an event that no meter of the fleet has by default: a missing phase, yesterday. */
const losePhase = ({ headEnd, meters, yesterday }: Seeds): Promise<unknown> =>
  inDatabase(headEnd, (pool) =>
    pool.query(
      `insert into event (device_kind, meter_id, dcu_id, log, code, occur_at, direction, raw, source, dedup_hash)
       values ('meter', $1, $2, 'quality', 87, ($3 || ' 04:00Z')::timestamptz, 'occur', '', 'pull', $4)`,
      [meters[0]?.id, meters[0]?.dcuId, yesterday, randomBytes(16)],
    ),
  );

/** Loses a day of a meter that stops responding and detects the gap immediately: the product checks every few minutes. */
async function loseDay({ headEnd, ask, meters, yesterday }: Seeds): Promise<void> {
  const silent = meters.at(-2)?.id;
  await inDatabase(headEnd, (pool) =>
    pool.query('delete from reading_daily where meter_id = $1 and freeze_date = $2', [silent, yesterday]),
  );
  await ask('/reading/refill/estimate', { from: yesterday, to: yesterday, profile: 'daily', meterId: silent });
}

/** Makes a meter unresponsive from now on: its next readings are missing. */
export async function silence(headEnd: HeadEnd, sn: string): Promise<void> {
  const answer = await askControl(headEnd, '/fault', { method: 'POST', body: JSON.stringify({ target: sn, kind: 'silence' }) });
  if (!answer.ok) throw new Error(`fault: ${answer.status} ${await answer.text()}`);
}

/** Uses any DCU that is not busy with its network, a search or an upgrade. */
async function switchTopology({ ask }: Seeds): Promise<void> {
  const { items } = await ask<List<{ id: string }>>('/asset/dcu?size=100');
  const ids = items.map(({ id }) => id);
  await expect(async () => {
    const [dcuId = ''] = ids.splice(0, 1);
    ids.push(dcuId);
    await ask('/debug/topology-switch', { dcuId, operation: 'report_on', reason: REASON });
  }).toPass({ timeout: DONE_WITHIN_MS });
}

/** Adds rows to lists that are empty in a fresh fleet. Returns failures; the report then lists them as missing. */
export async function seed(seeds: Seeds): Promise<string[]> {
  const steps: Record<string, () => Promise<unknown>> = {
    calculation: () => calculate(seeds),
    frames: () => captureFrames(seeds),
    gaps: () => loseDay(seeds),
    phase: () => losePhase(seeds),
    approval: () => askForApproval(seeds),
    events: () => readEvents(seeds),
    upgrade: () => upgradeSome(seeds),
    topologySwitch: () => switchTopology(seeds),
  };
  const failures: string[] = [];
  for (const [name, make] of Object.entries(steps)) await make().catch((error: Error) => failures.push(`${name}: ${error.message}`));
  return failures;
}
