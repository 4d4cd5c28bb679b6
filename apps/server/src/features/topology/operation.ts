import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { parameterOf } from '@hes/contract/action/dcu-parameter.ts';
import { NETWORK_MODE_VALUES, networkMode, type NetworkMode } from '@hes/contract/states/topology.ts';
import type { ItemResult } from '@hes/contract/orders/results.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { monotonicNow, msSince } from '#platform/clock.ts';
import type { Operations, WorkItem, WorkReport } from '#tasks/operation.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import { logCommand } from '#field/operations/command-outcome.ts';
import { lacks, type NetworkCommand, type Station } from '#southbound/dcu-parts.ts';
import { partsOfDcu } from '#southbound/parts-of-dcu.ts';
import { readParameter, writeParameter } from '#features/parameters/port.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import {
  countPings,
  figuresOf,
  findNewestSnapshot,
  findBoots,
  findRestartSent,
  findSwitchOfTask,
  storeModules,
  storePing,
  storeTopology,
  updateSwitch,
  type Figures,
  type RunningSwitch,
} from './store.ts';
import { readUplink } from '#features/assets/port.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';

/** Polling interval while a network forms again. */
const LOOK_AGAIN_MS = 10_000;
/** Timeout for a network to form again. */
const SETTLED_WITHIN_MS = 30 * 60_000;
/** Share of the former stations that must be back in a settled network. */
const SETTLED_SHARE = 0.95;
const STATION_LOOK_MS = 5_000;
const STATION_BACK_WITHIN_MS = 5 * 60_000;
const MODE = parameterOf('network_mode');

async function readStations(tools: OperationTools, work: DeviceWork): Promise<Outcome<Station[]>> {
  const { topology } = await partsOfDcu(tools, work);
  return topology === undefined ? lacks('topology') : topology();
}

/** Reads and stores the network of a DCU. */
async function readTopology(tools: OperationTools, item: WorkItem, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const read = await readStations(tools, work);
  if (!read.ok) return read;
  const { figures, joined, left, moved } = await storeTopology(tools.ctx, { dcuId: item.dcuId, taskId: item.taskId, stations: read.value });
  // The uplink is read as well: one more request on an open link. Its failure does not affect the network.
  await readUplink(tools, work);
  return ok({ counts: { stations: figures.nodes, joined, left, moved } });
}

/** Reads and stores the modules of a network, after the network itself. */
async function readModules(tools: OperationTools, item: WorkItem, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const { modules } = await partsOfDcu(tools, work);
  if (modules === undefined) return lacks('modules');
  const read = await modules();
  if (!read.ok) return read;
  await storeModules(tools.ctx, item.dcuId, read.value);
  const network = await readTopology(tools, item, work);
  return network.ok ? ok({ counts: { ...network.value.counts, modules: read.value.length } }) : network;
}

/** Sends one request at a time and releases the worker between requests. */
async function pingStation(tools: OperationTools, item: WorkItem<'station_ping'>): Promise<WorkReport> {
  const { mac, count, intervalS } = item.params;
  const report = await withDevice(tools, item, async ({ link }) => {
    const begun = monotonicNow();
    const answer = await link.get(attributeRef(WELL_KNOWN.LDN, 'value'));
    return answer.ok ? ok({ counts: { ms: Math.round(msSince(begun)) } }) : answer;
  });
  const before = await countPings(tools.ctx, item.taskId, mac);
  const { outcome } = report;
  const answered = outcome.ok ? (outcome.value.counts?.['ms'] ?? null) : null;
  await storePing(tools.ctx, {
    taskId: item.taskId,
    mac,
    number: before.sent + 1,
    ms: answered,
    reasonCode: outcome.ok ? null : outcome.reason,
  });
  const sent = before.sent + 1;
  const counts = { sent, answered: before.ok + (outcome.ok ? 1 : 0) };
  if (sent < count) return { ...report, outcome: ok({ counts }), againInMs: intervalS * 1000 };
  return counts.answered === 0 ? report : { ...report, outcome: ok({ counts }) };
}

