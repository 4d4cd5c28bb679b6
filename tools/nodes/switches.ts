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

interface Meter {
  id: string;
  sn: string;
}

interface Command {
  taskId: string;
  sn: string;
  state: string;
  isSent: boolean;
}

/** Orders the switches of some meters at any node. A repetition has the same number, so that nothing is switched twice by it. */
async function order(cluster: Cluster, meters: readonly Meter[], operation: string): Promise<void> {
  const body = { requestId: randomUUID(), meterIds: meters.map(({ id }) => id), operation, reason: 'Proof', workOrder: 'T3' };
  for (let tries = 0; tries < TRIES; tries++, await wait(AGAIN_MS)) {
    const answer = await cluster.switchers.call('POST', '/action/relay', body, tries === 0 ? meters.length : 0);
    if (answer !== undefined && answer.status < 300) return;
    if (answer !== undefined && answer.status < 500)
      throw new Error(`The order was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
  throw new Error('No node takes the order');
}

/** Executions of relays since a position in the notes of the simulator, by serial number. */
async function switchedSince(cluster: Cluster, position: number, to: string): Promise<Map<string, number>> {
  const times = new Map<string, number>();
  for await (const line of createInterface({ input: createReadStream(cluster.oracleFile, { start: position }) })) {
    const entry = JSON.parse(line) as OracleEntry; // as: the simulator writes nothing else
    if (entry.t === 'switched' && entry.to === to) times.set(entry.sn, (times.get(entry.sn) ?? 0) + 1);
  }
  return times;
}

/** Follows commands with unknown result until all items have ended; returns the longest time that one was unknown. */
async function followUnknown(cluster: Cluster, hasOrdered: () => boolean): Promise<number> {
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

/** T3: relays are switched while nodes are killed. */
export async function switchWhileKilled(cluster: Cluster, seed: number): Promise<Verdict> {
  await allSpread(cluster);
  const random = new Random(seed);
  const [operation, to] = seed % 2 === 1 ? ['disconnect', 'disconnected'] : ['connect', 'connected'];
  const meters = await cluster.rows<Meter>('select id, sn from meter where dcu_id is not null order by id limit $1', [METERS]);
  const [begin] = await cluster.rows<{ id: string }>('select coalesce(max(id), 0) as id from relay_command');
  const position = statSync(cluster.oracleFile).size;
  let hasOrdered = false;
  const ordering = async (): Promise<void> => {
    for (let at = 0; at < meters.length; at += METERS_PER_ORDER) await order(cluster, meters.slice(at, at + METERS_PER_ORDER), operation);
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
  const [, , unknownMs] = await Promise.all([ordering(), killing(), followUnknown(cluster, () => hasOrdered)]);
  const switched = await switchedSince(cluster, position, to);
  const commands = await cluster.rows<Command>(
    `select c.task_id as "taskId", m.sn, c.state, s.command_id is not null as "isSent" from relay_command c join meter m on m.id = c.meter_id
     left join relay_sent s on s.command_id = c.id where c.id > $1`,
    [begin?.id ?? '0'],
  );
  const timesOf = ({ sn }: Command): number => switched.get(sn) ?? 0;
  const states: Record<string, number> = {};
  for (const { state } of commands) states[state] = (states[state] ?? 0) + 1;
  const outcomes = await outcomesOf(cluster, [...new Set(commands.map(({ taskId }) => taskId))]);
  const wrong = {
    twice: commands.filter((command) => timesOf(command) > 1).length,
    doneWithoutSwitch: commands.filter((command) => command.state === 'done' && timesOf(command) === 0).length,
    switchedNotDone: commands.filter((command) => command.state !== 'done' && timesOf(command) > 0).length,
  };
  const isRight = Object.values(wrong).every((count) => count === 0);
  return {
    passed: commands.length === meters.length && isRight && unknownMs <= UNKNOWN_WITHIN_MS,
    counts: { ordered: commands.length, states, outcomes, switched: switched.size, ...wrong, longestUnknownMs: unknownMs },
  };
}
