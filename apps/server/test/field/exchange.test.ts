import type { BillLine } from '@hes/contract/analysis/bill.ts';
import type { AssetDetail } from '@hes/contract/asset/meter.ts';
import type { DiscoveredRow } from '@hes/contract/asset/discovery.ts';
import type { ReplacementTruth, flowTruth } from '@hes/simulator/control/truth.ts';
import type { Simulation } from '@hes/simulator/simulation.ts';
import { dayStart, dayText, localDay } from '@hes/simulator/world/calendar.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { TestApp, TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';

const METERS = 6;
const ONLINE_WITHIN_MS = 20_000;
const TODAY = localDay(Date.now());
const FIRST = TODAY - 6;
/** A time in the middle of a quarter of an hour. */
const EXCHANGED = TODAY - 3;
const AT = dayStart(EXCHANGED) + 13 * 3_600_000 + 421_000;
const PRICES = { validFrom: '2020-01-01', name: 'Home', currency: 'CNY', plus: [0.5, 0.6, 0.4, 0.3], minus: [0.2, 0.25, 0.2, 0.15] };
const PERIOD = { from: dayText(FIRST), to: dayText(TODAY - 1) };

let bench: AppBench;
let app: TestApp;
let simulation: Simulation;
let admin: TestUser;

beforeAll(async () => {
  bench = await appBench({ timeoutLimits: { longestMs: 1000 }, scale: { dcus: 1, metersPerDcu: METERS }, timeZone: 'Asia/Shanghai' });
  ({ app, simulation } = bench);
  admin = await app.addUser({ roles: ['ADMIN'] });
}, 60_000);
afterAll(() => bench.close());

const get = async <T>(path: string) => (await app.call(admin, { url: `/api/${path}` })).json<T>();
const send = async <T>(path: string, payload: object, status: number) => {
  const answer = await app.call(admin, { method: 'POST', url: `/api/${path}`, payload });
  expect(answer.statusCode, answer.body).toBe(status);
  return answer.json<T>();
};

/** Places an order and waits until every item has ended. */
async function order(path: string, payload: object): Promise<{ state: string }[]> {
  const { taskId } = await send<{ taskId: string }>(path, payload, 202);
  await expect
    .poll(async () => (await get<{ finishedAt: string | null }>(`task/${taskId}`)).finishedAt, { timeout: 20_000 })
    .not.toBeNull();
  return (await get<{ items: { state: string }[] }>(`task/${taskId}/items`)).items;
}
const readDaily = (meterIds: string[], fromDay: number, toDay: number) =>
  order('action/read/on-demand', { meterIds, kind: 'daily', from: dayText(fromDay), to: dayText(toDay) });

/** Readings of the fitter in addition to the total, kWh. */
function othersOf({ ePlusT, eMinus, eMinusT }: Pick<ReplacementTruth['final'], 'ePlusT' | 'eMinus' | 'eMinusT'>) {
  const byTariff = (direction: 'plus' | 'minus', registers: readonly number[]) =>
    Object.fromEntries(registers.map((wh, k) => [`${direction}T${k + 1}`, wh / 1000]));
  return { minus: eMinus / 1000, ...byTariff('plus', ePlusT), ...byTariff('minus', eMinusT) };
}

