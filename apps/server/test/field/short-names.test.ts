import { randomUUID } from 'node:crypto';
import { APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { unpackFrames } from '../../src/storage/frames.ts';
import type { TestUser } from '../test-app.ts';
import { appBench, type AppBench } from './app-bench.ts';
import { collectOf, metersOf, orderOf, type KnownMeter } from './simulated.ts';

/* Meters of the simulator that have short names only, with GMAC and ciphering: the operations of the engine find no difference. */

const DAY_MS = 86_400_000;
const WITHIN = { timeout: 20_000 };

let bench: AppBench;
let admin: TestUser;
let meters: KnownMeter[];
let meter: KnownMeter;

beforeAll(async () => {
  bench = await appBench({ scale: { dcus: 1, metersPerDcu: 8 }, hasShortNames: true });
  admin = await bench.app.addUser({ roles: ['ADMIN'] });
  meters = (await metersOf(bench)).filter(({ plan }) => !plan.isSilent && !plan.hasWrongKey && plan.kind !== 'master');
  const switchable = meters.find(({ plan }) => relayOf(plan.sn)?.mode === 'mode4');
  if (switchable === undefined) throw new Error('No meter has a relay that closes by command');
  meter = switchable;
}, 60_000);
afterAll(() => bench.close());

const query = async <T extends object>(text: string, values: unknown[] = []) => (await bench.app.ctx.pool.query<T>(text, values)).rows;
const get = async (url: string) => (await bench.app.call(admin, { url: `/api${url}` })).json();
const relayOf = (sn: string) => bench.simulation.dcus.map((dcu) => dcu.meter(sn)).find((found) => found !== undefined)?.relay;
const dayText = (at: number) => new Date(at).toISOString().slice(0, 10);
const days = () => ({ from: dayText(Date.now() - 2 * DAY_MS), to: dayText(Date.now()) });

/** Places an order and resolves with its only item when it has ended. */
async function ordered(url: string, payload: object) {
  const answer = await bench.app.call(admin, { method: 'POST', url: `/api${url}`, payload });
  expect(answer.statusCode, answer.body).toBe(202);
  const { taskId } = answer.json();
  await vi.waitFor(async () => expect((await get(`/task/${taskId}`)).finishedAt).not.toBeNull(), WITHIN);
  const [item] = (await get(`/task/${taskId}/items`)).items;
  expect(item, item.reasonText ?? '').toMatchObject({ state: 'read_success', reasonCode: null });
  return item;
}

const audited = async () => (await ordered('/reading/audit', { meterSn: meter.plan.sn, ...days() })).result.audit;

describe('meters with short names only', () => {
  it('deliver profiles by range, whose rows are those of the meter', async () => {
    const collected = await collectOf(bench, meters, ['daily', 'lpa', 'lpb', 'energy']);
    expect(collected.map(({ state, reason }) => ({ state, reason }))).toEqual(meters.map(() => ({ state: 'read_success', reason: null })));
    expect(await audited()).toMatchObject({ different: 0, absent: 0 });
  });

  it.each(['registers', 'events', 'real_time', 'clock_read', 'relay_read'] as const)('execute an order %s', async (kind) => {
    expect(await orderOf(bench, [meter], { kind })).toMatchObject([{ state: 'read_success' }]);
  });

  it('have their clock set and shifted, confirmed by read-back', async () => {
    const devices = [{ kind: 'meter', id: meter.id }];
    for (const method of ['set', 'shift']) {
      const { result } = await ordered('/action/clock', { devices, operation: 'sync', method, reason: 'Test', isConfirmed: true });
      expect(Math.abs(result.clock.deviationMs)).toBeLessThan(1000);
    }
  });

  it('are disconnected and connected', async () => {
    const order = (operation: string) =>
      ordered('/action/relay', { requestId: randomUUID(), meterIds: [meter.id], operation, reason: 'Unpaid', workOrder: 'WO-1' });
    await order('disconnect');
    expect(relayOf(meter.plan.sn)).toMatchObject({ state: 'disconnected', orders: 1 });
    await order('connect');
    expect(relayOf(meter.plan.sn)).toMatchObject({ state: 'connected', orders: 2 });
  });

  it('are read without their object list once it is known, and their frames are explained', async () => {
    await vi.waitFor(async () => {
      const [row] = await query<{ text: string }>(
        'select mm.told::text as text from meter m join meter_memory mm on mm.id = m.memory_id where m.id = $1',
        [meter.id],
      );
      expect(row?.text).toContain('short-names');
    }, WITHIN);
    const { traceId } = await ordered('/action/read/on-demand', { meterIds: [meter.id], kind: 'registers', items: ['E_PLUS'] });
    const plains = await vi.waitFor(async () => {
      const [trace] = await query<{ frames: Buffer }>('select frames from trace where id = $1', [traceId]);
      if (trace === undefined) throw new Error('The trace is not stored yet');
      return unpackFrames(trace.frames, bench.app.ctx.secrets).flatMap(({ plain }) => (plain ? [Buffer.from(plain)] : []));
    }, WITHIN);
    expect(plains.filter(([tag]) => tag === APDU_TAGS.readRequest).length).toBeGreaterThan(1);
    expect(plains.filter(([tag]) => tag === APDU_TAGS.getRequest)).toEqual([]);
    expect(plains.map((plain) => plain.toString('hex'))).not.toContain('050102fa08');
    const { frames } = await get(`/trace/${traceId}`);
    expect(JSON.stringify(frames)).toContain('readRequest');
  });
});
