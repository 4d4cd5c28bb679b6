import type { NodeRole } from '@hes/contract/states/node.ts';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { holdOwnerLock } from '#db/advisory-locks.ts';
import { monotonicAt, systemClock } from '#platform/clock.ts';
import { createLog } from '#platform/log.ts';
import { cloneDatabase, type TestDatabase } from '../../test/database.ts';
import { adopted } from '../../test/adopted.ts';
import { guardianOf } from './guardian.ts';
import { Node } from './node.ts';
import { BEGIN_DRAIN, RESUME } from './queries.ts';
import { inTurn } from './turns.ts';

const SECOND_MS = 1_000;

let database: TestDatabase;
beforeAll(async () => void (database = await cloneDatabase()));
afterAll(() => database.drop());

let nowMs = 0;
const nodes: Node[] = [];
const nodeOf = (name: string, roles?: NodeRole[]) => {
  const clock = { ...systemClock, monotonic: () => monotonicAt(nowMs) };
  const node = new Node({ pool: database.pool, log: createLog('silent'), clock }, { name, version: '1', roles });
  nodes.push(node);
  return node;
};
beforeEach(() => void (nowMs = 1_000_000));
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  await database.pool.query('delete from node');
});

/** Time passes in which a node looks at the others every second. */
async function pass(seconds: number, watcher: Node): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    nowMs += SECOND_MS;
    await watcher.beat();
  }
}

const IDS = Array.from({ length: 300 }, (_, index) => String(index + 1));

test('each device has one guardian, and a node that joins or leaves moves only what it gains or had', () => {
  const count = (names: string[], name: string) => IDS.filter((id) => guardianOf(id, names) === name).length;
  for (const name of ['a', 'b', 'c']) expect(count(['a', 'b', 'c'], name)).toBeGreaterThan(60);
  const moved = IDS.filter((id) => guardianOf(id, ['a', 'b', 'c']) !== guardianOf(id, ['a', 'b']));
  expect(moved.every((id) => guardianOf(id, ['a', 'b', 'c']) === 'c')).toBe(true);
  expect(guardianOf('1', [])).toBeUndefined();
});

test('two nodes share the devices without a connection, and one takes all when the other stops', async () => {
  const [one, two] = [nodeOf('one'), nodeOf('two')];
  await one.start();
  expect(IDS.every((id) => one.mayServe(id, null))).toBe(true);
  await two.start();
  await one.beat();
  for (const id of IDS) expect(one.mayServe(id, null)).not.toBe(two.mayServe(id, null));
  expect([one.mayServe('1', one.id), one.mayServe('1', two.id)]).toEqual([true, false]);
  let deaths = 0;
  one.onDeath(() => void deaths++);
  await two.stop();
  await one.beat();
  expect(IDS.every((id) => one.mayServe(id, null))).toBe(true);
  expect(deaths).toBe(1);
});

test('nodes with the role field share the devices, and each role is known to have a node or none', async () => {
  const [web, one, two] = [nodeOf('web', ['web']), nodeOf('one', ['field']), nodeOf('two', ['field', 'analysis'])];
  await web.start();
  await one.start();
  await web.beat();
  expect([web.unfilledRoles, one.unfilledRoles]).toEqual([['analysis'], ['analysis']]);
  expect(IDS.some((id) => web.mayServe(id, null))).toBe(false);
  expect(IDS.every((id) => one.mayServe(id, null))).toBe(true);
  // Nothing takes its devices over.
  expect([one.hasSuccessor, web.hasSuccessor]).toEqual([false, true]);
  await two.start();
  await one.beat();
  for (const id of IDS) expect(one.mayServe(id, null)).not.toBe(two.mayServe(id, null));
  expect([one.hasSuccessor, one.unfilledRoles, one.countOf('field'), one.countOf('web')]).toEqual([true, [], 2, 1]);
});

test('a node of an earlier version, which writes no roles, has all', async () => {
  await database.pool.query("insert into node (name, owner) values ('former', 'former')");
  const web = nodeOf('web', ['web']);
  await web.start();
  expect([web.unfilledRoles, web.hasSuccessor]).toEqual([[], true]);
});

