import { DCU_OBJECTS } from '@hes/dlms/catalogue/reference-objects.ts';
import { objectKey } from '@hes/dlms/association/server-options.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import type { Obis } from '@hes/dlms/cosem/obis.ts';
import type { DcuScript, DcuShapes } from '@hes/dlms/profile/dcu-shapes.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { activationSchedule } from '#behaviours/activation-schedule.ts';
import { associationObject } from '#behaviours/association.ts';
import { clockObject, type ClockState } from '#behaviours/clock.ts';
import { asciiOctets, dataObject } from '#behaviours/data.ts';
import { gsmDiagnosticObject } from '#behaviours/gsm-diagnostic.ts';
import { ipv4Object } from '#behaviours/ipv4.ts';
import { arraysObject } from '#behaviours/array-manager.ts';
import { activate, imageObject } from '#behaviours/image-transfer.ts';
import { profileObject } from '#behaviours/profile.ts';
import { pushObject } from '#behaviours/push.ts';
import { sapObject } from '#behaviours/sap.ts';
import { scriptsObject } from '#behaviours/script-table.ts';
import { securityObject } from '#behaviours/security.ts';
import { autoConnectObject, gprsModemObject, macAddressObject, ntpObject, pppObject } from '#behaviours/uplink.ts';
import type { DcuPlan } from '#world/plan.ts';
import { addressOf, hasModem, macAddressOf, uplinkAt } from '#world/uplink.ts';
import type { FleetContext } from './context.ts';
import { createCounters } from './counters.ts';
import { createDcuCache, hasMeterKeys, type DcuCache } from './dcu-cache.ts';
import type { DcuArchive } from './dcu-archive.ts';
import type { DcuNetwork } from './dcu-network.ts';
import { networkObjects } from './dcu-network-objects.ts';
import type { DcuParameters } from './dcu-parameters.ts';
import type { DcuSearch } from './dcu-search.ts';
import type { DcuTasks } from './dcu-tasks.ts';
import type { DeviceFirmware } from './firmware.ts';
import { createImageBroadcast } from './image-broadcast.ts';
import { titleOfDcu } from './keys.ts';
import type { Meter } from './meter.ts';
import { MAX_PDU_SIZE, RULES } from './rules.ts';
import type { SimulatedObject } from './simulate.ts';

const SCRIPT_TABLE = DCU_OBJECTS.SCRIPTS;
const MODELS = {
  dcu: {
    model: 'HES-DC',
    version: 'HES-DC 3.1.0',
    versions: [DCU_OBJECTS.FIRMWARE, WELL_KNOWN.FWID.instance],
    image: DCU_OBJECTS.IMAGE,
  },
  rt: { model: 'HES-RT', version: 'HES-RT 1.2.0', versions: [DCU_OBJECTS.FIRMWARE_ROUTE_MODULE], image: DCU_OBJECTS.IMAGE_ROUTE_MODULE },
  sta: { model: 'HES-ST', version: 'HES-ST 1.2.0', versions: [DCU_OBJECTS.FIRMWARE_STATIONS], image: DCU_OBJECTS.IMAGE_STATIONS },
} as const;

/** The objects of a DCU that only forwards. */
const GATEWAY_OBJECTS: ReadonlySet<string> = new Set(
  (['LDN', 'CLOCK'] as const).map((key) => objectKey(WELL_KNOWN[key].cosemClass.id, WELL_KNOWN[key].instance)),
);

/** Parts of a DCU on which its COSEM objects operate. */
export interface DcuParts {
  archive: DcuArchive;
  tasks: DcuTasks;
  search: DcuSearch;
  parameters: DcuParameters;
  network: DcuNetwork;
  restart(): void;
  /** Meters that receive broadcasts over the power line. */
  broadcastReceivers(): Iterable<Meter>;
  /** Sends the clock deviation of the DCU to every meter in reach. */
  broadcastClock(aheadMs: number): void;
}

