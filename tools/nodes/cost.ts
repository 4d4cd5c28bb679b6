import { cpus } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { dayText, localDay } from '../../apps/simulator/src/world/calendar.ts';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { endOf, orderAll } from './orders.ts';
import { processorSeconds, processorSecondsOfTree } from './processor.ts';
import { allSpread, type Verdict } from './proof.ts';

/** One profile and day is read in a round. Each is read once, because a row that is stored already costs less. */
const KINDS = ['lpa', 'lpb', 'energy'] as const;
/** Rounds that warm a new process up: it compiles while it reads its first thousands of meters. Nodes that share the work need more rounds. */
const WARM_UP = 2 * KINDS.length;
/** Rounds that are measured in each block, so many of each profile. */
const ROUNDS = 3 * KINDS.length;
const FIRST_DAY_BACK = 2;
/** Span without orders that tells what nodes cost without work. */
const IDLE_MS = 15_000;
const READ_WITHIN_MS = 300_000;
/** Largest cost of a meter with several nodes, in relation to that with one. */
const MOST_OVERHEAD = 1.05;
/** Blocks of the same number of nodes that differ by more measure the machine and not the nodes. */
const MOST_DIFFERENCE = 1.1;

interface Counters {
  atMs: number;
  nodesS: number;
  databaseS: number;
  /** Of all processes of the machine. */
  machineS: number;
  logOctets: number;
  commits: number;
}

async function countersOf(cluster: Cluster, running: readonly NodeProcess[]): Promise<Counters> {
  const [found] = await cluster.rows<{ logOctets: number; commits: number }>(
    `select wal_bytes::float8 as "logOctets", (select sum(xact_commit)::float8 from pg_stat_database) as commits from pg_stat_wal`,
  );
  return {
    atMs: performance.now(),
    nodesS: running.reduce((sum, { pid }) => sum + (pid === undefined ? 0 : processorSeconds(pid)), 0),
    databaseS: processorSecondsOfTree(await cluster.postmasterPid()),
    machineS: cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000,
    logOctets: found?.logOctets ?? 0,
    commits: found?.commits ?? 0,
  };
}

/** What a meter costs in the mean of a block. */
interface Block {
  count: number;
  /** Processor time of the nodes, without what they take when nothing is ordered. */
  workMs: number;
  /** With it. */
  processorMs: number;
  databaseMs: number;
  logOctets: number;
  commits: number;
  /** Share of the processors that other processes took: fleet, proof, and programs beside it. */
  othersShare: number;
}

function blockOf(count: number, meters: number, [before, after, idle]: readonly [Counters, Counters, Counters]): Block {
  const [spanMs, idleMs] = [after.atMs - before.atMs, idle.atMs - after.atMs];
  const nodesMs = 1000 * (after.nodesS - before.nodesS);
  const withoutWorkMs = (1000 * (idle.nodesS - after.nodesS) * spanMs) / idleMs;
  const databaseMs = 1000 * (after.databaseS - before.databaseS);
  const machineMs = 1000 * (after.machineS - before.machineS);
  return {
    count,
    workMs: (nodesMs - withoutWorkMs) / meters,
    processorMs: nodesMs / meters,
    databaseMs: databaseMs / meters,
    logOctets: (after.logOctets - before.logOctets) / meters,
    commits: (after.commits - before.commits) / meters,
    othersShare: (machineMs - nodesMs - databaseMs) / (spanMs * cpus().length),
  };
}

/** Starts this number of nodes and no more, each as a new process: one that has worked for longer is faster. */
async function runNodes(cluster: Cluster, count: number): Promise<NodeProcess[]> {
  const running = cluster.nodes.slice(0, count);
  await Promise.all(cluster.nodes.map((node) => node.end('SIGTERM')));
  await Promise.all(running.map((node) => node.start()));
  await allSpread(cluster);
  return running;
}

/** Reads a profile of one day from every meter, and returns their number. */
async function readAll(cluster: Cluster, from: NodeProcess, round: number): Promise<number> {
  const day = dayText(localDay(Date.now()) - FIRST_DAY_BACK - Math.floor(round / KINDS.length));
  const order = { kind: KINDS[round % KINDS.length], store: true, from: day, to: day };
  const outcomes = await endOf(cluster, await orderAll(cluster, from, order), READ_WITHIN_MS);
  if (Object.keys(outcomes).length !== 1) throw new Error(`Not every meter was read: ${JSON.stringify(outcomes)}`);
  return outcomes['read_success'] ?? 0;
}

const warmUpOf = (count: number): number => WARM_UP * count;

async function measure(cluster: Cluster, count: number, firstRound: number): Promise<Block> {
  const running = await runNodes(cluster, count);
  const [first] = running as [NodeProcess]; // as: at least one runs
  const measured = firstRound + warmUpOf(count);
  for (let round = firstRound; round < measured; round++) await readAll(cluster, first, round);
  const before = await countersOf(cluster, running);
  let meters = 0;
  for (let round = measured; round < measured + ROUNDS; round++) meters += await readAll(cluster, first, round);
  const after = await countersOf(cluster, running);
  await wait(IDLE_MS);
  return blockOf(count, meters, [before, after, await countersOf(cluster, running)]);
}

const mean = (blocks: readonly Block[], of: keyof Block): number => blocks.reduce((sum, block) => sum + block[of], 0) / blocks.length;

/** The largest relation between blocks of the same number of nodes. */
const differenceOf = (groups: readonly (readonly Block[])[]): number =>
  Math.max(...groups.map((group) => Math.max(...group.map(({ workMs }) => workMs)) / Math.min(...group.map(({ workMs }) => workMs))));

/** T10: the processor time that a meter costs with all nodes, in relation to that with one. Blocks alternate: one, all, all, one. */
export async function compareCost(cluster: Cluster, seed: number): Promise<Verdict> {
  const all = cluster.nodes.length;
  const counts = [1, all, all, 1];
  const roundsOf = (some: readonly number[]): number => some.reduce((sum, count) => sum + warmUpOf(count) + ROUNDS, 0);
  const blocks: Block[] = [];
  for (const [index, count] of counts.entries())
    blocks.push(await measure(cluster, count, (seed - 1) * roundsOf(counts) + roundsOf(counts.slice(0, index))));
  await runNodes(cluster, all);
  const [ones, several] = [1, all].map((count) => blocks.filter((block) => block.count === count)) as [Block[], Block[]]; // as: two
  const ratioOf = (name: keyof Block): number => Number((mean(several, name) / mean(ones, name)).toFixed(3));
  const difference = differenceOf([ones, several]);
  const result = {
    ratio: ratioOf('workMs'),
    ratioWithIdle: ratioOf('processorMs'),
    databaseRatio: ratioOf('databaseMs'),
    logRatio: ratioOf('logOctets'),
    commitRatio: ratioOf('commits'),
    // How even the work was: three nodes of which one holds all devices would cost no more.
    held: await cluster.heldBy(),
    blocks: blocks.map(
      ({ count, workMs, processorMs, othersShare }) =>
        `${count}: ${workMs.toFixed(2)} ms, with idle ${processorMs.toFixed(2)} ms, others ${(100 * othersShare).toFixed(0)} %`,
    ),
  };
  if (difference > MOST_DIFFERENCE) {
    const excess = (100 * (difference - 1)).toFixed(0);
    return { skipped: `the machine is too busy: equal blocks differ by ${excess} %, more than 10 %; ${JSON.stringify(result)}` };
  }
  return { passed: result.ratio <= MOST_OVERHEAD, counts: result };
}
