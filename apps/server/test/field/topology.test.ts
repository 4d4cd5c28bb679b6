import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BusMessage } from '../../src/platform/bus.ts';
import { replay } from '../../src/features/diagnostics/dcu-log/replay.ts';
import { switchCapture } from '../../src/features/diagnostics/dcu-log/service.ts';
import { aboutStation, listStations, orderPing, orderRestart } from '../../src/features/topology/stations/service.ts';
import { orderSwitch, previewSwitch } from '../../src/features/topology/switches/service.ts';
import { compareMoments, orderReading, pictureOf } from '../../src/features/topology/service.ts';
import type { User } from '../../src/db/context.ts';
import { archiveBench, type ArchiveBench } from './archive-bench.ts';

const METERS = 40;
const WEEK_MS = 7 * 86_400_000;
interface True {
  sn: string;
  parentSn: string | null;
  level: number;
}

let town: ArchiveBench;
let who: { user: User; ip: string };
let dcuId: string;
let dcuSn: string;
beforeAll(async () => {
  town = await archiveBench({ dcus: 2, metersPerDcu: METERS });
  const rows = await query<{ id: string }>("select id from app_user where username = 'admin'");
  const user = {
    id: rows[0]?.id ?? '',
    username: 'admin',
    name: 'admin',
    sessionId: '1',
    mustChangePassword: false,
    actions: new Map(),
    scope: { kind: 'whole' as const },
  };
  who = { user, ip: '127.0.0.1' };
  dcuId = town.dcuIds[0] ?? '';
  dcuSn = (await query<{ sn: string }>('select sn from dcu where id = $1', [dcuId]))[0]?.sn ?? '';
});
afterAll(() => town.close());

const query = async <T extends object>(text: string, values: unknown[] = []): Promise<T[]> =>
  (await town.bench.database.pool.query<T>(text, values)).rows;
const door = (path: string, body?: object) =>
  fetch(`http://127.0.0.1:${town.simulation.controlPort}${path}`, body ? { method: 'POST', body: JSON.stringify(body) } : {});
const truth = async (sn = dcuSn): Promise<True[]> => ((await (await door(`/network/${sn}`)).json()) as { nodes: True[] }).nodes; // as: the type of the response
const tree = (nodes: readonly { sn: string; parentSn: string | null; level: number }[]) =>
  nodes.map(({ sn, parentSn, level }) => `${sn} ${parentSn} ${level}`).toSorted();

async function drawn(id = dcuId) {
  const read = await town.order(id, 'topology');
  expect(read.state).toBe('read_success');
  const picture = await pictureOf(town.bench.ctx, who.user, id, undefined);
  const online = picture.nodes.filter((node) => node.isOnline);
  const snOf = new Map(online.map((node) => [node.mac, node.sn]));
  const nodes = online.map((node) => ({ ...node, parentSn: node.parentMac === null ? null : (snOf.get(node.parentMac) ?? null) }));
  return { picture, tree: tree(nodes) };
}

it('S-014: the network equals that of the simulation, at three random times', async () => {
  for (let moment = 0; moment < 3; moment++) {
    // Paths change every hour, so a failure names the hour.
    const at = Date.now() - Math.floor(Math.random() * WEEK_MS);
    await door('/clock', { hold: true, at: new Date(at).toISOString() });
    expect((await drawn()).tree, `at ${at}`).toEqual(tree(await truth()));
  }
  await door('/clock', { hold: false });
});

it('S-014: the network equals that of the simulation when a repeater is lost, and when it is back', async () => {
  const first = await drawn();
  expect(first.tree).toEqual(tree(await truth()));
  const relay = first.picture.nodes.find((node) => node.role === 'pco');
  await door(`/network/${dcuSn}`, { kind: 'lose', sn: relay?.sn });
  const second = await drawn();
  expect(second.tree).toEqual(tree(await truth()));
  expect(second.tree).not.toEqual(first.tree);
  expect(second.picture.nodes.find((node) => node.sn === relay?.sn)).toMatchObject({ isOnline: false, signal: 'no_signal' });
  await door(`/network/${dcuSn}`, { kind: 'restore', sn: relay?.sn });
  expect((await drawn()).tree).toEqual(tree(await truth()));
});

