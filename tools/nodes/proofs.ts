import { setTimeout as wait } from 'node:timers/promises';
import { dayText, localDay } from '../../apps/simulator/src/world/calendar.ts';
import { Random } from '../fuzz/random.ts';
import { showEvents, tellChanges } from './changes.ts';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { compareCost } from './cost.ts';
import { noteRead } from './judged.ts';
import { endOf, onlySuccess, orderAll, orderSome, outcomesOf, untilShare } from './orders.ts';
import { cutOff } from './cut-off.ts';
import { allConnect } from './connected.ts';
import { allHeld, allSpread, OWNED_WITHIN_MS, ownerOf, type Proof, type Verdict } from './proof.ts';
import { switchWhileKilled } from './switches.ts';
import { mixVersions } from './versions.ts';

const ENDED_WITHIN_MS = 240_000;
/** Each repetition of T1 reads a day that no other proof reads. Load profiles of the simulated meters go 60 days back. */
const FIRST_DAY_BACK = 25;
const OPERATORS = 4;
const BETWEEN_ORDERS_MS = 500;
const DIAL_FOR_MS = 60_000;
/** Nodes compare themselves once a minute. */
const EVEN_WITHIN_MS = 150_000;
/** Largest node in relation to the mean, for connections that a balancer distributes. */
const MOST_UNEVEN = 1.15;
/** A head-end lets devices go when it holds ten more than the mean of three: smaller fleets stay as they are. */
const LEAST_EVENED = 60;

const openLeases = async (cluster: Cluster, owner: string): Promise<number> =>
  (
    await cluster.rows<{ count: number }>("select count(*)::int as count from task_item where lease_owner = $1 and state = 'reading'", [
      owner,
    ])
  )[0]?.count ?? 0;

/** T1: a node is killed while the whole fleet is read. */
async function killNode(cluster: Cluster, seed: number): Promise<Verdict> {
  await allSpread(cluster);
  const victim = cluster.nodes[seed % cluster.nodes.length] as NodeProcess; // as: the remainder is below the number of nodes
  const other = cluster.nodes[(seed + 1) % cluster.nodes.length] as NodeProcess; // as: above
  const held = (await cluster.heldBy())[victim.name] ?? 0;
  const day = dayText(localDay(Date.now()) - FIRST_DAY_BACK - seed);
  const tasks = await orderAll(cluster, other, { kind: 'lpa', store: true, from: day, to: day });
  await untilShare(cluster, tasks, 0.1, ENDED_WITHIN_MS);
  const [owner, before] = [await ownerOf(cluster, victim), await outcomesOf(cluster, tasks)];
  await victim.end('SIGKILL');
  const ownedAfterMs = await cluster.until(OWNED_WITHIN_MS * 2, async () => (await cluster.unheld()) === 0);
  // Another node declares it dead and releases its work, also where no device is left to show it.
  const freedAfterMs = await cluster.until(OWNED_WITHIN_MS, async () => (await openLeases(cluster, owner)) === 0);
  const outcomes = await endOf(cluster, tasks, ENDED_WITHIN_MS);
  await noteRead(cluster, tasks, { profile: 'lpa', day });
  await victim.start();
  const isOwned = ownedAfterMs !== undefined && ownedAfterMs <= OWNED_WITHIN_MS;
  const passed = isOwned && held > 0 && freedAfterMs !== undefined && onlySuccess(outcomes);
  return { passed, counts: { held, before, ownedAfterMs, freedAfterMs, outcomes } };
}

