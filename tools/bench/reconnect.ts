import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { startSimulation, type Simulation } from '@hes/simulator/simulation.ts';
import { commissioningFile } from '../../apps/server/src/db/seed/commissioning.ts';
import { importCommissioning } from '../../apps/server/src/db/seed/import-commissioning.ts';
import { openDb } from '../../apps/server/src/db/pool.ts';
import { systemClock } from '../../apps/server/src/platform/clock.ts';
import { createSecrets } from '../../apps/server/src/platform/secrets.ts';
import { newDataDir, removeDataDir } from '../../e2e/support/head-end.ts';
import { BENCH_PASSWORD } from './bench-database.ts';
import { BENCH_MASTER_KEY } from './bench-users.ts';
import { startHeadEnd } from './head-end-process.ts';
import { openScratchDatabase, type ScratchDatabase } from './scratch-database.ts';

const DCUS = 1_000;
const ROUNDS = 4;
const POLL_MS = 20;
const TICKS_PER_SECOND = 100;

/** Processor time of a process in seconds, to a hundredth. */
function cpuS(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/**
 * Closes the connections of all DCUs at once; returns the seconds until all are connected again, and the processor time of
 * the head-end.
 */
async function outage({ pool }: ScratchDatabase, simulation: Simulation, pid: number) {
  const { rows } = await pool.query<{ last: string }>('select coalesce(max(id), 0) as last from dcu_session');
  const last = rows[0]?.last;
  const begun = { at: performance.now(), cpuS: cpuS(pid) };
  for (const dcu of simulation.dcus) dcu.disconnect();
  const back = 'select count(distinct dcu_id)::int as n from dcu_session where id > $1 and closed_at is null and dcu_id is not null';
  while (((await pool.query<{ n: number }>(back, [last])).rows[0]?.n ?? 0) < DCUS) await wait(POLL_MS);
  return { seconds: (performance.now() - begun.at) / 1000, cpuS: cpuS(pid) - begun.cpuS };
}

/** Cost of authentication by keys when a fleet reconnects at once, against the same fleet admitted by its address. */
export async function reconnectBench() {
  const database = await openScratchDatabase();
  const dataDir = newDataDir('hes-reconnect-');
  const headEnd = await startHeadEnd({
    DATABASE_URL: database.url,
    HES_DATA_DIR: dataDir,
    HES_ADMIN_PASSWORD: BENCH_PASSWORD,
    HES_MASTER_KEY: BENCH_MASTER_KEY,
  });
  const target = { host: '127.0.0.1', port: headEnd.dlmsPort };
  const simulation = await startSimulation({ scale: { dcus: DCUS, metersPerDcu: 1 }, channel: 'fast', headEnd: target });
  try {
    const { pool } = database;
    await pool.query('update collect_plan set enabled = false');
    const tools = { db: openDb(pool), secrets: createSecrets(Buffer.from(BENCH_MASTER_KEY, 'hex')), clock: systemClock };
    await importCommissioning(tools, commissioningFile.parse(simulation.commissioning));
    await pool.query("update dcu_type set allowed_addresses = '{127.0.0.0/8}'");
    const taken = { keys: { seconds: 0, cpuS: 0 }, address: { seconds: 0, cpuS: 0 } };
    await outage(database, simulation, headEnd.pid);
    for (let round = 0; round < ROUNDS; round++)
      for (const way of ['keys', 'address'] as const) {
        await pool.query('update dcu set authentication_type = $1', [way === 'keys' ? 'hls_gmac' : 'none']);
        const { seconds, cpuS: used } = await outage(database, simulation, headEnd.pid);
        taken[way].seconds += seconds / ROUNDS;
        taken[way].cpuS += used / ROUNDS;
      }
    const { keys, address } = taken;
    return {
      ratio: address.seconds / keys.seconds,
      cpuRatio: address.cpuS / keys.cpuS,
      secondsByKeys: keys.seconds,
      secondsByAddress: address.seconds,
      cpuMsByKeys: (keys.cpuS * 1000) / DCUS,
      cpuMsByAddress: (address.cpuS * 1000) / DCUS,
      dcus: DCUS,
      rounds: ROUNDS,
    };
  } finally {
    await simulation.stop();
    await headEnd.stop();
    await database.stop();
    removeDataDir(dataDir);
  }
}
