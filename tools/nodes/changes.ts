import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { LIVE_PROTOCOL, liveTicketProtocol, type LiveMessage } from '@hes/contract/core/live.ts';
import { keysOf } from '../../apps/simulator/src/devices/keys.ts';
import { dayText, localDay } from '../../apps/simulator/src/world/calendar.ts';
import { type Cluster, WORLD_SEED } from './cluster.ts';
import type { NodeProcess } from './node-process.ts';
import { endOf, orderAt } from './orders.ts';
import { allSpread, type Verdict } from './proof.ts';

const ASK_MS = 20;
/** A change at one node holds at the others within this time, and within the second one while the bus is cut. */
const KNOWN_WITHIN_MS = 1_000;
const KNOWN_WITHOUT_BUS_MS = 16_000;
const READ_WITHIN_MS = 60_000;
/** Meters whose logs are read, and the days of each repetition, which no other one reads: an event is stored once. */
const METERS_WITH_EVENTS = 200;
const DAYS_OF_EVENTS = 20;
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
  await allSpread(cluster);
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

/** The messages about events that a console has received: how many events each counts, and when it came. */
interface Console {
  socket: WebSocket;
  messages: { count: number; at: number }[];
}

const seenBy = ({ messages }: Console): number => messages.reduce((sum, { count }) => sum + count, 0);

/** Opens the live socket of a console and follows the events. */
async function followEvents(cluster: Cluster, node: NodeProcess): Promise<Console> {
  const asked = await cluster.call(node, 'POST', '/auth/live-ticket');
  if (asked?.status !== 200) throw new Error('The node gives no ticket');
  const { ticket } = asked.body as { ticket: string }; // as: the contract of the route
  const socket = new WebSocket(`ws://127.0.0.1:${node.ports.http}/api/websocket`, [LIVE_PROTOCOL, liveTicketProtocol(ticket)]);
  await once(socket, 'open');
  const messages: Console['messages'] = [];
  let isFollowing = false;
  socket.addEventListener('message', ({ data }) => {
    if (data === 'pong') return void (isFollowing = true);
    const message = JSON.parse(String(data)) as LiveMessage; // as: the server's own message
    if (message.type === 'event.new') messages.push({ count: message.data.count, at: performance.now() });
  });
  socket.send(JSON.stringify({ type: 'subscribe', topics: ['event'] }));
  socket.send('ping');
  await cluster.until(SEEN_WITHIN_MS, () => Promise.resolve(isFollowing));
  return { socket, messages };
}

/** Milliseconds by which a message comes later to the console of another node than to that of its own, for 95 of 100 messages. */
function delayOf(own: Console, other: Console): number | undefined {
  const delays = other.messages.map(({ at }, index) => at - (own.messages[index]?.at ?? Number.NaN)).toSorted((a, b) => a - b);
  const p95 = delays[Math.floor(delays.length * 0.95)];
  return p95 === undefined ? undefined : Math.round(p95);
}

/** Waits until each node hears the others: the proof before this one may have cut a line. */
async function allListening(cluster: Cluster): Promise<void> {
  const listening = async () =>
    (await cluster.rows(`select from pg_stat_activity where datname = current_database() and application_name = 'hes-nodes'`)).length;
  const all = cluster.nodes.filter((node) => node.isRunning).length;
  if ((await cluster.until(SEEN_WITHIN_MS, async () => (await listening()) === all)) === undefined)
    throw new Error('A node does not hear the others');
}

/**
 * T8: a console at one node sees each event that another one stores from the logs of its meters. The delay in relation to a console of that
 * node is printed, and judged on a quiet machine only.
 */
export async function showEvents(cluster: Cluster, seed: number): Promise<Verdict> {
  await allSpread(cluster);
  await allListening(cluster);
  const [a, b] = twoOf(cluster, seed);
  const consoles = [await followEvents(cluster, a), await followEvents(cluster, b)] as const;
  // The other nodes learn which topics are followed.
  await wait(KNOWN_WITHIN_MS);
  const [own, other] = consoles;
  const meters = await cluster.rows<{ id: string }>(
    `select m.id from meter m join endpoint e on e.id = m.dcu_id join dcu d on d.id = e.id join node n on n.id = e.node_id
     where n.name = $1 and n.ended_at is null order by m.id limit $2`,
    [a.name, METERS_WITH_EVENTS],
  );
  const [begin] = await cluster.rows<{ id: string }>('select coalesce(max(id), 0) as id from event');
  const lastDay = localDay(Date.now()) - 1 - DAYS_OF_EVENTS * (seed - 1);
  const ordered = await cluster.call(a, 'POST', '/action/read/event', {
    devices: meters.map(({ id }) => ({ kind: 'meter', id })),
    logs: ['standard', 'fraud', 'quality'],
    from: dayText(lastDay - DAYS_OF_EVENTS + 1),
    to: dayText(lastDay),
  });
  if (ordered?.status !== 202) throw new Error(`The order was refused: ${ordered?.status} ${JSON.stringify(ordered?.body)}`);
  const { taskId } = ordered.body as { taskId: string }; // as: the contract of the route
  const outcomes = await endOf(cluster, [taskId], SEEN_WITHIN_MS * 4);
  const storedNow = async (): Promise<number> =>
    (await cluster.rows<{ count: number }>('select count(*)::int as count from event where id > $1', [begin?.id ?? '0']))[0]?.count ?? 0;
  await cluster.until(SEEN_WITHIN_MS, async () => seenBy(other) >= (await storedNow()));
  const stored = await storedNow();
  for (const { socket } of consoles) socket.close();
  const [seen, seenByOwn] = [seenBy(other), seenBy(own)];
  return {
    passed: stored > 0 && seen === stored,
    counts: { stored, seen, seenByOwn, messages: other.messages.length, p95Ms: delayOf(own, other), outcomes },
  };
}