/** Calls the control API of the simulator. */
const door = async <T>(path: string, body?: object): Promise<T> => {
  const request = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${simulation.controlPort}/${path}`, request);
  return (await answer.json()) as T; // as: the type of the response
};

test('a replacement meter is found, replaces the old one, is read, and the bill is the consumption of the customer', async () => {
  const dcu = await vi.waitFor(
    async () => {
      const { items } = await get<{ items: { id: string; onlineStatus: string }[] }>('asset/dcu?size=10');
      if (items[0]?.onlineStatus !== 'online') throw new Error('Not online yet');
      return items[0];
    },
    { timeout: ONLINE_WITHIN_MS },
  );
  const { items: meters } = await get<{ items: { id: string; sn: string; meterTypeId: string }[] }>(`asset/meter/inventory?size=${METERS}`);
  // A second replacement is not recorded: the meter does not answer, and its bill is missing.
  const [old, forgotten, ...others] = meters;
  if (!old || !forgotten) throw new Error('There are meters');
  const everyId = meters.map(({ id }) => id);
  for (const item of await readDaily(everyId, FIRST, EXCHANGED)) expect(item.state).toBe('read_success');

  const slip = await door<ReplacementTruth>(`exchange/${old.sn}`, { at: new Date(AT).toISOString() });
  await door(`exchange/${forgotten.sn}`, { at: new Date(AT).toISOString() });
  const [silent] = await readDaily([old.id], TODAY, TODAY);
  expect(silent?.state).not.toBe('read_success');

  // The DCU finds an unregistered name; the old meter is not found any more.
  const { taskId } = await send<{ taskId: string }>(
    'asset/discovery',
    { dcuIds: [dcu.id], mode: 'both', minutes: 10, pollSeconds: 1 },
    202,
  );
  const heard = async () => (await get<{ items: DiscoveredRow[] }>(`asset/discovery/meter?dcuId=${dcu.id}&size=50`)).items;
  await expect.poll(async () => (await heard()).length, { timeout: 20_000 }).toBe(METERS);
  const { items: runs } = await get<{ items: { id: string }[] }>('asset/discovery');
  await send(`asset/discovery/${runs[0]?.id}/stop`, {}, 200);
  await expect
    .poll(async () => (await get<{ finishedAt: string | null }>(`task/${taskId}`)).finishedAt, { timeout: 20_000 })
    .not.toBeNull();
  const found = await heard();
  expect(found.map(({ sn }) => sn)).not.toContain(old.sn);
  expect(found.find(({ sn }) => sn === slip.new.sn)).toMatchObject({ match: 'unknown', phase: slip.new.phase });

  // The delivery note registers it, the form of the fitter installs it, and a dispatch writes it into the DCU.
  const { sn, systemTitle, ek, ak } = slip.new;
  const fresh = await send<AssetDetail>(
    'asset/meter',
    { sn, meterTypeId: old.meterTypeId, communicationMode: 'plc', systemTitle, keys: { ek, ak } },
    201,
  );
  expect((await heard()).find((row) => row.sn === sn)?.match).toBe('in_warehouse');
  const figures = {
    finalKwh: slip.final.ePlus / 1000,
    final: othersOf(slip.final),
    initialKwh: slip.initial.ePlus / 1000,
    initial: othersOf(slip.initial),
  };
  await send(`asset/meter/${old.id}/replace`, { newMeterId: fresh.id, ...figures, at: slip.at }, 200);
  expect((await heard()).find((row) => row.sn === sn)?.match).toBe('bound_here');
  for (const item of await order('asset/archive/dispatch', { dcuId: dcu.id, mode: 'dispatch', all: true }))
    expect(item, JSON.stringify(item)).toMatchObject({ state: 'read_success' });
  const archive = await door<{ entries: { sn: string }[] }>(`dcu/${simulation.dcus[0]?.plan.sn}/archive`);
  expect(archive.entries.map((entry) => entry.sn)).toContain(sn);

  const [first] = await readDaily([fresh.id], FIRST, TODAY);
  expect(first?.state).toBe('read_success');
  await readDaily(
    others.map(({ id }) => id),
    TODAY,
    TODAY,
  );
  expect((await app.call(admin, { method: 'PUT', url: '/api/analysis/price', payload: PRICES })).statusCode).toBe(200);
  await order('analysis/bill/calculate', { kind: 'custom', ...PERIOD });
  const { items: lines } = await get<{ items: BillLine[] }>(`analysis/bill?from=${PERIOD.from}&to=${PERIOD.to}&size=50`);
  const flow = (of: string) =>
    door<ReturnType<typeof flowTruth>>(
      `truth/meter/${of}/flow?from=${new Date(dayStart(FIRST)).toISOString()}&to=${new Date(dayStart(TODAY)).toISOString()}`,
    );
  const line = lines.find((one) => one.sn === sn);
  expect(line).toMatchObject({ status: 'exchanged', maxDemandKw: null, flags: ['exchanged'] });
  const { plus, plusT, minus, minusT } = await flow(sn);
  const truth = { plus: plus / 1000, ...othersOf({ ePlusT: plusT, eMinus: minus, eMinusT: minusT }) };
  const billed = new Map(Object.entries(line ?? {}));
  expect(Object.keys(truth)).toHaveLength(10);
  for (const [register, kwh] of Object.entries(truth))
    expect(Math.abs(Number(billed.get(register) ?? Number.NaN) - kwh), register).toBeLessThan(0.01);
  // Each tariff has its own price.
  const cost = (direction: 'plus' | 'minus') =>
    PRICES[direction].reduce((sum, price, k) => sum + Math.round(100 * price * Number(billed.get(`${direction}T${k + 1}`))) / 100, 0);
  expect(line?.amount).toBeCloseTo(cost('plus') - cost('minus'), 2);
  for (const other of others) {
    const whole = lines.find((one) => one.sn === other.sn);
    expect(whole).toMatchObject({ status: 'complete' });
    expect(Math.abs((whole?.plus ?? Number.NaN) - (await flow(other.sn)).plus / 1000)).toBeLessThan(0.01);
  }
  expect(lines.find((one) => one.sn === forgotten.sn)?.status).toBe('missing');
  expect(lines.map((one) => one.sn)).not.toContain(old.sn);
  const asset = () => get<AssetDetail>(`asset/meter/${fresh.id}/asset`);
  expect((await asset()).replacements).toMatchObject([{ oldSn: old.sn, newSn: sn, at: slip.at, ...figures }]);
  // The first reading has activated it.
  await expect.poll(async () => (await asset()).inventoryState, { timeout: 20_000 }).toBe('active');
}, 180_000);
