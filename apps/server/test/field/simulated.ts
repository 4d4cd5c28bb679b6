import type { CountedProfile } from '@hes/contract/reading/reading.ts';
import type { MeterPlan } from '@hes/simulator/world/plan.ts';
import { expect, vi } from 'vitest';
import { createTask, type NewTask } from '../../src/tasks/create-task.ts';
import type { AppBench } from './app-bench.ts';
import { sampleParams } from '../sample-params.ts';

/** Less than the limit of a test, so that its message names the unfinished task. */
const ENDS_WITHIN_MS = 20_000;

/** A simulated meter with its plan and its row in the head-end. */
export interface KnownMeter {
  plan: MeterPlan;
  id: string;
  dcuId: string;
}

/** The meters of the first DCU, in the order of their serial numbers, once it is connected. */
export async function metersOf({ app, simulation }: AppBench): Promise<KnownMeter[]> {
  const { pool } = app.ctx;
  await vi.waitFor(
    async () => {
      const { rowCount } = await pool.query("select from dcu where online_status = 'online'");
      expect(rowCount).toBeGreaterThan(0);
    },
    { timeout: ENDS_WITHIN_MS },
  );
  const { rows } = await pool.query<{ id: string; sn: string; dcuId: string }>(
    'select id, sn, dcu_id as "dcuId" from meter where dcu_id = (select min(id) from dcu) order by sn',
  );
  return rows.flatMap(({ id, sn, dcuId }) => {
    const plan = simulation.world.meterBySn.get(sn);
    return plan === undefined ? [] : { plan, id, dcuId };
  });
}

export interface EndedItem {
  state: string;
  reason: string | null;
  result: { values?: { item: string; value: unknown; raw: string | null; reasonCode: string | null }[] } | null;
}

/** Queues work for these meters and waits for its end; items in the order of the meters. */
export async function orderOf(
  { app }: AppBench,
  meters: readonly Omit<KnownMeter, 'plan'>[],
  task: Partial<NewTask> & Pick<NewTask, 'kind'>,
): Promise<EndedItem[]> {
  const items = meters.map(({ id, dcuId }) => ({ deviceKind: 'meter' as const, dcuId, meterId: id }));
  const base = { source: 'user' as const, title: task.kind, params: sampleParams(task.kind), priority: 3, createdBy: null };
  const { id } = await createTask(app.ctx.db, { ...base, ...task, items });
  const { pool } = app.ctx;
  const open = 'select meter_id, state, attempts, reason_code from task_item_device where task_id = $1 and finished_at is null order by id';
  await expect.poll(async () => (await pool.query(open, [id])).rows, { timeout: ENDS_WITHIN_MS }).toEqual([]);
  const { rows } = await pool.query<EndedItem>(
    'select state, reason_code as reason, result from task_item_device where task_id = $1 order by id',
    [id],
  );
  return rows;
}

/** Collects profiles as a plan does. */
export const collectOf = (bench: AppBench, meters: readonly Omit<KnownMeter, 'plan'>[], profiles: CountedProfile[]): Promise<EndedItem[]> =>
  orderOf(bench, meters, { kind: 'collect', source: 'plan', priority: 5, params: { profiles, lookBackDays: 2 } });

export interface StoredCapture {
  at: number;
  ePlus: number | null;
  eMinus: number | null;
  status: number;
}

/** Stored captures of an interval profile, oldest first. */
export async function capturesOf({ app }: AppBench, meter: KnownMeter, profile = 'lpa'): Promise<StoredCapture[]> {
  const { rows } = await app.ctx.pool.query<{ at: string; e_plus: string | null; e_minus: string | null; status: number }>(
    `select extract(epoch from p.day)::bigint * 1000 + (p.lead_s + (k - 1) * p.period_s) * 1000 as at, p.e_plus_wh[k] as e_plus, p.e_minus_wh[k] as e_minus,
       p.status[k] as status
     from reading_profile p, generate_subscripts(p.status, 1) k where meter_id = $1 and profile = $2 and p.status[k] is not null order by at`,
    [meter.id, profile],
  );
  const number = (text: string | null) => (text === null ? null : Number(text));
  return rows.map(({ at, e_plus, e_minus, status }) => ({ at: Number(at), ePlus: number(e_plus), eMinus: number(e_minus), status }));
}

/** Events that the head-end itself raised about a meter: code and message, oldest first. */
export async function eventsOf({ app }: AppBench, meter: KnownMeter): Promise<{ code: number; message: string }[]> {
  const { rows } = await app.ctx.pool.query<{ code: number; message: string }>(
    "select code, message from event where meter_id = $1 and log = 'comms' and code >= 60000 order by id",
    [meter.id],
  );
  return rows;
}
