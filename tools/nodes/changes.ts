import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { LIVE_PROTOCOL, liveTicketProtocol, type LiveMessage } from '@hes/contract/core/live.ts';
import { keysOf } from '../../apps/simulator/src/devices/keys.ts';
import type { Cluster } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { endOf, orderAt } from './orders.ts';
import { allHeld, type Verdict } from './proof.ts';

/** Seed of the simulated world, from which keys are derived. */
const WORLD_SEED = 1;
const ASK_MS = 20;
/** A change at one node holds at the others within this time, and within the second one while the bus is cut. */
const KNOWN_WITHIN_MS = 1_000;
const KNOWN_WITHOUT_BUS_MS = 16_000;
const READ_WITHIN_MS = 60_000;
const EVENTS = 1_000;
const EVENTS_OF_METER = 10;
const BETWEEN_METERS_MS = 50;
const SEEN_WITHIN_MS = 60_000;

/** Two nodes of which the second one shall know what happens at the first. */
function twoOf({ nodes }: Cluster, seed: number): [NodeProcess, NodeProcess] {
  const at = (index: number) => nodes[index % nodes.length] as NodeProcess; // as: the remainder is below the number of nodes
  return [at(seed), at(seed + 1)];
}

/** Ends a session at one node; returns after how many milliseconds the other one refuses it. */
async function signOut(cluster: Cluster, [a, b]: readonly [NodeProcess, NodeProcess], limitMs: number): Promise<number | undefined> {
  const id = await cluster.addSession();
  // The other node knows the session from now on.
  const before = await cluster.call(b, 'GET', '/auth/session', undefined, id);
  if (before?.status !== 200) throw new Error(`The session is not accepted: ${before?.status}`);
  const ended = await cluster.call(a, 'DELETE', `/auth/session/${id}`, undefined, id);
  if (ended?.status !== 204) throw new Error(`The session was not ended: ${ended?.status}`);
  const began = performance.now();
  for (; performance.now() - began < limitMs; await wait(ASK_MS))
    if ((await cluster.call(b, 'GET', '/auth/session', undefined, id))?.status === 401) return Math.round(performance.now() - began);
  return undefined;
}

const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex');

/** Changes the keys of a meter behind a DCU of `b` at `a`, waits, and reads it; then the same with its true keys. Returns both results. */
async function changeKeys(cluster: Cluster, [a, b]: readonly [NodeProcess, NodeProcess], knownMs: number): Promise<string[]> {
  const [meter] = await cluster.rows<{ id: string; sn: string }>(
    `select m.id, m.sn from meter m join endpoint e on e.id = m.dcu_id join dcu d on d.id = e.id join node n on n.id = e.node_id
     where n.name = $1 and n.ended_at is null order by m.id limit 1`,
    [b.name],
  );
  if (meter === undefined) throw new Error(`${b.name} holds no device`);
  const { ek, ak } = keysOf(WORLD_SEED, meter.sn);
  const results: string[] = [];
  for (const keys of [
    { ek: hex(randomBytes(16)), ak: hex(randomBytes(16)) },
    { ek: hex(ek), ak: hex(ak) },
  ]) {
    // The node of the device has the keys in use.
    const changed = await cluster.call(a, 'PUT', `/asset/meter/${meter.id}/keys`, keys);
    if (changed?.status !== 200) throw new Error(`The keys were not changed: ${changed?.status} ${JSON.stringify(changed?.body)}`);
    await wait(knownMs);
    const outcomes = await endOf(cluster, [await orderAt(cluster, a, [meter.id])], READ_WITHIN_MS);
    results.push(Object.keys(outcomes).join(','));
  }
  return results;
}