test('a living web node is not ended by a second process of its name, although it holds no lock', async () => {
  const web = nodeOf('same', ['web']);
  await web.start();
  const beating = setInterval(() => void web.beat(), 200);
  const clock = systemClock;
  const second = new Node({ pool: database.pool, log: createLog('silent'), clock }, { name: 'same', version: '1', roles: ['web'] });
  await expect(second.start()).rejects.toThrow(/"same" is already running/);
  clearInterval(beating);
});

test('a node without a sign of life is dead after ten seconds: its sessions are closed, and its devices unknown', async () => {
  const { pool } = database;
  const [watcher, dying] = [nodeOf('watcher'), nodeOf('dying')];
  await dying.start();
  await watcher.start();
  await pool.query("insert into endpoint (sn, name, kind) values ('NODE0001', 'Direct', 'meter')");
  const { rows } = await pool.query<{ id: string }>("select id from endpoint where sn = 'NODE0001'");
  const id = rows[0]?.id ?? '';
  await adopted(pool, id, dying.id);
  const state = async () =>
    (
      await pool.query<{ status: string; nodeId: string | null; reason: string | null }>(
        'select e.online_status as status, e.node_id as "nodeId", s.close_reason as reason from endpoint e join dcu_session s on s.id = e.last_session_id where e.id = $1',
        [id],
      )
    ).rows[0];
  await pass(9, watcher);
  expect(await state()).toEqual({ status: 'online', nodeId: dying.id, reason: null });
  await pass(1, watcher);
  expect(await state()).toEqual({ status: 'unknown', nodeId: null, reason: 'server_stopped' });
  expect(watcher.msSinceDeath).toBe(0);
});

test('a turn has one holder, also when all take it at once, and is free when its holder stops', async () => {
  const all = [nodeOf('one'), nodeOf('two'), nodeOf('three')];
  for (const node of all) await node.start();
  const taken = await Promise.all(all.map((node) => node.takeTurn('gaps')));
  expect(taken.filter(Boolean)).toHaveLength(1);
  const holder = all[taken.indexOf(true)];
  for (const node of all) expect(await node.takeTurn('gaps')).toBe(node === holder);
  await holder?.stop();
  const others = all.filter((node) => node !== holder);
  const next = await Promise.all(others.map((node) => node.takeTurn('gaps')));
  expect(next.filter(Boolean)).toHaveLength(1);
});

test('a node that drains gives its turns to others, and takes none until it is resumed', async () => {
  const [one, two] = [nodeOf('one'), nodeOf('two')];
  await one.start();
  await two.start();
  expect([await one.takeTurn('gaps'), await two.takeTurn('gaps')]).toEqual([true, false]);
  await database.pool.query(BEGIN_DRAIN, [one.id, null]);
  // The order precedes its notice by two seconds.
  expect(await two.takeTurn('gaps')).toBe(true);
  await one.beat();
  expect([await one.takeTurn('gaps'), await one.takeTurn('queue')]).toEqual([false, false]);
  await database.pool.query(RESUME, [one.id, null]);
  await one.beat();
  expect([await one.takeTurn('gaps'), await one.takeTurn('queue')]).toEqual([false, true]);
});

test('the turn of a dead node is free, and a node that was declared dead by mistake has lost its turns', async () => {
  const [watcher, slow] = [nodeOf('watcher'), nodeOf('slow')];
  await slow.start();
  await watcher.start();
  expect([await slow.takeTurn('topologies'), await watcher.takeTurn('topologies')]).toEqual([true, false]);
  await pass(10, watcher);
  expect(await watcher.takeTurn('topologies')).toBe(true);
  await slow.beat();
  expect(await slow.takeTurn('topologies')).toBe(false);
  const runs: string[] = [];
  for (const node of [watcher, slow]) await inTurn(node, 'topologies', () => Promise.resolve(runs.push(node.name)))();
  expect(runs).toEqual(['watcher']);
});

