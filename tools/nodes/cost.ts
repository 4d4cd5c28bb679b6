import { dayText, localDay } from '../../apps/simulator/src/world/calendar.ts';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { endOf, orderAll } from './orders.ts';
import { processorSeconds, processorSecondsOfTree } from './processor.ts';
import { allSpread, type Verdict } from './proof.ts';

/** Rounds that warm new processes up, and rounds that are measured, in each block. */
const WARM_UP = 2;
const ROUNDS = 3;
const READ_WITHIN_MS = 300_000;
/** Largest cost of a meter with several nodes, in relation to that with one. */
const MOST_OVERHEAD = 1.05;

/** What a meter costs in the mean of a block. */
interface Cost {
  processorMs: number;
  logOctets: number;
  commits: number;
}

interface Counters {
  processorS: number;
  logOctets: number;
  commits: number;
}

async function countersOf(cluster: Cluster, running: readonly NodeProcess[]): Promise<Counters> {
  const [found] = await cluster.rows<{ logOctets: number; commits: number }>(
    `select wal_bytes::float8 as "logOctets", (select sum(xact_commit)::float8 from pg_stat_database) as commits from pg_stat_wal`,
  );
  const ofNodes = running.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : processorSeconds(pid)), 0);
  return {
    processorS: ofNodes + processorSecondsOfTree(await cluster.postmasterPid()),
    logOctets: found?.logOctets ?? 0,
    commits: found?.commits ?? 0,
  };
}

/** Runs this number of nodes and no more. */
async function runNodes(cluster: Cluster, count: number): Promise<NodeProcess[]> {
  const [running, others] = [cluster.nodes.slice(0, count), cluster.nodes.slice(count)];
  for (const node of others) await node.end('SIGTERM');
  for (const node of running) if (!node.isRunning) await node.start();
  await allSpread(cluster);
  return running;
}

/** Reads the load profile of a day that was not read before from every meter, and returns their number. */
async function readAll(cluster: Cluster, from: NodeProcess, daysBack: number): Promise<number> {
  const day = dayText(localDay(Date.now()) - daysBack);
  const outcomes = await endOf(cluster, await orderAll(cluster, from, { kind: 'lpa', store: true, from: day, to: day }), READ_WITHIN_MS);
  const read = outcomes['read_success'] ?? 0;
  if (Object.keys(outcomes).length !== 1) throw new Error(`Not every meter was read: ${JSON.stringify(outcomes)}`);
  return read;
}

/** `daysBack`: the day that the first round reads; each further one reads the day before. */
async function costOf(cluster: Cluster, count: number, daysBack: number): Promise<Cost> {
  const running = await runNodes(cluster, count);
  const [first] = running as [NodeProcess]; // as: at least one runs
  for (let round = 0; round < WARM_UP; round++) await readAll(cluster, first, daysBack + round);
  const before = await countersOf(cluster, running);
  let meters = 0;
  for (let round = 0; round < ROUNDS; round++) meters += await readAll(cluster, first, daysBack + WARM_UP + round);
  const after = await countersOf(cluster, running);
  return {
    processorMs: (1000 * (after.processorS - before.processorS)) / meters,
    logOctets: (after.logOctets - before.logOctets) / meters,
    commits: (after.commits - before.commits) / meters,
  };
}

const mean = (costs: readonly Cost[], of: keyof Cost): number => costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length;

/** T10: the processor time that a meter costs with all nodes, in relation to that with one. Blocks alternate: one, all, all, one. */
export async function compareCost(cluster: Cluster, seed: number): Promise<Verdict> {
  const all = cluster.nodes.length;
  const counts = [1, all, all, 1];
  const blocks: { count: number; cost: Cost }[] = [];
  for (const [index, count] of counts.entries()) {
    const block = (seed - 1) * counts.length + index;
    blocks.push({ count, cost: await costOf(cluster, count, 2 + block * (WARM_UP + ROUNDS)) });
  }
  await runNodes(cluster, all);
  const held = await cluster.heldBy();
  const of = (count: number) => blocks.filter((block) => block.count === count).map(({ cost }) => cost);
  const ratioOf = (name: keyof Cost): number => Number((mean(of(all), name) / mean(of(1), name)).toFixed(3));
  const ratio = ratioOf('processorMs');
  return {
    passed: ratio <= MOST_OVERHEAD,
    counts: {
      ratio,
      logRatio: ratioOf('logOctets'),
      commitRatio: ratioOf('commits'),
      // How even the work was: three nodes of which one holds all devices would cost no more.
      held,
      processorMsPerMeter: blocks.map(({ count, cost }) => `${count}: ${cost.processorMs.toFixed(2)}`),
    },
  };
}
