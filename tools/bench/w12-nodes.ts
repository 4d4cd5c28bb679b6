import type { ChildProcess } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { createTask } from '../../apps/server/src/tasks/create-task.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { newDataDir, removeDataDir } from '../../e2e/support/head-end.ts';
import { BENCH_PASSWORD } from './bench-database.ts';
import { BENCH_MASTER_KEY } from './bench-users.ts';
import { fillArchive, fillLastRow } from './fleet-archive.ts';
import type { Air } from './fleet.ts';
import { startHeadEnd, type HeadEndProcess } from './head-end-process.ts';
import { ask, startResponder } from './responder-process.ts';
import { openScratchDatabase, type ScratchDatabase } from './scratch-database.ts';

/** Head-ends in each run. All of them together use less than a core, so that the channels bind and not the processor. */
const NODES = [1, 2, 4] as const;
const MOST_NODES = Math.max(...NODES);
const DCUS_PER_NODE = 40;
const DCUS = MOST_NODES * DCUS_PER_NODE;
/** Each run collects other meters, because a meter with a stored day has nothing more to read. */
const METERS_PER_DCU_AND_RUN = 25;
/** The narrow channel of W5, without frame loss: chance would decide the last seconds of a run. */
const AIR: Air = { bitsPerSecond: 100_000, roundTripMs: 50, lost: 0, deadEvery: 0 };
/** Each head-end needs some thirty connections. */
const CONNECTIONS = '200';
const POLL_MS = 100;
const LIMIT_MS = 5 * 60_000;
const DAY_MS = 86_400_000;

/** Meters are distributed over the DCUs in rotation, so that each run has a contiguous range of them. */
const metersOfRun = (run: number, nodes: number) => ({ skipped: run * METERS_PER_DCU_AND_RUN, dcus: nodes * DCUS_PER_NODE });

async function startNodes(database: ScratchDatabase, folders: readonly string[]): Promise<HeadEndProcess[]> {
  const nodes: HeadEndProcess[] = [];
  for (const [index, folder] of folders.entries())
    nodes.push(
      await startHeadEnd({
        DATABASE_URL: database.url,
        HES_DATA_DIR: folder,
        HES_NODE_NAME: `bench-${index + 1}`,
        HES_ADMIN_PASSWORD: BENCH_PASSWORD,
        HES_MASTER_KEY: BENCH_MASTER_KEY,
      }),
    );
  return nodes;
}

/** Collects the meters of a run; returns the number of meters per second from the order to the last result. */
async function collect({ pool, db }: ScratchDatabase, run: number, nodes: number): Promise<number> {
  const { skipped, dcus } = metersOfRun(run, nodes);
  const { rows: meters } = await pool.query<{ id: string; dcu_id: string }>(
    `select id, dcu_id from (
       select m.id, m.dcu_id, row_number() over (partition by m.dcu_id order by m.id) as place, dense_rank() over (order by m.dcu_id) as dcu from meter m
     ) as each where place > $1 and place <= $1 + ${METERS_PER_DCU_AND_RUN} and dcu <= $2`,
    [skipped, dcus],
  );
  const begun = performance.now();
  const { id } = await db.transaction().execute((tx) =>
    createTask(tx, {
      kind: 'collect',
      source: 'plan',
      title: `W12, ${nodes}`,
      params: { profiles: ['lpa'], lookBackDays: 2 },
      priority: 5,
      createdBy: null,
      items: meters.map((row) => ({ deviceKind: 'meter' as const, dcuId: row.dcu_id, meterId: row.id })),
    }),
  );
  while (performance.now() - begun < LIMIT_MS) {
    const { rows } = await pool.query<{ state: string; failed: number }>('select state, failed from task where id = $1', [id]);
    const [task] = rows;
    if (task !== undefined && task.failed > 0) throw new Error(`${task.failed} of ${meters.length} meters failed`);
    if (task?.state === 'finished') return meters.length / ((performance.now() - begun) / 1000);
    await wait(POLL_MS);
  }
  throw new Error(`The meters were not collected within ${LIMIT_MS / 60_000} min`);
}

/** Lets the DCUs of each node dial it, and waits until all are online. */
async function dialAll({ pool }: ScratchDatabase, responder: ChildProcess, nodes: readonly HeadEndProcess[]): Promise<void> {
  for (const [index, node] of nodes.entries())
    await ask(responder, { dial: node.dlmsPort, dcus: DCUS_PER_NODE, first: 1 + index * DCUS_PER_NODE });
  const online = "select count(*)::int as n from endpoint where online_status = 'online'";
  while (((await pool.query<{ n: number }>(online)).rows[0]?.n ?? 0) < nodes.length * DCUS_PER_NODE) await wait(POLL_MS);
  await ask(responder, { air: AIR });
}

/**
 * W12: the same number of DCUs for each head-end, on one database. While the channels bind, two and four head-ends collect twice and four
 * times what one does; what is lost to the database, the bus and each other shows as a ratio below 1.
 */
export async function w12() {
  const database = await openScratchDatabase({ max_connections: CONNECTIONS });
  const responder = startResponder();
  const folders = Array.from({ length: MOST_NODES }, () => newDataDir('hes-w12-'));
  const meters = DCUS * METERS_PER_DCU_AND_RUN * NODES.length;
  const day = Math.floor(Date.now() / DAY_MS) - 1;
  const perSecond: Record<number, number> = {};
  try {
    await ask(responder, { meters, day });
    await fillArchive(database.pool, createSecrets(Buffer.from(BENCH_MASTER_KEY, 'hex')), { dcus: DCUS, meters });
    await fillLastRow(database.pool, { meters, day });
    for (const [run, count] of NODES.entries()) {
      const nodes = await startNodes(database, folders.slice(0, count));
      try {
        await database.pool.query('update collect_plan set enabled = false');
        await dialAll(database, responder, nodes);
        perSecond[count] = await collect(database, run, count);
      } finally {
        await ask(responder, { hangUp: true });
        await Promise.all(nodes.map((node) => node.stop()));
      }
    }
  } finally {
    responder.disconnect();
    await database.stop();
    for (const folder of folders) removeDataDir(folder);
  }
  const [one, two, four] = NODES.map((count) => perSecond[count] ?? Number.NaN) as [number, number, number]; // as: NODES has three
  return { ratio: four / (4 * one), ratioOfTwo: two / (2 * one), metersPerSecond: perSecond, dcusPerNode: DCUS_PER_NODE, meters };
}