const modeOf = (operation: RunningSwitch['operation']): NetworkMode | undefined => networkMode.safeParse(operation).data;
const COMMANDS: readonly NetworkCommand[] = ['report_on', 'report_off', 'rebuild', 'restart_route_module'];

async function readMode({ link }: DeviceWork): Promise<Outcome<NetworkMode>> {
  const read = MODE === undefined ? failed('OBJECT_UNDEFINED') : await readParameter(link, MODE);
  if (!read.ok) return read;
  const mode = networkMode.options.find((one) => NETWORK_MODE_VALUES[one] === read.value);
  return mode === undefined ? failed('TYPE_MISMATCH', `mode ${read.value}`) : ok(mode);
}

/** Sets the media of a network and confirms it by read-back. */
async function chooseMode(work: DeviceWork, mode: NetworkMode): Promise<Outcome<void>> {
  if (MODE === undefined) return failed('OBJECT_UNDEFINED');
  const written = await writeParameter(work.link, MODE, NETWORK_MODE_VALUES[mode]);
  if (!written.ok) return written;
  const after = await readMode(work);
  if (!after.ok) return after;
  return after.value === mode ? ok(undefined) : failed('READ_BACK_DIFFERS', after.value);
}

async function executeSwitch(tools: OperationTools, work: DeviceWork, operation: RunningSwitch['operation']): Promise<Outcome<void>> {
  const mode = modeOf(operation);
  if (mode !== undefined) return chooseMode(work, mode);
  const command = COMMANDS.find((one) => one === operation);
  if (command === undefined) return failed('INTERNAL', `There is no order ${operation}`);
  const { network } = await partsOfDcu(tools, work);
  return network === undefined ? lacks('network') : network(command);
}

async function sendSwitch(
  tools: OperationTools,
  item: WorkItem,
  work: DeviceWork,
  order: RunningSwitch,
): Promise<Outcome<'again' | Figures>> {
  const before = await readStations(tools, work);
  if (!before.ok) return before;
  const wanted = modeOf(order.operation);
  const used = wanted === undefined ? undefined : await readMode(work);
  if (used?.ok === false) return used;
  const figures: Figures = { ...figuresOf(before.value), ...(used === undefined ? {} : { mode: used.value }) };
  await storeTopology(tools.ctx, { dcuId: item.dcuId, taskId: item.taskId, stations: before.value });
  // Stored before the script runs, so that a lost turn does not run it again.
  await updateSwitch(tools.ctx, order.id, { state: 'rebuilding', before: figures });
  const sent = await executeSwitch(tools, work, order.operation);
  if (!sent.ok) return sent;
  return order.operation === 'report_on' || order.operation === 'report_off' ? ok(figures) : ok('again');
}

/**
 * Whether two consecutive readings show the same number of stations. In addition most former stations must be back or, after a
 * change of media, all stations must use the new medium.
 */
function hasSettled(order: RunningSwitch, now: readonly Station[], before: readonly Station[] | undefined): boolean {
  if (now.length === 0 || before?.length !== now.length) return false;
  const mode = modeOf(order.operation);
  if (mode === undefined || mode === order.before?.mode) return now.length >= (order.before?.nodes ?? 0) * SETTLED_SHARE;
  return mode === 'mode_dual' || now.every(({ link }) => link === (mode === 'mode_plc' ? 'plc' : 'rf'));
}

async function pollNetwork(
  tools: OperationTools,
  item: WorkItem,
  work: DeviceWork,
  order: RunningSwitch,
): Promise<Outcome<'again' | Figures>> {
  const read = await readStations(tools, work);
  if (!read.ok) return read;
  const last = await findNewestSnapshot(tools.ctx, item.dcuId);
  await storeTopology(tools.ctx, { dcuId: item.dcuId, taskId: item.taskId, stations: read.value });
  if (hasSettled(order, read.value, last?.stations)) {
    const mode = modeOf(order.operation);
    return ok({ ...figuresOf(read.value), ...(mode === undefined ? {} : { mode }) });
  }
  return tools.ctx.clock.now() - order.startedAt.getTime() > SETTLED_WITHIN_MS
    ? failed('NO_ROUTE', 'The network did not come back')
    : ok('again');
}

