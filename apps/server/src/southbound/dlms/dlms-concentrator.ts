import { ok } from '@hes/contract/core/outcome.ts';
import type { DcuPart } from '@hes/contract/asset/dcu-part.ts';
import { encode } from '@hes/dlms/codec/codec.ts';
import { dataCodec } from '@hes/dlms/cosem/data.ts';
import { obis, type Obis } from '@hes/dlms/cosem/obis.ts';
import {
  entryCodec,
  REFERENCE_SHAPES,
  type ArrayShape,
  type DcuEntry,
  type DcuScript,
  type DcuShapes,
} from '@hes/dlms/profile/dcu-shapes.ts';
import type { DcuArrayName } from '@hes/dlms/profile/reference-dcu.ts';
import { partsOfBody, type ResolvedBody } from '#db/seed/southbound-profiles.ts';
import type { Concentrator, DcuLink, NetworkCommand } from '#southbound/concentrator.ts';
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

/** A DCU with the objects, arrays and scripts of its profile. */
export function dlmsConcentrator(dcu: DcuLink, profile: ResolvedBody): Concentrator {
  const { link } = dcu;
  const { objects } = profile;
  const shapes: DcuShapes = profile.shapes ?? REFERENCE_SHAPES;
  const deviationMinutes = dcu.zone.deviationMinutes(dcu.now);
  const manager = objects.get('ARRAYS')?.obis ?? '';
  const shapeOf = (name: DcuArrayName): ArrayShape => shapes.arrays[name] ?? { id: 0, fields: [] };
  const array = <N extends DcuArrayName>(name: N): EntryArray<DcuEntry<N>> =>
    new EntryArray(link, manager, { id: shapeOf(name).id, codec: entryCodec(name, shapeOf(name)) });
  const imageAt = (key: string): Obis => (objects.get(key)?.obis ?? '') as Obis; // as: used only where the profile has the object
  const run = scriptsIn(link, objects, shapes);
  // Members are made for the parts of the profile only, so that none of them is sent to a DCU that lacks it.
  const every: Required<Omit<Concentrator, 'cache' | 'signal'>> = {
    archive: new DlmsArchive(link, manager, shapeOf('archive')),
    discovery: {
      start: () => run('startDiscovery'),
      // A search without this script ends by itself.
      stop: () => (shapes.scripts.stopDiscovery === undefined ? Promise.resolve(ok(undefined)) : run('stopDiscovery')),
      found: () => readFound(array('discovered'), { now: dcu.now, deviationMinutes }),
      clear: () => run('clearDiscovered'),
    },
    topology: () => readStations(array('topology'), deviationMinutes),
    modules: () => readModules(array('modules')),
    station_restart: (mac) => restartStation(dcu, profile, mac),
    network: (command) => run(NETWORK_SCRIPTS[command]),
    tasks: tasksIn(link, array('tasks'), { shape: shapeOf('tasks'), objects }),
    restart: () => run('restartDcu'),
    factory_reset: () => run('factoryReset'),
    clock_broadcast: () => run('broadcastClock'),
    parameters: true,
    event_log: true,
    firmware: { image: imageAt('IMAGE') },
    rt_firmware: { image: imageAt('IMAGE_ROUTE_MODULE'), activate: () => run('upgradeRouteModule') },
    sta_firmware: { image: imageAt('IMAGE_STATIONS'), activate: () => run('upgradeStations') },
    image_broadcast: { image: imageAt('IMAGE_METERS'), activate: () => run('broadcastImage') },
  };
  const parts = new Set<string>(partsOfBody(profile) satisfies DcuPart[]);
  const gsm = objects.get('GSM');
  return {
    ...(Object.fromEntries(Object.entries(every).filter(([part]) => parts.has(part))) as Partial<typeof every>), // as: some of its members
    ...(objects.has('CACHED_METER') ? { cache: (query) => readCache(dcu, objects, query) } : {}),
    ...(gsm === undefined ? {} : { signal: () => readSignal(dcu, gsm) }),
  };
}

async function restartStation({ link }: DcuLink, { objects }: ResolvedBody, mac: string) {
  const place = objects.get('RESTART_STATION');
  const value = encode(dataCodec, { type: 'octetString', value: Buffer.from(mac, 'hex') });
  return link.set({ classId: place?.classId ?? 0, instance: obis(place?.obis ?? ''), attributeId: place?.attribute ?? 0 }, value);
}
