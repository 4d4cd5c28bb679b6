import { setTimeout as wait } from 'node:timers/promises';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { endOf, onlySuccess, orderAll, untilShare } from './orders.ts';
import { allSpread, OWNED_WITHIN_MS, ownerOf, type Verdict } from './proof.ts';
import { areRight, beginSwitches, countSwitches, followUnknown, orderSwitches, type Meter, type Operation } from './switches.ts';

const ENDED_WITHIN_MS = 240_000;
/** Spans without the database; the last one is longer than the others wait before they declare a node dead, which they then must have. */
const CUTS_MS = [5_000, 15_000, 35_000] as const;
const CERTAINLY_DEAD_MS = 30_000;
/** Orders at the other nodes are placed within this time, although the node may have been cut off in the middle of a transaction. */
const ORDERED_WITHIN_MS = 25_000;
/** Meters behind the node that are switched: one half is ordered right before the cut, the other one during it. */
const SWITCHED = 40;

/** Meters behind a node whose relays have the same state, as far as commands tell, and the operation that changes it. */
async function switchable(cluster: Cluster, { name }: NodeProcess): Promise<{ meters: Meter[]; operation: Operation }> {
  const found = await cluster.rows<Meter & { operation: Operation }>(
    `select m.id, m.sn, case last.operation when 'disconnect' then 'connect' else 'disconnect' end as operation
     from meter m join endpoint e on e.id = m.dcu_id join node n on n.id = e.node_id and n.ended_at is null
     left join lateral (select c.operation from relay_command c join relay_sent s on s.command_id = c.id where c.meter_id = m.id
       order by c.id desc limit 1) as last on true
     where n.name = $1 order by m.id`,
    [name],
  );
  const off = found.filter(({ operation }) => operation === 'connect');
  const operation = off.length > found.length / 2 ? 'connect' : 'disconnect';
  return { meters: found.filter((meter) => meter.operation === operation).slice(0, SWITCHED), operation };
}

/** Milliseconds that work takes. */
async function timed(work: Promise<void>): Promise<number> {
  const began = performance.now();
  await work;
  return Math.round(performance.now() - began);
}

/** Cuts a node off for a while, in which the fleet is read and relays behind the node are switched. */
async function cutOffFor(cluster: Cluster, [victim, other]: readonly [NodeProcess, NodeProcess], ms: number): Promise<Verdict> {
  await allSpread(cluster);
  const tasks = await orderAll(cluster, other);
  await untilShare(cluster, tasks, 0.1, ENDED_WITHIN_MS);
  const { meters, operation } = await switchable(cluster, victim);
  const begin = await beginSwitches(cluster);
  await orderSwitches(cluster, meters.slice(0, SWITCHED / 2), operation);
  victim.link.cut();
  const from = Date.now();
  const ordering = timed(orderSwitches(cluster, meters.slice(SWITCHED / 2), operation));
  await wait(ms);
  const isDeclaredDead = (await ownerOf(cluster, victim)) === '';
  const until = Date.now();
  victim.link.heal();
  const orderedAfterMs = await ordering;
  const ownedAfterMs = await cluster.until(OWNED_WITHIN_MS * 2, async () => (await cluster.unheld()) === 0);
  const outcomes = await endOf(cluster, tasks, ENDED_WITHIN_MS);
  await followUnknown(cluster, () => true);
  const relays = await countSwitches(cluster, begin, operation, { from, until });
  const isOrdered = orderedAfterMs <= ORDERED_WITHIN_MS;
  const isOwned = ownedAfterMs !== undefined && ownedAfterMs <= OWNED_WITHIN_MS;
  // Some meters have a mode that refuses the operation: the product leaves them out of the order.
  const hasSwitched = relays.ordered > meters.length / 2 && relays.switched > 0 && areRight(relays);
  return {
    passed: (isDeclaredDead || ms < CERTAINLY_DEAD_MS) && isOwned && isOrdered && onlySuccess(outcomes) && victim.isRunning && hasSwitched,
    counts: { isDeclaredDead, orderedAfterMs, ownedAfterMs, outcomes, chosen: meters.length, relays },
  };
}

/** T4: a node loses the database while the fleet is read and relays are switched, and comes back. */
export async function cutOff(cluster: Cluster, seed: number): Promise<Verdict> {
  const at = (index: number) => cluster.nodes[index % cluster.nodes.length] as NodeProcess; // as: the remainder is below the number of nodes
  const counts: Record<string, unknown> = {};
  let passed = true;
  for (const ms of CUTS_MS) {
    const verdict = await cutOffFor(cluster, [at(seed), at(seed + 1)], ms);
    if ('skipped' in verdict) return verdict;
    passed &&= verdict.passed;
    counts[`${ms / 1000} s`] = verdict.counts;
  }
  return { passed, counts };
}