/** T7: what is changed at one node holds at the others, also while one of them hears no notification. */
export async function tellChanges(cluster: Cluster, seed: number): Promise<Verdict> {
  await allHeld(cluster);
  const nodes = twoOf(cluster, seed);
  const [, b] = nodes;
  const signOutMs = await signOut(cluster, nodes, KNOWN_WITHIN_MS * 2);
  const readings = await changeKeys(cluster, nodes, KNOWN_WITHIN_MS);
  b.busLink.cut();
  let signOutWithoutBusMs: number | undefined;
  try {
    signOutWithoutBusMs = await signOut(cluster, nodes, KNOWN_WITHOUT_BUS_MS * 2);
  } finally {
    b.busLink.heal();
  }
  const [wrong, right] = readings;
  return {
    passed:
      (signOutMs ?? Infinity) <= KNOWN_WITHIN_MS &&
      (signOutWithoutBusMs ?? Infinity) <= KNOWN_WITHOUT_BUS_MS &&
      wrong !== 'read_success' &&
      right === 'read_success',
    counts: { signOutMs, signOutWithoutBusMs, withWrongKeys: wrong, withTrueKeys: right },
  };
}

/** Opens the live socket of a console and follows the events. */
async function followEvents(cluster: Cluster, node: NodeProcess, onEvents: (count: number) => void): Promise<WebSocket> {
  const asked = await cluster.call(node, 'POST', '/auth/live-ticket');
  if (asked?.status !== 200) throw new Error('The node gives no ticket');
  const { ticket } = asked.body as { ticket: string }; // as: the contract of the route
  const socket = new WebSocket(`ws://127.0.0.1:${node.ports.http}/api/websocket`, [LIVE_PROTOCOL, liveTicketProtocol(ticket)]);
  await once(socket, 'open');
  let isFollowing = false;
  socket.addEventListener('message', ({ data }) => {
    if (data === 'pong') return void (isFollowing = true);
    const message = JSON.parse(String(data)) as LiveMessage; // as: the server's own message
    if (message.type === 'event.new') onEvents(message.data.count);
  });
  socket.send(JSON.stringify({ type: 'subscribe', topics: ['event'] }));
  socket.send('ping');
  await cluster.until(SEEN_WITHIN_MS, () => Promise.resolve(isFollowing));
  // The other nodes learn which topics are followed.
  await wait(KNOWN_WITHIN_MS);
  return socket;
}

/** T8: a console at one node sees each event that devices report to another one. The delays are printed, and judged on a quiet machine only. */
export async function showEvents(cluster: Cluster, seed: number): Promise<Verdict> {
  await allHeld(cluster);
  const [a, b] = twoOf(cluster, seed);
  let seen = 0;
  const socket = await followEvents(cluster, b, (count) => (seen += count));
  const meters = await cluster.rows<{ sn: string; dcu: string }>(
    `select m.sn, e.sn as dcu from meter m join endpoint e on e.id = m.dcu_id join dcu d on d.id = e.id join node n on n.id = e.node_id
     where n.name = $1 and n.ended_at is null order by m.id limit $2`,
    [a.name, EVENTS / EVENTS_OF_METER],
  );
  const delaysMs: number[] = [];
  let sent = 0;
  for (const { sn, dcu } of meters) {
    // A number of its own for each seed: the same alarm is the same event.
    const numbers = Array.from({ length: EVENTS_OF_METER }, (_, index) => seed * EVENTS_OF_METER + index);
    const began = performance.now();
    await cluster.askField('POST', `/dcu/${dcu}/alarm`, { meter: sn, numbers });
    sent += numbers.length;
    const wanted = sent;
    void cluster.until(SEEN_WITHIN_MS, () => Promise.resolve(seen >= wanted)).then(() => delaysMs.push(performance.now() - began));
    await wait(BETWEEN_METERS_MS);
  }
  await cluster.until(SEEN_WITHIN_MS, () => Promise.resolve(seen >= sent));
  socket.close();
  const sorted = delaysMs.toSorted((one, other) => one - other);
  const p95Ms = Math.round(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN);
  return { passed: sent > 0 && seen === sent, counts: { sent, seen, p95Ms } };
}
