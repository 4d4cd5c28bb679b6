import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startSimulation, type Simulation } from '@hes/simulator/simulation.ts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { dump } from '../../../../tools/chaos/dump.ts';
import { historyIn, readHistory } from '../../../../tools/chaos/history.ts';
import { judge } from '../../../../tools/chaos/judge.ts';
import { commissioningFile } from '../../src/db/seed/commissioning.ts';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import { fieldFeatures } from '../../src/features/every-feature.ts';
import { startField, type Field } from '../../src/field/start-field.ts';
import { createLog } from '../../src/platform/log.ts';
import { SwitchLedger } from '../../src/platform/switch-ledger.ts';
import { Dispatcher } from '../../src/tasks/dispatcher.ts';
import { createTask } from '../../src/tasks/create-task.ts';
import { retryTask } from '../../src/tasks/store.ts';
import { removeScratch, scratchFolder } from '../scratch.ts';
import { testApp, type TestApp } from '../test-app.ts';
import { HURRY } from './hurry.ts';

const SEED = 5;
const DAY_MS = 86_400_000;
const folder = scratchFolder('hes-word-');
const file = join(folder, 'history.jsonl');
const oracleFile = join(folder, 'oracle.jsonl');

let app: TestApp;
let field: Field;
let dispatcher: Dispatcher;
let simulation: Simulation;
beforeAll(async () => {
  app = await testApp();
  app.ctx.log = createLog('silent');
  app.ctx.settings = { ...app.ctx.settings, timeZone: 'Asia/Shanghai' };
  await app.ctx.pool.query('update collect_plan set enabled = false');
  field = await startField(app.ctx, {
    features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
    dlmsPort: 0,
    host: '127.0.0.1',
    dialRules: { mayReachLocal: true, ownPorts: [], networks: [] },
    timeoutLimits: { longestMs: 300 },
  });
  const scale = { dcus: 2, metersPerDcu: 4 };
  simulation = await startSimulation({ seed: SEED, scale, channel: 'fast', headEnd: { host: '127.0.0.1', port: field.port }, oracleFile });
  await importCommissioning(app.ctx, commissioningFile.parse(simulation.commissioning));
  dispatcher = new Dispatcher(app.ctx, field, HURRY);
  await dispatcher.start();
});
afterAll(async () => {
  await dispatcher.stop();
  await simulation.stop();
  await field.stop();
  await app.close();
  removeScratch(folder);
});

test('the guarantees hold with broken connections, lying meters and a crashed worker; `npm run chaos` is the long form', async () => {
  const { pool, db } = app.ctx;
  const tell = historyIn(file);
  tell({ t: 'begin', seed: SEED, scale: '2x4', at: Date.now() });
  const [line] = simulation.dcus;
  const [first, second, third, fourth] = simulation.world.plan.meters;
  const fault = (target: string | undefined, kind: 'torn' | 'bit_flip' | 'replay' | 'drop' | 'counter_ahead') =>
    simulation.faults.add({ target: target ?? '', kind, count: 1, skip: 3 });
  fault(line?.plan.sn, 'torn');
  fault(first?.sn, 'bit_flip');
  fault(second?.sn, 'replay');
  fault(third?.sn, 'drop');
  fault(fourth?.sn, 'counter_ahead');
  const day = new Date(Date.now() - 3 * DAY_MS).toISOString().slice(0, 10);
  const meters = await pool.query<{ id: string; sn: string; dcuId: string }>('select id, sn, dcu_id as "dcuId" from meter order by sn');
  const items = meters.rows.map(({ id, dcuId }) => ({ deviceKind: 'meter' as const, dcuId, meterId: id }));
  const order = {
    kind: 'lpa' as const,
    source: 'system' as const,
    title: 'lpa',
    params: { from: day, to: day },
    priority: 3,
    createdBy: null,
    items,
  };
  const { id } = await createTask(db, order);
  await vi.waitFor(
    async () => expect((await pool.query("select from task_item where state = 'read_success'")).rowCount).toBeGreaterThan(0),
    { timeout: 20_000, interval: 20 },
  );
  const dying = dispatcher;
  dispatcher = new Dispatcher(app.ctx, field, HURRY);
  await dying.stop();
  await dispatcher.start();
  await vi.waitFor(
    async () => {
      await retryTask(db, id);
      const ended = await pool.query("select from task_item where task_id = $1 and state = 'read_success'", [id]);
      expect(ended.rowCount).toBe(items.length);
    },
    { timeout: 20_000, interval: 50 },
  );
  for (const { sn } of meters.rows) tell({ t: 'acked', sn, profile: 'lpa', day, rows: 96 });
  appendFileSync(file, readFileSync(oracleFile));
  await dump(pool, tell);
  const { violations, judged } = await judge(readHistory(file));
  expect(violations).toEqual([]);
  expect(judged).toMatchObject({ captures: 8 * 96, acknowledgements: 8 });
  expect(judged.counters).toBeGreaterThan(8 * 4);
});
