import type { TaskKind } from '@hes/contract/orders/every-order.ts';
import { setTimeout } from 'node:timers/promises';
import { type Simulation, startSimulation } from '@hes/simulator/simulation.ts';
import { commissioningFile } from '../../src/db/seed/commissioning.ts';
import { importCommissioning } from '../../src/db/seed/import-commissioning.ts';
import { fieldBench, type Bench, type HeadEnd } from './field-bench.ts';

/** Interval between two checks for unfinished tasks. */
const CHUNK_MS = 20;

export interface ArchiveBench {
  bench: Bench;
  headEnd: HeadEnd;
  simulation: Simulation;
  /** Ids of the simulated DCUs in the head-end, in their order. */
  dcuIds: string[];
  /** Places an archive order for a DCU and waits until it ends. */
  order(
    dcuId: string,
    kind: TaskKind,
    params?: Record<string, unknown>,
  ): Promise<{ state: string; reason: string | null; attempts: number }>;
  query<T extends object>(text: string, values?: unknown[]): Promise<T[]>;
  /** Resolves when no task is unfinished. */
  allEnded(): Promise<void>;
  /** Kills the head-end during its work and starts it again. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A head-end with a small simulated fleet whose DCUs have dialled in. */
export async function archiveBench(scale: { dcus: number; metersPerDcu: number }): Promise<ArchiveBench> {
  const bench = await fieldBench();
  let headEnd = await bench.headEnd();
  const { port } = headEnd.field;
  const simulation = await startSimulation({ scale, headEnd: { host: '127.0.0.1', port }, channel: 'fast', heartbeatSeconds: 60 });
  await importCommissioning(bench.ctx, commissioningFile.parse(simulation.commissioning));
  const rows = await bench.database.pool.query<{ id: string }>("select id from dcu where sn like 'DCU27%' order by sn");
  const dcuIds = rows.rows.map((row) => row.id);
  const query = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
    (await bench.database.pool.query<T>(text, values)).rows;
  return {
    bench,
    get headEnd() {
      return headEnd;
    },
    simulation,
    dcuIds,
    async order(dcuId, kind, params = {}) {
      // With the priority of a plan, because orders of operators fail at once while the DCU reconnects.
      const { ended } = await headEnd.order({ kind, source: 'plan', params, items: [{ deviceKind: 'dcu', dcuId, meterId: null }] });
      const [item] = await ended;
      if (item === undefined) throw new Error('The order has no item');
      return item;
    },
    query,
    async allEnded() {
      for (;;) {
        const [left] = await query<{ n: number }>('select count(*)::int as n from task where finished_at is null');
        if (left?.n === 0) return;
        await setTimeout(CHUNK_MS);
      }
    },
    async restart() {
      await headEnd.stop();
      headEnd = await bench.headEnd({ dlmsPort: port });
    },
    async close() {
      await simulation.stop();
      await bench.close();
    },
  };
}