it('the difference of two snapshots contains the changes, and names the failed repeater', async () => {
  const before = await drawn();
  const was = await truth();
  const below = (sn: string): string[] => was.filter((node) => node.parentSn === sn).flatMap((node) => [node.sn, ...below(node.sn)]);
  const relay = was.map((node) => ({ node, behind: below(node.sn) })).toSorted((a, b) => b.behind.length - a.behind.length)[0];
  const told = new Promise<BusMessage>((resolve) => {
    const stop = town.bench.ctx.bus.subscribe(({ topic, message }) => {
      if (topic !== `topology:${dcuId}`) return;
      stop();
      resolve(message);
    });
  });
  await door(`/network/${dcuSn}`, { kind: 'lose', sn: relay?.node.sn });
  const after = await drawn();
  const is = await truth();
  const gone = was.filter((node) => !is.some((other) => other.sn === node.sn)).map((node) => node.sn);
  const moved = is.filter((node) => was.some((other) => other.sn === node.sn && other.parentSn !== node.parentSn)).map((node) => node.sn);
  const diff = await compareMoments(town.bench.ctx, who.user, dcuId, {
    from: before.picture.takenAt ?? '',
    to: after.picture.takenAt ?? '',
  });
  expect(diff.joined).toEqual([]);
  expect(diff.left.toSorted()).toEqual(gone.toSorted());
  expect(diff.moved.map((one) => one.sn).toSorted()).toEqual(moved.toSorted());
  const [broke] = diff.broke;
  expect(broke?.relaySn).toBe(relay?.node.sn);
  expect([...(broke?.lostSns ?? [])].toSorted()).toEqual(gone.filter((sn) => sn !== relay?.node.sn).toSorted());
  expect(await told).toMatchObject({ type: 'topology.changed', id: dcuId, data: { left: gone.length } });
  await door(`/network/${dcuSn}`, { kind: 'restore', sn: relay?.node.sn });
});

it('a meter that moved to another DCU leaves one network and joins the other', async () => {
  const [otherId = ''] = town.dcuIds.slice(1);
  const [other] = await query<{ sn: string }>('select sn from dcu where id = $1', [otherId]);
  await drawn();
  const leaf = (await truth()).find((node) => node.level > 1 && !node.sn.endsWith('0000'));
  await door(`/network/${dcuSn}`, { kind: 'move', sn: leaf?.sn, to: other?.sn });
  const here = await drawn();
  const there = await drawn(otherId);
  expect(here.tree.some((line) => line.startsWith(leaf?.sn ?? ''))).toBe(false);
  expect(there.tree).toEqual(tree(await truth(other?.sn)));
  expect(there.tree.some((line) => line.startsWith(leaf?.sn ?? ''))).toBe(true);
});

it('S-035: a rebuild is ordered once, confirmed by reading the network before and after, and refused while one runs', async () => {
  const { taskId } = await orderSwitch(town.bench.ctx, who, { dcuId, operation: 'rebuild', reason: 'Many weak branches' });
  await expect(orderSwitch(town.bench.ctx, who, { dcuId, operation: 'rebuild', reason: 'Again' })).rejects.toMatchObject({ code: 'BUSY' });
  expect((await previewSwitch(town.bench.ctx.db, who.user, dcuId)).blockedBy).toEqual(['topology_switch']);
  await expect
    .poll(async () => (await query<{ state: string }>('select state from topology_switch where task_id = $1', [taskId]))[0]?.state, {
      timeout: 30_000,
      interval: 250,
    })
    .toBe('rebuilding');
  const [row] = await query<{ before: { nodes: number } }>('select before from topology_switch where task_id = $1', [taskId]);
  expect(row?.before.nodes).toBeGreaterThan(METERS / 2);
  expect(await query("select 1 from command_log where kind = 'topology_switch' and task_id = $1", [taskId])).toHaveLength(1);
  expect(await query("select 1 from audit_log where action = 'topology_switched'")).toHaveLength(1);
});

it('a network is switched to one medium and back, confirmed by its mode and its stations; the former medium stays known', async () => {
  const [otherId = ''] = town.dcuIds.slice(1);
  const row = async (taskId: string) =>
    (
      await query<{ state: string; before: unknown; after: unknown }>(
        'select state, before, after from topology_switch where task_id = $1',
        [taskId],
      )
    )[0];
  const settled = async (operation: 'mode_plc' | 'mode_dual') => {
    const { taskId } = await orderSwitch(town.bench.ctx, who, { dcuId: otherId, operation, reason: 'Noise' });
    const looked = async () => {
      // The test skips the ten seconds to the next check.
      await query("update task_item set not_before = now() where task_id = $1 and state = 'waiting'", [taskId]);
      return (await row(taskId))?.state;
    };
    await expect.poll(looked, { timeout: 30_000, interval: 200 }).toBe('settled');
    return row(taskId);
  };
  expect(await settled('mode_plc')).toMatchObject({ before: { mode: 'mode_dual' }, after: { mode: 'mode_plc' } });
  const { nodes } = await pictureOf(town.bench.ctx, who.user, otherId, undefined);
  expect(nodes.filter((node) => node.isOnline).every((node) => node.link === 'plc')).toBe(true);
  expect(await settled('mode_dual')).toMatchObject({ before: { mode: 'mode_plc' }, after: { mode: 'mode_dual' } });
});