/** T2: each node is restarted in turn while operators order. */
async function rollingRestart(cluster: Cluster, seed: number): Promise<Verdict> {
  await allSpread(cluster);
  const tasks: string[] = [];
  let isOver = false;
  const operate = async (index: number): Promise<void> => {
    const random = new Random(seed * OPERATORS + index + 1);
    while (!isOver) {
      tasks.push(await orderSome(cluster, random.pick(cluster.nodes), random));
      await wait(BETWEEN_ORDERS_MS);
    }
  };
  const operators = Array.from({ length: OPERATORS }, (_, index) => operate(index));
  for (const node of cluster.nodes) {
    await node.end('SIGTERM');
    await node.start();
  }
  isOver = true;
  await Promise.all(operators);
  const outcomes = await endOf(cluster, tasks, ENDED_WITHIN_MS);
  return { passed: tasks.length > 0 && onlySuccess(outcomes), counts: { orders: tasks.length, outcomes } };
}

/** T6, without a standby: the database crashes while the fleet is read. */
async function killDatabase(cluster: Cluster, seed: number): Promise<Verdict> {
  await allSpread(cluster);
  const tasks = await orderAll(cluster, cluster.nodes[seed % cluster.nodes.length] as NodeProcess); // as: the remainder is below the number of nodes
  await untilShare(cluster, tasks, 0.1, ENDED_WITHIN_MS);
  const [begin] = await cluster.rows<{ id: string }>('select coalesce(max(id), 0) as id from dcu_session');
  await cluster.killDatabase();
  const readyAfterMs = await cluster.until(OWNED_WITHIN_MS * 2, async () =>
    (await Promise.all(cluster.nodes.map((node) => node.isReady()))).every(Boolean),
  );
  const outcomes = await endOf(cluster, tasks, ENDED_WITHIN_MS);
  const [sessions] = await cluster.rows<{ count: number }>('select count(*)::int as count from dcu_session where id > $1', [
    begin?.id ?? '0',
  ]);
  const isReady = readyAfterMs !== undefined && readyAfterMs <= OWNED_WITHIN_MS;
  return {
    passed: isReady && sessions?.count === 0 && onlySuccess(outcomes),
    counts: { readyAfterMs, newSessions: sessions?.count, outcomes },
  };
}

/** T5: devices that are dialled are not fought over, while a node leaves and returns. */
async function dialledOnce(cluster: Cluster, seed: number): Promise<Verdict> {
  await allHeld(cluster);
  const [begin] = await cluster.rows<{ id: string }>('select coalesce(max(id), 0) as id from dcu_session');
  const dialled = await cluster.heldBy('dial_out');
  const holders = cluster.nodes.filter(({ name }) => (dialled[name] ?? 0) > 0);
  const leaving = holders[seed % holders.length];
  if (leaving === undefined) throw new Error('No node has dialled a device');
  await wait(DIAL_FOR_MS / 2);
  await leaving.end('SIGTERM');
  await wait(DIAL_FOR_MS / 4);
  await leaving.start();
  await wait(DIAL_FOR_MS / 4);
  await allHeld(cluster);
  const [found] = await cluster.rows<{ dialled: number; sessions: number; most: number }>(
    `select count(*)::int as dialled, coalesce(sum(sessions), 0)::int as sessions, coalesce(max(sessions), 0)::int as most from (
       select e.id, count(s.id)::int as sessions from endpoint e left join dcu_session s on s.dcu_id = e.id and s.id > $1 and s.identified_at is not null
       where e.connection_type = 'dial_out' group by e.id) as each`,
    [begin?.id ?? '0'],
  );
  // It leaves and returns: two changes of membership. Its devices have been dialled by others at least.
  const isOnce = (found?.sessions ?? 0) >= (dialled[leaving.name] ?? Infinity) && (found?.most ?? Infinity) <= 2;
  return { passed: isOnce, counts: { ...found, before: dialled, left: leaving.name } };
}

