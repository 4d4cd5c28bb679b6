import type { ShortNameOptions } from '@hes/dlms/association/client-options.ts';
import type { ShortNamedObject } from '@hes/dlms/catalogue/short-names.ts';
import type { Device, Devices, MeterDevice } from './devices.ts';

/** Metadata key of the object list of a meter with short names. */
const KEY = 'short-names';

/** Stored as tuples, because the list has hundreds of objects. */
type StoredName = [baseName: number, classId: number, version: number, instance: ShortNamedObject['instance']];

const isMeter = (device: Device): device is MeterDevice => device.kind === 'meter' && 'metadata' in device;

/** The cached object list of a meter. The association notices when it is out of date, reads it again, and replaces it. */
export function shortNamesOf(devices: Pick<Devices, 'setMetadata'>, device: Device): ShortNameOptions {
  // The public client of a device without row reads two objects.
  if (!isMeter(device)) return {};
  const stored = device.metadata.get(KEY) as StoredName[] | undefined; // as: written below only
  return {
    known: stored?.map(([baseName, classId, version, instance]) => ({ baseName, classId, version, instance })),
    onLearnt: (objects) =>
      devices.setMetadata(
        device,
        KEY,
        objects.map(({ baseName, classId, version, instance }): StoredName => [baseName, classId, version, instance]),
      ),
  };
}