it('S-034: modules are read with the network, a station answers each ping, and restarts once', async () => {
  const [otherId = ''] = town.dcuIds.slice(1);
  const { taskId: reading } = await orderReading(town.bench.ctx, who, otherId, 'modules');
  const state = async (task: string) =>
    (await query<{ state: string }>('select state from task_item where task_id = $1', [task]))[0]?.state;
  await expect.poll(() => state(reading), { timeout: 15_000, interval: 100 }).toBe('read_success');
  const modules = (await listStations(town.bench.ctx, who.user, { dcuId: otherId, page: 1, size: 100 })).items.filter(
    (row) => row.raw !== null,
  );
  expect(modules.length).toBeGreaterThan(METERS / 2);
  for (const { builtOn, noise, link } of modules) {
    expect(builtOn).toMatch(/^202\d-\d\d-\d\d$/);
    // Stations with radio and the DCU itself have no such value.
    expect(noise.length === 8 || noise.length === 0).toBe(true);
    if (noise.length > 0) expect(link).toBe('plc');
  }
  const [station] = await query<{ mac: string }>(
    'select n.mac from topology_node n join meter m on m.sn = n.sn and m.dcu_id = n.dcu_id where n.dcu_id = $1 and n.is_online order by n.level limit 1',
    [otherId],
  );
  const about = await aboutStation(town.bench.ctx, who.user, otherId, station?.mac ?? '');
  const { nodes } = await pictureOf(town.bench.ctx, who.user, otherId, undefined);
  expect(about.near.map(({ mac }) => mac).toSorted()).toEqual(
    nodes
      .filter(({ mac, parentMac, level }) => parentMac === station?.mac || (level === 1 && mac !== station?.mac))
      .map(({ mac }) => mac)
      .toSorted(),
  );
  expect(about.signal.at(-1)?.value).toBe(nodes.find(({ mac }) => mac === station?.mac)?.signalValue);
  await expect(aboutStation(town.bench.ctx, who.user, dcuId, station?.mac ?? '')).rejects.toMatchObject({ code: 'NOT_FOUND' });
  const { taskId } = await orderPing(town.bench.ctx, who, { mac: station?.mac ?? '', dcuId: otherId, count: 2, intervalS: 1 });
  await expect
    .poll(async () => query('select number from station_ping where task_id = $1 and ms is not null', [taskId]), {
      timeout: 15_000,
      interval: 200,
    })
    .toHaveLength(2);

  const { taskId: restart } = await orderRestart(town.bench.ctx, who, { mac: station?.mac ?? '', dcuId: otherId, reason: 'Deaf' });
  const restarted = async () => {
    await query("update task_item set not_before = now() where task_id = $1 and state = 'waiting'", [restart]);
    return state(restart);
  };
  await expect.poll(restarted, { timeout: 15_000, interval: 200 }).toBe('read_success');
  const [item] = await query<{ result: { counts: { before: number; after: number } } }>('select result from task_item where task_id = $1', [
    restart,
  ]);
  expect(item?.result.counts.after).toBe((item?.result.counts.before ?? 0) + 1);
  expect(await query("select 1 from command_log where task_id = $1 and result = 'sent'", [restart])).toHaveLength(1);
});

it('a captured session that is replayed in the simulator returns the captured values, not the present ones of the device', async () => {
  const { ctx } = town.bench;
  const name = async () =>
    (await query<{ actual: string }>("select actual from dcu_parameter where dcu_id = $1 and key = 'name'", [dcuId]))[0]?.actual;
  const readName = async () => {
    expect((await town.order(dcuId, 'dcu_config_read', { keys: ['name', 'heartbeat_s'] })).state).toBe('read_success');
    return name();
  };
  const listen = (level: 'off' | 'all', direction: 'up' | null = null) =>
    switchCapture(ctx, who, { dcuIds: [dcuId], level, hours: 1, direction, meterIds: [] });
  const captured = async () => {
    await readName();
    return (await query("select 1 from dcu_frame_log where dcu_id = $1 and service = 'getResponse'", [dcuId])).length;
  };
  // One direction only, each frame with its task.
  await listen('all', 'up');
  await expect.poll(captured, { timeout: 15_000, interval: 600 }).toBeGreaterThan(0);
  expect(await query('select distinct direction, task_id is not null as known from dcu_frame_log where dcu_id = $1', [dcuId])).toEqual([
    { direction: 'up', known: true },
  ]);
  await query('delete from dcu_frame_log where dcu_id = $1', [dcuId]);

  await listen('all');
  await expect.poll(captured, { timeout: 15_000, interval: 600 }).toBeGreaterThan(0);
  await listen('off');
  const before = await name();
  expect((await town.order(dcuId, 'dcu_config_write', { values: { name: 'Renamed' } })).state).toBe('read_success');
  expect(await readName()).toBe('Renamed');

  const door = () => ({ port: town.simulation.controlPort, secret: '' });
  expect((await replay(ctx, who, { dcuId, isOn: true }, door)).answers).toBeGreaterThan(1);
  expect(await readName()).toBe(before);
  await replay(ctx, who, { dcuId, isOn: false }, door);
  expect(await readName()).toBe('Renamed');
  await expect(replay(ctx, who, { dcuId, isOn: true }, () => undefined)).rejects.toMatchObject({ code: 'NO_SIMULATOR' });
});
