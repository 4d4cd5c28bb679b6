import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindToDcu } from '../../src/features/archive/bind.ts';
import { applyPlan, makePlan } from '../../src/features/archive/orders.ts';
import type { User } from '../../src/db/context.ts';
import { DRIFT_KINDS, driftArchive } from '@hes/simulator/devices/drift.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 14;
const RUNS = 6;
/** Interval between two checks of a task that another head-end may end. */
const LOOK_MS = 20;
let town: ArchiveBench;
let who: { user: User; ip: string };
beforeAll(async () => {
  town = await archiveBench({ dcus: 1, metersPerDcu: METERS });
  const { rows } = await town.bench.database.pool.query<{ id: string }>("select id from app_user where username = 'admin'");
  const user: User = {
    id: rows[0]?.id ?? '',
    username: 'admin',
    name: 'admin',
    sessionId: '1',
    mustChangePassword: false,
    actions: new Map(),
    scope: { kind: 'whole' },
  };
  who = { user, ip: '127.0.0.1' };
});
afterAll(() => town.close());

const query = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await town.bench.database.pool.query<T>(text, values)).rows;

/** Faults during an order: a lost response, a connection cut before or after the change, a killed head-end. */
const trouble = fc.record({ kind: fc.constantFrom('lost_answer', 'cut', 'cut_after'), skip: fc.integer({ min: 0, max: 14 }) } as const);
const drift = fc.record({ kind: fc.constantFrom(...DRIFT_KINDS), place: fc.integer({ min: 1, max: METERS }) });
const pair = fc.record({
  /** In the DCU. */
  drifts: fc.array(drift, { maxLength: 5 }),
  /** In the head-end. */
  unbound: fc.uniqueArray(fc.integer({ min: 0, max: METERS - 1 }), { maxLength: 3 }),
  turned: fc.uniqueArray(fc.integer({ min: 0, max: METERS - 1 }), { maxLength: 3 }),
  troubles: fc.array(trouble, { maxLength: 2 }),
  restartAfterMs: fc.option(fc.integer({ min: 5, max: 80 }), { freq: 4 }),
});

/** Waits for the end of the task, and restarts a failed one as an operator would. */
async function finished(taskId: string): Promise<void> {
  for (let tries = 0; tries < 8; tries++) {
    for (;;) {
      const [task] = await query<{ state: string; ended: boolean }>(
        'select state, finished_at is not null as ended from task where id = $1',
        [taskId],
      );
      if (task?.ended === true && task.state === 'finished') return;
      if (task?.ended === true) break;
      // The test skips the pause before the next attempt.
      const due = await query(
        "update task_item set not_before = now() where task_id = $1 and state = 'waiting' and not_before > now() returning id",
        [taskId],
      );
      if (due.length > 0) await query("select pg_notify('hes_task', '')");
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    await query(
      "update task_item set state = 'waiting', reason_code = null, attempts = 0, not_before = now(), finished_at = null where task_id = $1",
      [taskId],
    );
    await query("update task set state = 'waiting', finished_at = null, done = 0, ok = 0, failed = 0 where id = $1", [taskId]);
  }
  throw new Error('The task never finishes');
}

async function run(create: () => Promise<{ taskId: string }>, restartAfterMs: number | null): Promise<void> {
  const { taskId } = await create();
  if (restartAfterMs !== null) {
    // A random delay, so that the crash hits any point of the order.
    await new Promise((resolve) => setTimeout(resolve, restartAfterMs));
    await town.restart();
  }
  await finished(taskId);
}

describe('the repair of archives', () => {
  it('S-015 S-016: from any pair of lists, compare, plan and apply make both sides equal in spite of any fault', async () => {
    const [dcuId = ''] = town.dcuIds;
    const dcu = town.simulation.dcus[0];
    if (!dcu) throw new Error('There is no DCU');
    const meters = await query<{ id: string }>('select id from meter where dcu_id = $1 order by id', [dcuId]);
    await fc.assert(
      fc.asyncProperty(pair, async ({ drifts, unbound, turned, troubles, restartAfterMs }) => {
        for (const { kind, place } of drifts) driftArchive(kind, dcu.archive, place);
        for (const i of unbound) await query('update meter set dcu_id = null where id = $1', [meters[i]?.id]);
        for (const i of turned)
          await query("update meter set recorded_phase = case recorded_phase when 'a' then 'b' else 'a' end where id = $1", [
            meters[i]?.id,
          ]);
        expect(await town.order(dcuId, 'archive_compare')).toMatchObject({ state: 'read_success' });
        const plan = await makePlan(town.bench.ctx, who, { dcuId, removeSurplus: true });
        const before = dcu.archive.changes();
        for (const { kind, skip } of troubles) town.simulation.faults.add({ target: dcu.plan.sn, kind, skip, count: 1 });
        if (plan.steps.length > 0) await run(() => applyPlan(town.bench.ctx, who, plan.id), restartAfterMs);
        town.simulation.faults.clear();
        // A repeated run applies only the remaining changes.
        expect(dcu.archive.changes() - before).toBeLessThanOrEqual(plan.steps.length);
        expect(await town.order(dcuId, 'archive_compare')).toMatchObject({ state: 'read_success' });
        const rows = await query<{ sn: string; diff: string | null; bind: string; idx: number | null; result: string | null }>(
          'select sn, diff_kind as diff, bind_state as bind, idx, last_result as result from archive_record where dcu_id = $1',
          [dcuId],
        );
        expect(rows.filter((row) => row.diff !== (row.bind === 'bound' ? 'same' : null))).toEqual([]);
        expect(rows.filter((row) => row.result === 'unknown')).toEqual([]);
        const wanted = rows.filter((row) => row.bind === 'bound').map((row) => `${row.idx} ${row.sn}`);
        const stands = dcu.archive
          .entries()
          .map((entry) => `${entry.measurementPoint} ${Buffer.from(entry.serialNumber).toString('latin1')}`);
        expect(stands.toSorted()).toEqual(wanted.toSorted());
        const again = await makePlan(town.bench.ctx, who, { dcuId, removeSurplus: true });
        expect(again.steps).toEqual([]);
        for (const i of unbound) await query('update meter set dcu_id = $2 where id = $1', [meters[i]?.id, dcuId]);
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  }, 120_000);

  it('lets one of several operators bind a meter, and refuses the others because it is bound', async () => {
    const [dcuId = ''] = town.dcuIds;
    const { pool } = town.bench.database;
    const others = await query<{ id: string }>(
      `insert into dcu (sn, name, dcu_type_id, transformer_id) select 'RIVAL' || i, 'Rival', dcu_type_id, transformer_id from dcu, generate_series(1, 3) i where dcu.id = $1 returning id`,
      [dcuId],
    );
    const meters = await query<{ id: string }>('update meter set dcu_id = null where dcu_id = $1 returning id', [dcuId]);
    const meterIds = meters.slice(0, 5).map((meter) => meter.id);
    const orders = [dcuId, ...others.map((row) => row.id)]
      .flatMap((id) => [id, id])
      .map((id) => bindToDcu(town.bench.ctx, who, { dcuId: id, meterIds }));
    const outcomes = await Promise.allSettled(orders);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'ALREADY_BOUND' });
    const bound = await pool.query<{ meters: number; records: number }>(
      "select count(distinct meter_id)::int as meters, count(*)::int as records from archive_record where bind_state = 'bound' and meter_id = any($1)",
      [meterIds],
    );
    expect(bound.rows).toEqual([{ meters: 5, records: 5 }]);
  });
});