test('a node that has not started, or has stopped, has no turn', async () => {
  const node = nodeOf('idle');
  expect(await node.takeTurn('gaps')).toBe(false);
  await node.start();
  await node.stop();
  expect(await node.takeTurn('gaps')).toBe(false);
});

test('a step of the clock of the database kills no node', async () => {
  const [watcher, other] = [nodeOf('watcher'), nodeOf('other')];
  await other.start();
  await watcher.start();
  await database.pool.query("update node set alive_at = alive_at - interval '1 hour', started_at = started_at - interval '2 hours'");
  await pass(9, watcher);
  expect(watcher.alive).toContain(other.id);
});

test('after a time without the database, the node that reaches it first does not declare the others dead', async () => {
  const [first, second] = [nodeOf('first'), nodeOf('second')];
  await second.start();
  await first.start();
  const { id } = second;
  await pass(2, first);
  nowMs += 30 * SECOND_MS;
  await first.beat();
  await pass(8, first);
  await second.beat();
  await pass(9, first);
  expect([first.alive, second.id]).toEqual([[first.id, id], id]);
});

test('a node that always looks too rarely still finds the dead', async () => {
  const [slow, dying] = [nodeOf('slow'), nodeOf('dying')];
  await dying.start();
  await slow.start();
  for (let look = 0; look < 3; look++) {
    nowMs += 6 * SECOND_MS;
    await slow.beat();
  }
  expect(slow.alive).toEqual([slow.id]);
});

test('a node that starts again replaces its former run at once, and refuses the name of one that is alive', async () => {
  const { pool } = database;
  const crashed = await pool.query<{ id: string }>("insert into node (name, owner) values ('again', 'crashed') returning id");
  const again = nodeOf('again');
  await again.start();
  const ended = await pool.query('select ended_at is not null as "isEnded" from node where id = $1', [crashed.rows[0]?.id]);
  expect(ended.rows).toEqual([{ isEnded: true }]);

  const client = await pool.connect();
  await holdOwnerLock(client, again.owner);
  const starting = nodeOf('again').start();
  await wait(100);
  await again.beat();
  await expect(starting).rejects.toThrow('A head-end named "again" is already running on this database.');
  client.release(true);
});

test('a node that drains guards nothing unless all do, and one that is to stop does not resume', async () => {
  const [one, two] = [nodeOf('one'), nodeOf('two')];
  await one.start();
  await two.start();
  await one.beat();
  expect([one.hasSuccessor, two.hasSuccessor]).toEqual([true, true]);
  let deaths = 0;
  two.onDeath(() => void deaths++);
  await one.drain();
  await two.beat();
  expect([IDS.some((id) => one.mayServe(id, null)), IDS.every((id) => two.mayServe(id, null))]).toEqual([false, true]);
  // The time in which its devices may come back begins again when it has handed over the last one.
  nowMs += 60 * SECOND_MS;
  expect(two.msSinceDeath).toBe(60 * SECOND_MS);
  await one.beat();
  await one.noteDrained(3);
  await two.beat();
  expect([deaths, two.msSinceDeath, two.hasSuccessor]).toEqual([2, 0, false]);
  await two.drain();
  expect(IDS.some((id) => two.mayServe(id, null))).toBe(true);
  await database.pool.query('update node set draining_at = null, drained_at = null where id = $1', [one.id]);
  await one.beat();
  expect(one.isDraining).toBe(true);
});

test('a node that was declared dead and does not know what the schema needs by now drains', async () => {
  const node = nodeOf('outdated');
  await node.start();
  await database.owner.query("insert into schema_migration (number, name, phase, needs) values (9999, 'x', 'contract', 9999)");
  await database.pool.query('update node set ended_at = now() where id = $1', [node.id]);
  await expect(node.beat()).rejects.toThrow('this one does not work with it. Start that version.');
  expect([node.isDraining, await node.takeTurn('gaps')]).toEqual([true, false]);
  await database.owner.query('delete from schema_migration where number = 9999');
  await node.beat();
  expect(node.alive).toEqual([node.id]);
});
