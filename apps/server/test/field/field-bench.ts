import { systemClock } from '../../src/platform/clock.ts';
import { cloneDatabase, type TestDatabase } from '../database.ts';
import { loadSettings } from '../../src/db/settings.ts';
import { fieldFeatures } from '../../src/features/every-feature.ts';
import { startField, type Field, type FieldOptions } from '../../src/field/start-field.ts';
import { JobQueue } from '../../src/jobs/job-queue.ts';
import { createBus } from '../../src/platform/bus.ts';
import type { Context } from '../../src/db/context.ts';
import { sealKeys } from '../../src/platform/device-keys.ts';
import { createLog } from '../../src/platform/log.ts';
import { createSecrets } from '../../src/platform/secrets.ts';
import { SwitchLedger } from '../../src/platform/switch-ledger.ts';
import { Dispatcher } from '../../src/tasks/dispatcher.ts';
import { createTask, type NewTask } from '../../src/tasks/create-task.ts';
import { HURRY } from './hurry.ts';
import { TinyDcu, tinyMeter, type TinyMeter } from './tiny-dcu.ts';
import { sampleParams } from '../sample-params.ts';

export interface Bench {
  database: TestDatabase;
  ctx: Context;
  /** Starts a head-end on the database, in parallel with others or after a crash. */
  headEnd(options?: Partial<FieldOptions>): Promise<HeadEnd>;
  /** Registers a DCU and its meters; returns their ids. */
  register(sn: string, meters: number): Promise<{ dcuId: string; meters: TinyMeter[]; meterIds: string[] }>;
  close(): Promise<void>;
}

export interface HeadEnd {
  field: Field;
  dispatcher: Dispatcher;
  dial(sn: string, meters: TinyMeter[]): TinyDcu;
  /** Queues a task; `ended` resolves with the states and reasons of its items, in their order. */
  order(
    task: Partial<NewTask> & Pick<NewTask, 'kind' | 'items'>,
  ): Promise<{ id: string; ended: Promise<{ state: string; reason: string | null; attempts: number }[]> }>;
  stop(): Promise<void>;
}

/** A database with an empty archive, and head-ends that work on it. A given database is dropped by its owner. */
export async function fieldBench(given?: TestDatabase): Promise<Bench> {
  const database = given ?? (await cloneDatabase());
  const { pool, db } = database;
  const bus = createBus();
  const log = createLog('silent');
  const ctx: Context = {
    pool,
    db,
    bus,
    clock: { ...systemClock, now: () => Date.now() },
    log,
    jobs: new JobQueue({ pool, log }),
    settings: { ...(await loadSettings(db)), timeZone: 'Asia/Shanghai' },
    secrets: createSecrets(Buffer.alloc(32, 7)),
  };
  await pool.query(`
    update collect_plan set enabled = false;
    insert into supplier (code, name) values ('TINY', 'Tiny');
    insert into southbound_profile (key, name, device_kind, body) values ('tiny', 'Tiny', 'dcu', '{}');
    insert into network_level (name, code, type, path) values ('Tiny', 'TINY', 'company', '{1}');
    insert into transformer (code, name, level_id) select 'TINY', 'Tiny', id from network_level where code = 'TINY';
    insert into dcu_type (code, name, supplier_id, profile_id, heartbeat_s, allowed_addresses) select 'TINY', 'Tiny', s.id, p.id, 60, '{127.0.0.0/8}' from supplier s, southbound_profile p where s.code = 'TINY' and p.key = 'tiny';
    insert into meter_type (code, name, supplier_id, phase, profile_id) select 'TINY', 'Tiny', s.id, '1p2w', p.id from supplier s, southbound_profile p where s.code = 'TINY' and p.key = 'tiny'`);
  const started: HeadEnd[] = [];
  const dialled: TinyDcu[] = [];
  let number = 0;

  return {
    database,
    ctx,
    async headEnd(options = {}) {
      const field = await startField(ctx, {
        features: fieldFeatures({ switches: new SwitchLedger(undefined, Date.now()) }),
        dlmsPort: 0,
        host: '127.0.0.1',
        dialRules: { mayReachLocal: true, ownPorts: [], networks: [] },
        timeoutLimits: { longestMs: 300 },
        ...options,
      });
      const dispatcher = new Dispatcher(ctx, field, HURRY);
      await dispatcher.start();
      let stopped = false;
      const headEnd: HeadEnd = {
        field,
        dispatcher,
        dial(sn, meters) {
          const dcu = new TinyDcu(field.port, sn, meters);
          dialled.push(dcu);
          return dcu;
        },
        async order(task) {
          const { id } = await createTask(db, {
            source: 'user',
            title: task.kind,
            params: sampleParams(task.kind),
            priority: 3,
            createdBy: null,
            ...task,
          });
          return { id, ended: itemsWhenEnded(ctx, id) };
        },
        async stop() {
          if (stopped) return;
          stopped = true;
          await dispatcher.stop();
          await field.stop();
        },
      };
      started.push(headEnd);
      return headEnd;
    },
    async register(sn, count) {
      const dcu = await pool.query<{ id: string }>(
        `insert into dcu (sn, name, dcu_type_id, transformer_id) select $1, $1, t.id, tr.id from dcu_type t, transformer tr where t.code = 'TINY' and tr.code = 'TINY'
         on conflict (sn) do update set online_status = 'offline' returning id`,
        [sn],
      );
      const dcuId = dcu.rows[0]?.id ?? '';
      const meters = Array.from({ length: count }, () => tinyMeter(`TINY${String(++number).padStart(6, '0')}`, number, () => Date.now()));
      const meterIds: string[] = [];
      for (const meter of meters) {
        const { ekSecret, akSecret } = sealKeys(ctx.secrets, 'meter', meter.sn, meter.keys);
        const row = await pool.query<{ id: string }>(
          `insert into meter (sn, meter_type_id, communication_mode, inventory_state, transformer_id, dcu_id, system_title, ek_secret, ak_secret)
           select $1, t.id, 'plc', 'active', tr.id, $2, $3, $4, $5 from meter_type t, transformer tr where t.code = 'TINY' and tr.code = 'TINY' returning id`,
          [meter.sn, dcuId, Buffer.from(meter.systemTitle), ekSecret, akSecret],
        );
        meterIds.push(row.rows[0]?.id ?? '');
      }
      return { dcuId, meters, meterIds };
    },
    async close() {
      for (const dcu of dialled) dcu.close();
      for (const headEnd of started) await headEnd.stop();
      if (given === undefined) await database.drop();
    },
  };
}

async function itemsWhenEnded(ctx: Context, taskId: string): Promise<{ state: string; reason: string | null; attempts: number }[]> {
  await new Promise<void>((resolve) => {
    const look = async () => {
      const found = await ctx.pool.query<{ ended: boolean }>('select finished_at is not null as ended from task where id = $1', [taskId]);
      if (found.rows[0]?.ended !== true) return;
      unsubscribe();
      unfollow();
      resolve();
    };
    const unfollow = ctx.bus.follow(`task:${taskId}`);
    const unsubscribe = ctx.bus.subscribe(({ topic }) => {
      if (topic === `task:${taskId}`) void look();
    });
    void look();
  });
  const items = await ctx.pool.query<{ state: string; reason: string | null; attempts: number }>(
    'select state, reason_code as reason, attempts from task_item_device where task_id = $1 order by id',
    [taskId],
  );
  return items.rows;
}
