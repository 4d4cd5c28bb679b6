import { objectKey } from '@hes/dlms/association/server-options.ts';
import { LogicalDevice } from '@hes/dlms/association/server.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { type Obis, obis } from '@hes/dlms/cosem/obis.ts';
import { DCU_SCRIPTS } from '@hes/dlms/profile/reference-dcu.ts';
import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { associationObject } from '#behaviours/association.ts';
import { clockObject, type ClockState } from '#behaviours/clock.ts';
import { asciiOctets, dataObject } from '#behaviours/data.ts';
import { arraysObject } from '#behaviours/array-manager.ts';
import { pushObject } from '#behaviours/push.ts';
import { sapObject } from '#behaviours/sap.ts';
import { scriptsObject } from '#behaviours/script-table.ts';
import { securityObject } from '#behaviours/security.ts';
import type { DcuPlan } from '#world/plan.ts';
import type { FleetContext } from './context.ts';
import { createCounters } from './counters.ts';
import type { DcuArchive } from './dcu-archive.ts';
import type { DcuNetwork } from './dcu-network.ts';
import type { DcuSearch } from './dcu-search.ts';
import { keysOf, titleOfDcu } from './keys.ts';
import { MAX_PDU_SIZE, RULES } from './rules.ts';
import type { SimulatedObject } from './simulate.ts';

const SCRIPT_TABLE = obis('0.0.10.0.128.255');
const FIRMWARE = 'HES-DC 3.1.0';
const DCU_FIRMWARE_ID = obis('0.0.0.2.0.255');

/** The management logical device of the DCU itself: what answers when a request has no gateway prefix. */
/** What the device's own objects work on. */
export interface DcuWorks {
  archive: DcuArchive;
  search: DcuSearch;
  network: DcuNetwork;
  restart(): void;
  /** Tells every meter that hears it how far the DCU's clock is ahead. */
  broadcastClock(aheadMs: number): void;
}

export function createDcuDevice(context: FleetContext, plan: DcuPlan, works: DcuWorks): LogicalDevice {
  const counters = createCounters(context.now);
  const clock: ClockState = { now: context.now, aheadMs: 0 };
  const systemTitle = titleOfDcu(plan);
  const objects = new Map<string, SimulatedObject>();
  const add = (object: SimulatedObject): void => void objects.set(objectKey(object.classId, object.instance), object);
  const text = (instance: Obis, value: string): void => add(dataObject(() => asciiOctets(value), instance));

  text(WELL_KNOWN.LDN.instance, plan.sn);
  text(WELL_KNOWN.SN.instance, plan.sn);
  // Some head-ends look where meters keep it.
  for (const instance of [DCU_FIRMWARE_ID, WELL_KNOWN.FWID.instance]) text(instance, FIRMWARE);
  add(dataObject(() => ({ type: 'doubleLongUnsigned', value: counters.highest() }), WELL_KNOWN.IC.instance));
  add(clockObject(clock, WELL_KNOWN.CLOCK.instance));
  add(sapObject({ name: plan.sn }, WELL_KNOWN.SAP.instance));
  add(securityObject({ systemTitle }, WELL_KNOWN.SECURITY.instance));
  add(pushObject({ list: [], destination: '' }, WELL_KNOWN.PUSH.instance));
  add(arraysObject({ ...works, refuses: () => context.faults.has(plan.sn, 'refuse_archive') }, WELL_KNOWN.ARRAYS.instance));
  add(scriptsObject(scriptsOf(works, clock), SCRIPT_TABLE));
  add(associationObject({ objects: () => [...objects.values()], clientSap: 1, serverSap: 1 }, WELL_KNOWN.ASSOCIATION.instance));

  return new LogicalDevice({
    objects,
    systemTitle,
    keys: keysOf(context.world.plan.seed, plan.sn),
    cipher: nodeCipher,
    rules: RULES,
    maxPduSize: MAX_PDU_SIZE,
    counters,
  });
}

const scriptsOf = ({ search, network, restart, broadcastClock }: DcuWorks, clock: ClockState): ReadonlyMap<number, () => void> =>
  new Map([
    [DCU_SCRIPTS.startDiscovery, search.start],
    [DCU_SCRIPTS.stopDiscovery, search.stop],
    [DCU_SCRIPTS.clearDiscovered, search.clear],
    [DCU_SCRIPTS.rebuildNetwork, network.rebuild],
    [DCU_SCRIPTS.restartRouteModule, network.restartRouteModule],
    [DCU_SCRIPTS.restartDcu, restart],
    [DCU_SCRIPTS.broadcastClock, () => broadcastClock(clock.aheadMs)],
    [DCU_SCRIPTS.initialiseData, search.clear],
    // Whoever reads the topology gets it either way; nothing is pushed by this profile.
    [DCU_SCRIPTS.topologyReportOn, () => undefined],
    [DCU_SCRIPTS.topologyReportOff, () => undefined],
  ]);