/**
 * Runs one turn of a switch of a network: orders it, then polls until the network has settled. Readings before and after document
 * the result.
 */
async function switchTopology(tools: OperationTools, item: WorkItem<'topology_switch'>): Promise<WorkReport> {
  const order = await findSwitchOfTask(tools.ctx, item.taskId, item.dcuId);
  if (order === undefined) return { outcome: failed('INTERNAL', 'There is no such switch'), traceId: undefined };
  let next: Outcome<'again' | Figures> = failed('DCU_OFFLINE');
  const report = await withDevice(tools, item, async (work): Promise<Outcome<ItemResult>> => {
    next = order.state === 'sent' ? await sendSwitch(tools, item, work, order) : await pollNetwork(tools, item, work, order);
    if (!next.ok) return next;
    return ok({ counts: { stations: next.value === 'again' ? (order.before?.nodes ?? 0) : next.value.nodes } });
  });
  // as: the compiler does not see the assignment in the closure
  const done = next as Outcome<'again' | Figures>;
  if (done.ok && done.value === 'again') return { ...report, againInMs: LOOK_AGAIN_MS };
  const isTransient =
    !report.outcome.ok && order.state === 'rebuilding' && tools.ctx.clock.now() - order.startedAt.getTime() < SETTLED_WITHIN_MS;
  if (isTransient) return { outcome: ok({}), traceId: report.traceId, againInMs: LOOK_AGAIN_MS };
  if (report.outcome.ok && done.ok && done.value !== 'again')
    await updateSwitch(tools.ctx, order.id, { state: 'settled', after: done.value });
  else if (!report.outcome.ok) await updateSwitch(tools.ctx, order.id, { state: 'failed', reasonCode: report.outcome.reason });
  return { ...report, logged: { operation: order.operation } };
}

/**
 * Restarts the module of a station once, then polls its restart counter for confirmation. The command log contains the
 * transmission, so a later turn only polls.
 */
async function restartStation(tools: OperationTools, item: WorkItem<'station_restart'>): Promise<WorkReport> {
  const { mac, boots } = item.params;
  const sentAt = await findRestartSent(tools.ctx, item.id);
  let isDone = false;
  const report = await withDevice(tools, item, async (work): Promise<Outcome<ItemResult>> => {
    if (sentAt === undefined) return sendRestart(tools, item, work, mac);
    const read = await readModules(tools, item, work);
    if (!read.ok) return read;
    const now = await findBoots(tools.ctx, mac);
    isDone = now !== undefined && now > boots;
    return ok({ counts: { before: boots, after: now ?? boots } });
  });
  const logged = { mac };
  if (!report.outcome.ok || isDone) return { ...report, logged };
  if (sentAt !== undefined && tools.ctx.clock.now() - sentAt.getTime() > STATION_BACK_WITHIN_MS)
    return { outcome: failed('NO_ROUTE', 'The station did not come back'), traceId: report.traceId, logged };
  return { ...report, againInMs: STATION_LOOK_MS };
}

async function sendRestart(tools: OperationTools, item: WorkItem, work: DeviceWork, mac: string): Promise<Outcome<ItemResult>> {
  const { station_restart: restart } = await partsOfDcu(tools, work);
  if (restart === undefined) return lacks('station_restart');
  await logCommand(tools, item, { result: 'sent', request: { mac } });
  const sent = await restart(mac);
  return sent.ok ? ok({}) : sent;
}

/** Operations on the networks of DCUs. */
export const topologyOperations = (
  tools: OperationTools,
): Pick<Operations, 'topology' | 'modules' | 'station_ping' | 'topology_switch' | 'station_restart'> => ({
  topology: (item) => withDevice(tools, item, (work) => readTopology(tools, item, work)),
  modules: (item) => withDevice(tools, item, (work) => readModules(tools, item, work)),
  topology_switch: (item) => switchTopology(tools, item),
  station_restart: (item) => restartStation(tools, item),
  station_ping: (item) => pingStation(tools, item),
});
