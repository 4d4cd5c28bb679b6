import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { ValueOf } from '@hes/dlms/codec/codec.ts';
import { toEpochMs } from '@hes/dlms/cosem/date-time.ts';
import { DCU_ARRAYS, DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import { writeCommands } from '#db/command-log.ts';
import type { StoredStation } from '#db/topology-snapshot.ts';
import type { ItemResult, Operation, WorkItem, WorkReport } from '#tasks/operation.ts';
import { Arrays } from './archive-wire.ts';
import { placeInProfile } from './dcu-profile.ts';
import { runScript } from './discovery.ts';
import type { OperationTools } from './operation-tools.ts';
import {
  countPings,
  figuresOf,
  findNewestSnapshot,
  findSwitchOfTask,
  storeModules,
  storePing,
  storeTopology,
  updateSwitch,
  type Figures,
  type RunningSwitch,
  type StoredModule,
} from './topology-store.ts';
import { withDevice, type DeviceWork } from './with-device.ts';

const ROLES = { coordinator: 'cco', relay: 'pco', station: 'sta' } as const;
/** While a network forms itself anew it is looked at so often. */
const LOOK_AGAIN_MS = 10_000;
/** A network that has not come back by then will not. */
const SETTLED_WITHIN_MS = 30 * 60_000;
/** Of the stations before, so many are back in a network that has settled. */
const SETTLED_SHARE = 0.95;

const text = (octets: Uint8Array): string => Buffer.from(octets).toString('latin1');
const hex = (octets: Uint8Array): string => Buffer.from(octets).toString('hex').toUpperCase();

type TopologyEntry = ValueOf<typeof DCU_ENTRIES.topology>;
type ModuleEntry = ValueOf<typeof DCU_ENTRIES.modules>;

function stationsOf(entries: readonly TopologyEntry[], deviationMinutes: number): StoredStation[] {
  const macOf = new Map(entries.map((entry) => [entry.nodeId, hex(entry.mac)]));
  return entries
    .filter((entry) => entry.role !== 'coordinator')
    .map((entry) => {
      const since = toEpochMs(entry.onlineSince, deviationMinutes);
      return {
        mac: hex(entry.mac),
        nodeId: entry.nodeId,
        sn: text(entry.serialNumber).toUpperCase(),
        // The coordinator's address, or one that nobody has: it hangs on the DCU.
        parentMac: macOf.get(entry.parentId) ?? null,
        level: entry.level,
        role: ROLES[entry.role],
        phase: entry.phase,
        link: entry.communicationMode === 'rf' ? 'rf' : 'plc',
        signalValue: entry.signal,
        upPct: entry.uplinkSuccess,
        downPct: entry.downlinkSuccess,
        onlineSince: since === null ? null : new Date(since).toISOString(),
      };
    });
}

const moduleOf = (entry: ModuleEntry): StoredModule => ({
  mac: hex(entry.mac),
  role: ROLES[entry.role],
  chipId: text(entry.chip),
  vendor: text(entry.vendor),
  hwVersion: text(entry.hardwareVersion),
  swVersion: text(entry.softwareVersion),
  boots: entry.bootCount,
  uptimeS: entry.uptimeSeconds,
  raw: {
    ...entry,
    mac: hex(entry.mac),
    chip: text(entry.chip),
    vendor: text(entry.vendor),
    hardwareVersion: text(entry.hardwareVersion),
    softwareVersion: text(entry.softwareVersion),
  },
});

async function arraysOf(tools: OperationTools, { link, dcuId }: DeviceWork): Promise<Arrays | undefined> {
  const place = await placeInProfile(tools.ctx.db, dcuId, 'ARRAYS');
  return place === undefined ? undefined : new Arrays(link, place.obis);
}

const NO_NETWORK = failed('OBJECT_UNDEFINED', 'The profile of this DCU knows no topology');

async function readStations(tools: OperationTools, work: DeviceWork): Promise<Outcome<StoredStation[]>> {
  const arrays = await arraysOf(tools, work);
  if (arrays === undefined) return NO_NETWORK;
  const read = await arrays.retrieveAll(DCU_ARRAYS.topology.id, DCU_ENTRIES.topology);
  return read.ok ? ok(stationsOf(read.value, tools.zone.deviationMinutes(work.now))) : read;
}

/** Reads the network of a DCU and keeps it. */
async function readTopology(tools: OperationTools, item: WorkItem, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const read = await readStations(tools, work);
  if (!read.ok) return read;
  const { figures, joined, left, moved } = await storeTopology(tools.ctx, { dcuId: item.dcuId, taskId: item.taskId, stations: read.value });
  return ok({ counts: { stations: figures.nodes, joined, left, moved } });
}

/** Reads the modules of a network, and the network with them. */
async function readModules(tools: OperationTools, item: WorkItem, work: DeviceWork): Promise<Outcome<ItemResult>> {
  const arrays = await arraysOf(tools, work);
  if (arrays === undefined) return NO_NETWORK;
  const read = await arrays.retrieveAll(DCU_ARRAYS.modules.id, DCU_ENTRIES.modules);
  if (!read.ok) return read;
  await storeModules(tools.ctx, item.dcuId, read.value.map(moduleOf));
  const network = await readTopology(tools, item, work);
  return network.ok ? ok({ counts: { ...network.value.counts, modules: read.value.length } }) : network;
}

/** One question and one answer at a time; between them nobody is held up. */
async function pingStation(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const { mac, count, intervalS } = item.params;
  if (typeof mac !== 'string' || typeof count !== 'number' || typeof intervalS !== 'number')
    return { outcome: failed('INTERNAL', 'The order names no station'), traceId: undefined };
  const report = await withDevice(tools, item, async ({ link }) => {
    const { cosemClass, instance } = WELL_KNOWN.LDN;
    const begun = performance.now();
    const answer = await link.get({ classId: cosemClass.id, instance, attributeId: cosemClass.attributes.value.id });
    return answer.ok ? ok({ counts: { ms: Math.round(performance.now() - begun) } }) : answer;
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

const SCRIPTS = {
  report_on: 'topologyReportOn',
  report_off: 'topologyReportOff',
  rebuild: 'rebuildNetwork',
  restart_route_module: 'restartRouteModule',
} as const;

async function sendSwitch(
  tools: OperationTools,
  item: WorkItem,
  work: DeviceWork,
  order: RunningSwitch,
): Promise<Outcome<'again' | Figures>> {
  const before = await readStations(tools, work);
  if (!before.ok) return before;
  const figures = figuresOf(before.value);
  await storeTopology(tools.ctx, { dcuId: item.dcuId, taskId: item.taskId, stations: before.value });
  // Written down first: a turn that is lost after the script has run must not run it again.
  await updateSwitch(tools.ctx, order.id, { state: 'rebuilding', before: figures });
  const sent = await runScript(tools, work, SCRIPTS[order.operation]);
  if (!sent.ok) return sent;
  return order.operation === 'report_on' || order.operation === 'report_off' ? ok(figures) : ok('again');
}

async function lookAgain(
  tools: OperationTools,
  item: WorkItem,
  work: DeviceWork,
  order: RunningSwitch,
): Promise<Outcome<'again' | Figures>> {
  const read = await readStations(tools, work);
  if (!read.ok) return read;
  const last = await findNewestSnapshot(tools.ctx, item.dcuId);
  await storeTopology(tools.ctx, { dcuId: item.dcuId, taskId: item.taskId, stations: read.value });
  const isBack = read.value.length >= (order.before?.nodes ?? 0) * SETTLED_SHARE && last?.stations.length === read.value.length;
  if (isBack) return ok(figuresOf(read.value));
  return tools.ctx.clock.now() - order.startedAt.getTime() > SETTLED_WITHIN_MS
    ? failed('NO_ROUTE', 'The network did not come back')
    : ok('again');
}

/** A switch of a network, in turns: order it, and look until it has settled. What it was before and after is proved by reading it. */
async function switchTopology(tools: OperationTools, item: WorkItem): Promise<WorkReport> {
  const order = await findSwitchOfTask(tools.ctx, item.taskId, item.dcuId);
  if (order === undefined) return { outcome: failed('INTERNAL', 'There is no such switch'), traceId: undefined };
  let next: Outcome<'again' | Figures> = failed('DCU_OFFLINE');
  const report = await withDevice(tools, item, async (work): Promise<Outcome<ItemResult>> => {
    next = order.state === 'sent' ? await sendSwitch(tools, item, work, order) : await lookAgain(tools, item, work, order);
    if (!next.ok) return next;
    return ok({ counts: { stations: next.value === 'again' ? (order.before?.nodes ?? 0) : next.value.nodes } });
  });
  // as: what the closure assigned is out of the compiler's sight.
  const done = next as Outcome<'again' | Figures>;
  if (done.ok && done.value === 'again') return { ...report, againInMs: LOOK_AGAIN_MS };
  const isTransient =
    !report.outcome.ok && order.state === 'rebuilding' && tools.ctx.clock.now() - order.startedAt.getTime() < SETTLED_WITHIN_MS;
  if (isTransient) return { outcome: ok({}), traceId: report.traceId, againInMs: LOOK_AGAIN_MS };
  if (report.outcome.ok && done.ok && done.value !== 'again')
    await updateSwitch(tools.ctx, order.id, { state: 'settled', after: done.value });
  else if (!report.outcome.ok) await updateSwitch(tools.ctx, order.id, { state: 'failed', reasonCode: report.outcome.reason });
  await log(tools, item, order, report);
  return report;
}

async function log(tools: OperationTools, item: WorkItem, order: RunningSwitch, { outcome, traceId }: WorkReport): Promise<void> {
  const entry = {
    userId: null,
    kind: item.kind,
    deviceKind: 'dcu' as const,
    deviceId: item.dcuId,
    request: { operation: order.operation },
    result: outcome.ok ? 'ok' : outcome.reason,
    taskId: item.taskId,
    taskItemId: item.id,
    traceId: traceId ?? null,
  };
  const { db, clock } = tools.ctx;
  await db.transaction().execute((tx) => writeCommands(tx, [entry], clock.now()));
}

/** Work with the networks behind DCUs. */
export const topologyOperations = (tools: OperationTools): Record<string, Operation> => ({
  topology: (item) => withDevice(tools, item, (work) => readTopology(tools, item, work)),
  modules: (item) => withDevice(tools, item, (work) => readModules(tools, item, work)),
  topology_switch: (item) => switchTopology(tools, item),
  station_ping: (item) => pingStation(tools, item),
});