export function createDcuDevice(context: FleetContext, plan: DcuPlan, works: DcuParts): LogicalDevice {
  const counters = createCounters(context.now);
  const clock: ClockState = { now: context.now, aheadMs: 0, local: context.world.localTime };
  const systemTitle = titleOfDcu(plan);
  const objects = new Map<string, SimulatedObject>();
  const add = (object: SimulatedObject): void => void objects.set(objectKey(object.classId, object.instance), object);
  const text = (instance: Obis, value: string): void => add(dataObject(() => asciiOctets(value), instance));

  text(WELL_KNOWN.LDN.instance, plan.sn);
  text(WELL_KNOWN.SN.instance, plan.sn);
  const firmware = (target: keyof typeof MODELS): DeviceFirmware => {
    const { model, version, versions, image } = MODELS[target];
    // A restart of a module does not affect the DCU.
    const onRestart = target === 'dcu' ? works.restart : () => undefined;
    const made = context.firmware.of(target, { sn: plan.sn, model, version, onRestart });
    // Some head-ends read the version of the DCU where meters keep theirs.
    for (const instance of versions) add(dataObject(() => asciiOctets(made.version), instance));
    add(imageObject(made, image));
    return made;
  };
  add(activationSchedule({ firmware: firmware('dcu'), ...clock }, WELL_KNOWN.SCHEDULE_IMAGE.instance));
  const meters = createImageBroadcast({ context, dcuSn: plan.sn, broadcastReceivers: works.broadcastReceivers });
  add(imageObject(meters, DCU_OBJECTS.IMAGE_METERS));
  const modules = { rt: firmware('rt'), sta: firmware('sta'), meters };
  add(dataObject(() => ({ type: 'doubleLongUnsigned', value: counters.highest() }), WELL_KNOWN.IC.instance));
  add(clockObject(clock, WELL_KNOWN.CLOCK.instance));
  add(sapObject({ name: plan.sn }, WELL_KNOWN.SAP.instance));
  add(securityObject({ systemTitle }, WELL_KNOWN.SECURITY.instance));
  add(pushObject({ list: [], destination: '' }, WELL_KNOWN.PUSH.instance));
  add(
    arraysObject(
      { ...works, shapes: context.dcuModel.shapes, refuses: () => context.faults.has(plan.sn, 'refuse_archive') },
      WELL_KNOWN.ARRAYS.instance,
    ),
  );
  const cache = createDcuCache(context, plan, works);
  if (hasMeterKeys(plan)) for (const [instance, profile] of cache.profiles) add(profileObject(profile, instance));
  for (const object of [...works.parameters.objects(), ...networkObjects(works.network)]) add(object);
  const uplink = () => uplinkAt(context.world.plan.seed, plan, context.now());
  const { apn, calling, ntpServer } = works.parameters;
  add(ipv4Object({ address: addressOf(plan), below: WELL_KNOWN[hasModem(plan) ? 'PPP' : 'MAC'].instance }, WELL_KNOWN.IPV4.instance));
  if (hasModem(plan)) {
    add(pppObject({ user: plan.sn, below: WELL_KNOWN.GPRS.instance }, WELL_KNOWN.PPP.instance));
    add(gprsModemObject(apn, WELL_KNOWN.GPRS.instance));
    add(gsmDiagnosticObject({ uplink, clock }, WELL_KNOWN.GSM.instance));
  } else add(macAddressObject(macAddressOf(plan), WELL_KNOWN.MAC.instance));
  add(autoConnectObject(calling, WELL_KNOWN.AUTO_CONNECT.instance));
  add(ntpObject(ntpServer, WELL_KNOWN.NTP.instance));
  add(scriptsObject(numbered(scriptsOf({ ...works, cache }, clock, modules), context.dcuModel.shapes), SCRIPT_TABLE));
  add(associationObject({ objects: () => [...objects.values()], clientSap: 1, serverSap: 1 }, WELL_KNOWN.ASSOCIATION.instance));

  return new LogicalDevice({
    objects(classId, instance) {
      const key = objectKey(classId, instance);
      const isServed = !context.dcuModel.isPlainGateway || GATEWAY_OBJECTS.has(key);
      const object = isServed ? objects.get(key) : undefined;
      if (object === undefined) context.tally.absent.add(`${plan.sn} ${key}`);
      return object && context.recordings.replayed(plan.sn, object);
    },
    systemTitle,
    keys: context.keys.of(plan.sn),
    cipher: nodeCipher,
    rules: RULES,
    maxPduSize: MAX_PDU_SIZE,
    counters,
  });
}

/** Scripts by their numbers in the model of the DCU; a script without number does not exist. */
const numbered = (scripts: ReadonlyMap<DcuScript, () => void>, { scripts: numbers }: DcuShapes): ReadonlyMap<number, () => void> =>
  new Map([...scripts].flatMap(([name, run]) => (numbers[name] === undefined ? [] : [[numbers[name], run]])));

const scriptsOf = (
  { search, network, restart, broadcastClock, parameters, cache }: DcuParts & { cache: DcuCache },
  clock: ClockState,
  modules: Record<'rt' | 'sta' | 'meters', DeviceFirmware>,
): ReadonlyMap<DcuScript, () => void> => {
  const initialise = () => {
    search.clear();
    cache.clear();
  };
  return new Map<DcuScript, () => void>([
    ['startDiscovery', search.start],
    ['stopDiscovery', search.stop],
    ['clearDiscovered', search.clear],
    ['rebuildNetwork', network.rebuild],
    ['restartRouteModule', network.restartRouteModule],
    ['restartDcu', restart],
    ['upgradeRouteModule', () => void activate(modules.rt)],
    ['upgradeStations', () => void activate(modules.sta)],
    ['broadcastImage', () => void activate(modules.meters)],
    ['broadcastClock', () => broadcastClock(clock.aheadMs)],
    ['initialiseData', initialise],
    [
      'factoryReset',
      () => {
        parameters.factoryReset();
        network.setMode('dual');
        initialise();
        restart();
      },
    ],
    // The topology is always available for reading; this profile has no topology push.
    ['topologyReportOn', () => undefined],
    ['topologyReportOff', () => undefined],
  ]);
};
