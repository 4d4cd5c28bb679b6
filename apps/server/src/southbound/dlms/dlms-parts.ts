import { ok } from '@hes/contract/core/outcome.ts';
import type { DcuPart } from '@hes/contract/asset/dcu-part.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { ProfileObject } from '@hes/dlms/profile/device-profile.ts';
import {
  entryCodec,
  REFERENCE_SHAPES,
  type ArrayShape,
  type DcuEntry,
  type DcuScript,
  type DcuShapes,
} from '@hes/dlms/profile/dcu-shapes.ts';
import type { DcuArrayName } from '@hes/dlms/profile/reference-dcu.ts';
import { required } from '@hes/dlms/security/cipher.ts';
import { partsOfBody, type ResolvedBody } from '#db/seed/southbound-profiles.ts';
import type { DeviceLink } from '#field/link.ts';
import type { DcuParts, DcuLink, NetworkCommand } from '#southbound/dcu-parts.ts';
import { DlmsArchive } from './archive.ts';
import { EntryArray } from './arrays.ts';
import { readCache } from './cache.ts';
import { readFound, readModules, readStations } from './network.ts';
import { scriptsIn } from './scripts.ts';
import { readSignal } from './signal.ts';
import { tasksIn } from './tasks.ts';

const NETWORK_SCRIPTS: Record<NetworkCommand, DcuScript> = {
  report_on: 'topologyReportOn',
  report_off: 'topologyReportOff',
  rebuild: 'rebuildNetwork',
  restart_route_module: 'restartRouteModule',
};

type Members = Required<Omit<DcuParts, 'cache' | 'signal'>>;

/** Makes each member when the profile has its part: the objects that it is made of may be missing otherwise. */
function membersOf(dcu: DcuLink, profile: ResolvedBody): { [K in DcuPart]: () => Members[K] } {
  const { link, now, zone } = dcu;
  const { objects } = profile;
  const shapes: DcuShapes = profile.shapes ?? REFERENCE_SHAPES;
  const placeOf = (key: string) => required(objects.get(key), `object ${key} of the profile`);
  const shapeOf = (name: DcuArrayName): ArrayShape => required(shapes.arrays[name], `array ${name} of the profile`);
  const array = <N extends DcuArrayName>(name: N): EntryArray<DcuEntry<N>> =>
    new EntryArray(link, placeOf('ARRAYS').obis, { id: shapeOf(name).id, codec: entryCodec(name, shapeOf(name)) });
  const run = scriptsIn(link, objects, shapes);
  const imageAt = (key: string, script: DcuScript) => ({ image: obis(placeOf(key).obis), activate: () => run(script) });
  return {
    archive: () => new DlmsArchive(link, placeOf('ARRAYS').obis, shapeOf('archive')),
    discovery: () => ({
      start: () => run('startDiscovery'),
      // A DCU without this script ends its searches without an order.
      stop: () => (shapes.scripts.stopDiscovery === undefined ? Promise.resolve(ok(undefined)) : run('stopDiscovery')),
      found: () => readFound(array('discovered'), { now, deviationMinutes: zone.deviationMinutes(now) }),
      clear: () => run('clearDiscovered'),
    }),
    topology: () => () => readStations(array('topology'), zone.deviationMinutes(now)),
    modules: () => () => readModules(array('modules')),
    station_restart: () => (mac) => restartStation(link, placeOf('RESTART_STATION'), mac),
    network: () => (command) => run(NETWORK_SCRIPTS[command]),
    tasks: () => tasksIn(link, array('tasks'), { shape: shapeOf('tasks'), objects }),
    restart: () => () => run('restartDcu'),
    factory_reset: () => () => run('factoryReset'),
    clock_broadcast: () => () => run('broadcastClock'),
    parameters: () => true,
    event_log: () => true,
    firmware: () => ({ image: obis(placeOf('IMAGE').obis) }),
    rt_firmware: () => imageAt('IMAGE_ROUTE_MODULE', 'upgradeRouteModule'),
    sta_firmware: () => imageAt('IMAGE_STATIONS', 'upgradeStations'),
    image_broadcast: () => imageAt('IMAGE_METERS', 'broadcastImage'),
  };
}

/** A DCU with the objects, arrays and scripts of its profile. */
export function dlmsParts(dcu: DcuLink, profile: ResolvedBody): DcuParts {
  const members = membersOf(dcu, profile);
  const { objects } = profile;
  const gsm = objects.get('GSM');
  return {
    ...Object.fromEntries(partsOfBody(profile).map((part) => [part, members[part]()])),
    ...(objects.has('CACHED_METER') ? { cache: (query) => readCache(dcu, objects, query) } : {}),
    ...(gsm === undefined ? {} : { signal: () => readSignal(dcu, gsm) }),
  };
}

/** Writes the address of a module to the object that restarts it. */
function restartStation(link: DeviceLink, place: ProfileObject, mac: string) {
  const value = encode(dataCodec, { type: 'octetString', value: Buffer.from(mac, 'hex') });
  return link.set({ classId: place.classId, instance: obis(place.obis), attributeId: place.attribute }, value);
}
