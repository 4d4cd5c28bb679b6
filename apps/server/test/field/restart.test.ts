import type { BusMessage } from '../../src/platform/bus.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { msFromNow } from '../../src/platform/clock.ts';
import { fieldBench, type Bench } from './field-bench.ts';

const MINUTE_MS = 60_000;

let bench: Bench;
let statuses: string[] = [];
let shiftMs = 0;
beforeAll(async () => {
  bench = await fieldBench();
  bench.ctx.clock = { now: () => Date.now() + shiftMs, monotonic: () => msFromNow(shiftMs) };
  bench.ctx.bus.subscribe(({ message }: { message: BusMessage }) => {
    if (message.type === 'dcu.status') statuses.push(`${message.data.sn} ${message.data.onlineStatus}`);
  });
});
beforeEach(() => {
  statuses = [];
});
afterAll(() => bench.close());

const statusOf = async (dcuId: string) =>
  (await bench.database.pool.query<{ status: string }>('select online_status as status from dcu where id = $1', [dcuId])).rows[0]?.status;
const sessionsOf = async (dcuId: string) =>
  (
    await bench.database.pool.query<{ reason: string | null; seconds: number | null }>(
      `select close_reason as reason, round(extract(epoch from now() - closed_at))::int as seconds from dcu_session where dcu_id = $1 order by id`,
      [dcuId],
    )
  ).rows;
const becomes = (dcuId: string, status: string) =>
  vi.waitFor(async () => expect(await statusOf(dcuId)).toBe(status), { timeout: 10_000, interval: 100 });

describe('a DCU that was connected when the head-end stopped', () => {
  test('is unknown and not offline, and online when it connects after the restart', async () => {
    const { dcuId, meters } = await bench.register('RESTART001', 1);
    const first = await bench.headEnd();
    first.dial('RESTART001', meters);
    await becomes(dcuId, 'online');
    await first.stop();
    expect(await statusOf(dcuId)).toBe('unknown');
    expect(await sessionsOf(dcuId)).toMatchObject([{ reason: 'server_stopped' }]);
    expect(statuses).toEqual(['RESTART001 online']);
    const second = await bench.headEnd();
    expect(await statusOf(dcuId)).toBe('unknown');
    second.dial('RESTART001', meters);
    await becomes(dcuId, 'online');
    expect(statuses).toEqual(['RESTART001 online', 'RESTART001 online']);
    await second.stop();
  });

  test('is offline after the maximum idle time, and consoles are notified', async () => {
    const { dcuId, meters } = await bench.register('RESTART002', 1);
    const first = await bench.headEnd();
    first.dial('RESTART002', meters);
    await becomes(dcuId, 'online');
    await first.stop();
    const second = await bench.headEnd();
    statuses = [];
    // The type has a heartbeat of a minute; the tolerance is 2.5 heartbeats.
    shiftMs += 2 * MINUTE_MS;
    const before = (await bench.database.pool.query<{ alive: Date }>('select max(alive_at) as alive from node')).rows[0]?.alive;
    await vi.waitFor(
      async () => {
        const { rows } = await bench.database.pool.query('select from node where alive_at > $1', [before]);
        expect(rows).toHaveLength(1);
      },
      { timeout: 10_000, interval: 100 },
    );
    expect(await statusOf(dcuId)).toBe('unknown');
    shiftMs += MINUTE_MS;
    await becomes(dcuId, 'offline');
    await vi.waitFor(() => expect(statuses).toContain('RESTART002 offline'));
    await second.stop();
  });

  test('was connected until the last sign of life of a crashed head-end', async () => {
    const { dcuId } = await bench.register('RESTART003', 1);
    const { pool } = bench.database;
    await pool.query("update dcu set online_status = 'online' where id = $1", [dcuId]);
    await pool.query(
      `insert into dcu_session (dcu_id, direction, remote, opened_at, identified_at) values ($1, 'dial_in', 'here', now() - interval '3 hours', now() - interval '3 hours')`,
      [dcuId],
    );
    await pool.query("update node set started_at = now() - interval '4 hours', alive_at = now() - interval '2 hours'");
    const heir = await bench.headEnd();
    expect(await statusOf(dcuId)).toBe('unknown');
    const [session] = await sessionsOf(dcuId);
    expect(session?.reason).toBe('server_stopped');
    expect(session?.seconds).toBeGreaterThanOrEqual(7200);
    expect(session?.seconds).toBeLessThan(7260);
    await heir.stop();
  });

  test('does not make an order fail with "offline" before it has had time to connect', async () => {
    const { dcuId, meters, meterIds } = await bench.register('RESTART004', 1);
    const first = await bench.headEnd();
    first.dial('RESTART004', meters);
    await becomes(dcuId, 'online');
    await first.stop();
    const second = await bench.headEnd();
    const items = meterIds.map((meterId) => ({ deviceKind: 'meter' as const, dcuId, meterId }));
    const { id, ended } = await second.order({ kind: 'registers', params: { items: ['E_PLUS'] }, items });
    await bench.database.pool.query("update task set created_at = now() - interval '1 hour' where id = $1", [id]);
    await second.dispatcher.runMaintenance();
    second.dial('RESTART004', meters);
    expect(await ended).toMatchObject([{ state: 'read_success' }]);
    await second.stop();
  });
});
