import { randomUUID } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import type { OracleEntry } from '../../apps/simulator/src/control/oracle-log.ts';
import { Random } from '../fuzz/random.ts';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { outcomesOf } from './orders.ts';
import { allSpread, type Verdict } from './proof.ts';

const METERS = 500;
const METERS_PER_ORDER = 10;
const KILLS = 3;
const AWAY_MS = 3_000;
const KILL_WITHIN_MS = 4_000;
const LOOK_MS = 250;
const ENDED_WITHIN_MS = 240_000;
/** Longest time for which the result of a command that was sent may be unknown. */
const UNKNOWN_WITHIN_MS = 60_000;
const TRIES = 100;
const AGAIN_MS = 500;

/** A meter whose relay is switched. */
export interface Meter {
  id: string;
  sn: string;
}

export type Operation = 'disconnect' | 'connect';
const STATE_AFTER: Record<Operation, string> = { disconnect: 'disconnected', connect: 'connected' };

interface Command {
  taskId: string;
  sn: string;
  state: string;
  /** When the command was marked as sent, before its octets left; null: never. */
  sentAtMs: number | null;
}

/** Orders the switches of some meters at any node. A repetition has the same number, so that nothing is switched twice by it. */
async function orderTen(cluster: Cluster, meters: readonly Meter[], operation: Operation): Promise<void> {
  const body = { requestId: randomUUID(), meterIds: meters.map(({ id }) => id), operation, reason: 'Proof', workOrder: 'T3' };
  for (let tries = 0; tries < TRIES; tries++, await wait(AGAIN_MS)) {
    const answer = await cluster.switchers.call('POST', '/action/relay', body, tries === 0 ? meters.length : 0);
    if (answer !== undefined && answer.status < 300) return;
    if (answer !== undefined && answer.status < 500)
      throw new Error(`The order was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  throw new Error('No node takes the order');
}

/** Orders the switches of meters, ten at a time, at any node whose line is not cut. */
export async function orderSwitches(cluster: Cluster, meters: readonly Meter[], operation: Operation): Promise<void> {
  for (let at = 0; at < meters.length; at += METERS_PER_ORDER) await orderTen(cluster, meters.slice(at, at + METERS_PER_ORDER), operation);
}

/** Where commands and executions of relays begin that are judged later. */
export interface SwitchesBegin {
  commandId: string;
  position: number;
}

export async function beginSwitches(cluster: Cluster): Promise<SwitchesBegin> {
  const [last] = await cluster.rows<{ id: string }>('select coalesce(max(id), 0) as id from relay_command');
  return { commandId: last?.id ?? '0', position: statSync(cluster.oracleFile).size };
}

/** Times at which relays executed since the begin, by serial number. Epoch milliseconds. */
async function switchedSince(cluster: Cluster, { position }: SwitchesBegin, operation: Operation): Promise<Map<string, number[]>> {
  const times = new Map<string, number[]>();
  for await (const line of createInterface({ input: createReadStream(cluster.oracleFile, { start: position }) })) {
    const entry = JSON.parse(line) as OracleEntry; // as: the simulator writes nothing else
    if (entry.t !== 'switched' || entry.to !== STATE_AFTER[operation]) continue;
    times.set(entry.sn, [...(times.get(entry.sn) ?? []), entry.at]);
  }
  return times;
}

/** Follows commands with unknown result until all items have ended; returns the longest time that one was unknown. */
export async function followUnknown(cluster: Cluster, hasOrdered: () => boolean): Promise<number> {
  const since = new Map<string, number>();
  let longestMs = 0;
  for (const until = performance.now() + ENDED_WITHIN_MS; performance.now() < until; await wait(LOOK_MS)) {
    const unknown = await cluster.rows<{ id: string }>("select id from relay_command where state in ('sent', 'unknown')");
    const now = performance.now();
    for (const id of since.keys()) if (!unknown.some((one) => one.id === id)) since.delete(id);
    for (const { id } of unknown) since.set(id, since.get(id) ?? now);
    longestMs = Math.max(longestMs, ...[...since.values()].map((began) => now - began));
    if (!hasOrdered() || unknown.length > 0) continue;
    const open = await cluster.rows(
      "select from task_item where kind in ('relay_disconnect', 'relay_connect') and state in ('waiting', 'reading') limit 1",
    );
    if (open.length === 0) break;
  }
  return Math.round(longestMs);
}

/** A span in which a node had no database. Epoch milliseconds. */
export interface Cut {
  from: number;
  until: number;
}

/** A node stops sending within this time after it lost the database (several machines, T4). */
const FENCED_AFTER_MS = 8_000;

export interface SwitchCounts {
  ordered: number;
  states: Record<string, number>;
  outcomes: Record<string, number>;
  switched: number;
  twice: number;
  doneWithoutSwitch: number;
  switchedNotDone: number;
  /** Executions without a mark before them. */
  unmarked: number;
  /** Executions during the cut; those of commands that were marked before it, so by the node without database, later than it may send. */
  whileCut: number;
  late: number;
}

/** Counts what became of all commands since the begin, and what of it is wrong. */
export async function countSwitches(cluster: Cluster, begin: SwitchesBegin, operation: Operation, cut?: Cut): Promise<SwitchCounts> {
  const switched = await switchedSince(cluster, begin, operation);
  const commands = await cluster.rows<Command>(
    `select c.task_id as "taskId", m.sn, c.state, extract(epoch from s.at)::float8 * 1000 as "sentAtMs" from relay_command c
     join meter m on m.id = c.meter_id left join relay_sent s on s.command_id = c.id where c.id > $1`,
    [begin.commandId],
  );
  const states: Record<string, number> = {};
  for (const { state } of commands) states[state] = (states[state] ?? 0) + 1;
  const timesOf = ({ sn }: Command): number[] => switched.get(sn) ?? [];
  const countOf = (isCounted: (command: Command, times: number[]) => boolean): number =>
    commands.filter((command) => isCounted(command, timesOf(command))).length;
  const { from, until } = cut ?? { from: Infinity, until: -Infinity };
  return {
    ordered: commands.length,
    states,
    outcomes: await outcomesOf(cluster, [...new Set(commands.map(({ taskId }) => taskId))]),
    switched: switched.size,
    twice: countOf((_command, times) => times.length > 1),
    doneWithoutSwitch: countOf(({ state }, times) => state === 'done' && times.length === 0),
    switchedNotDone: countOf(({ state }, times) => state !== 'done' && times.length > 0),
    unmarked: countOf(({ sentAtMs }, times) => times.some((at) => sentAtMs === null || at < Math.floor(sentAtMs))),
    whileCut: countOf((_command, times) => times.some((at) => at >= from && at <= until)),
    late: countOf(({ sentAtMs }, times) => times.some((at) => (sentAtMs ?? from) < from && at > from + FENCED_AFTER_MS && at <= until)),
  };
}

/** Whether each relay was switched at most once, only after its mark, and each command tells what its relay did. */
export const areRight = ({ twice, doneWithoutSwitch, switchedNotDone, unmarked, late }: SwitchCounts): boolean =>
  twice + doneWithoutSwitch + switchedNotDone + unmarked + late === 0;

/** T3: relays are switched while nodes are killed. */
export async function switchWhileKilled(cluster: Cluster, seed: number): Promise<Verdict> {
  await allSpread(cluster);
  const random = new Random(seed);
  const operation = seed % 2 === 1 ? 'disconnect' : 'connect';
  const meters = await cluster.rows<Meter>('select id, sn from meter where dcu_id is not null order by id limit $1', [METERS]);
  const begin = await beginSwitches(cluster);
  let hasOrdered = false;
  const ordering = async (): Promise<void> => {
    await orderSwitches(cluster, meters, operation);
    hasOrdered = true;
  };
  const killing = async (): Promise<void> => {
    for (let kill = 0; kill < KILLS; kill++) {
      await wait(random.below(KILL_WITHIN_MS));
      const victim = cluster.nodes[(seed + kill) % cluster.nodes.length] as NodeProcess; // as: the remainder is below the number of nodes
      await victim.end('SIGKILL');
      await wait(AWAY_MS);
      await victim.start();
    }
  };
  const [, , longestUnknownMs] = await Promise.all([ordering(), killing(), followUnknown(cluster, () => hasOrdered)]);
  const counts = await countSwitches(cluster, begin, operation);
  return {
    passed: counts.ordered === meters.length && areRight(counts) && longestUnknownMs <= UNKNOWN_WITHIN_MS,
    counts: { ...counts, longestUnknownMs },
  };
}