/** T9: a node that returns empty gets its part of the devices that dial in. */
async function balance(cluster: Cluster, seed: number): Promise<Verdict> {
  await allHeld(cluster);
  const total = Object.values(await cluster.heldBy('dial_in')).reduce((sum, each) => sum + each, 0);
  if (total < LEAST_EVENED) return { skipped: `head-ends even out from ${LEAST_EVENED} devices that dial in on; there are ${total}` };
  const victim = cluster.nodes[seed % cluster.nodes.length] as NodeProcess; // as: the remainder is below the number of nodes
  await victim.end('SIGTERM');
  await victim.start();
  await allHeld(cluster);
  const before = await cluster.heldBy('dial_in');
  const evenAfterMs = await cluster.until(EVEN_WITHIN_MS, async () => unevennessOf(await cluster.heldBy('dial_in')) <= MOST_UNEVEN);
  const held = await cluster.heldBy('dial_in');
  return {
    passed: evenAfterMs !== undefined && Object.keys(held).length === cluster.nodes.length,
    counts: { before, held, evenAfterMs, unevenness: Number(unevennessOf(held).toFixed(3)), dialled: await cluster.heldBy('dial_out') },
  };
}

function unevennessOf(held: Record<string, number>): number {
  const numbers = Object.values(held);
  return (Math.max(...numbers) * numbers.length) / numbers.reduce((sum, each) => sum + each, 0);
}

/** R1: nodes divide the work by role; one of those with devices is killed, and then one of those with the console, while the fleet is read. */
async function divideWork(cluster: Cluster, seed: number): Promise<Verdict> {
  await allHeld(cluster);
  const of = (role: 'web' | 'field') => cluster.nodes.filter((node) => node.has(role));
  const [webs, fields] = [of('web'), of('field')];
  const held = await cluster.heldBy();
  const heldElsewhere = cluster.nodes.filter((node) => !node.has('field')).reduce((sum, { name }) => sum + (held[name] ?? 0), 0);
  const victims = [fields[seed % fields.length], webs.length > 1 ? webs[seed % webs.length] : undefined].filter(
    (node) => node !== undefined,
  );
  const tasks: string[] = [];
  let ownedAfterMs: number | undefined;
  for (const victim of victims) {
    const more = await orderAll(cluster, webs.find((node) => node !== victim) ?? victim);
    tasks.push(...more);
    await untilShare(cluster, more, 0.1, ENDED_WITHIN_MS);
    await victim.end('SIGKILL');
    const afterMs = await cluster.until(OWNED_WITHIN_MS * 2, async () => (await cluster.unheld()) === 0);
    ownedAfterMs ??= afterMs;
    await endOf(cluster, more, ENDED_WITHIN_MS);
    await victim.start();
  }
  const outcomes = await endOf(cluster, tasks, ENDED_WITHIN_MS);
  const isOwned = ownedAfterMs !== undefined && ownedAfterMs <= OWNED_WITHIN_MS;
  return {
    passed: isOwned && heldElsewhere === 0 && onlySuccess(outcomes),
    counts: { held, killed: victims.map(({ name }) => name), ownedAfterMs, outcomes },
  };
}

/** In the order in which they run on one cluster, whose nodes have all roles. */
export const PROOFS: readonly Proof[] = [
  { id: 'T0', title: 'the whole fleet connects', run: allConnect },
  { id: 'T9', title: 'devices are distributed evenly', run: balance },
  { id: 'T5', title: 'a dialled device has one session', run: dialledOnce },
  { id: 'T1', title: 'a killed node loses nothing', run: killNode },
  { id: 'T2', title: 'a rolling restart fails no order', run: rollingRestart },
  { id: 'T3', title: 'relays are switched once while nodes are killed', run: switchWhileKilled },
  { id: 'T7', title: 'a change at one node holds at the others', run: tellChanges },
  { id: 'T8', title: 'a console sees the events of other nodes', run: showEvents },
  { id: 'T6', title: 'a crash of the database ends no connection', run: killDatabase },
  { id: 'T4', title: 'a node without the database does no harm', run: cutOff },
  { id: 'T12', title: 'two versions work together', run: mixVersions },
  { id: 'T10', title: 'several nodes cost no more than one', run: compareCost },
];

/** On a cluster whose nodes divide the work. */
export const PROOFS_OF_ROLES: readonly Proof[] = [{ id: 'R1', title: 'nodes of different roles lose nothing', run: divideWork }];
