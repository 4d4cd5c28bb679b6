import { failed, ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { ItemResult, ReadValue } from '@hes/contract/orders/results.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { objectListing, type ListedObject } from '@hes/dlms/catalogue/object-list.ts';
import { WELL_KNOWN } from '@hes/dlms/catalogue/well-known.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import type { Operations, WorkItem } from '#tasks/operation.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import { decodedBy } from '#field/decoded.ts';
import type { DeviceLink } from '#field/link.ts';
import type { OperationTools } from '#field/operations/operation-tools.ts';
import { readRefs, refused, type ValueRef } from '#field/operations/read-values.ts';
import { withDevice, type DeviceWork } from '#field/operations/with-device.ts';
import { storePartialResult } from '#tasks/store.ts';

type Objects = NonNullable<NonNullable<TaskItemRow['result']>['objects']>;

/** Keys of objects whose value is a whole list of the DCU. A probe reads their logical name instead of the list. */
const LISTS: ReadonlySet<string> = new Set(['ARCHIVE', 'DISCOVERED', 'TOPOLOGY', 'TASKS', 'MODULES']);

type Wanted = WorkItem<'conformance'>['params']['objects'][number];

/** Reads the object list of a device's association, with the readable attributes of each object and the number that the device announces. */
async function readObjectList(link: DeviceLink): Promise<Outcome<{ objects: Objects; announced: number }>> {
  const read = await link.get(attributeRef(WELL_KNOWN.ASSOCIATION, 'objectList'));
  if (!read.ok) return read;
  return decodedBy(() => {
    const { objects, announced } = objectListing(read.value);
    return { announced, objects: objects.map(readableOf) };
  });
}

const readableOf = ({ classId, version, instance: obis, attributes }: ListedObject): Objects[number] => ({
  classId,
  version,
  obis,
  readable: attributes.filter(({ rights }) => rights.read).map(({ id }) => id),
});

/** Arrays that are reached through the array manager of a DCU only; its object list may omit them. */
async function managedLists(link: DeviceLink): Promise<Set<string>> {
  const read = await link.read(WELL_KNOWN.ARRAYS, 'arrayObjectList');
  return new Set(read.ok ? read.value.map(({ attribute }) => String(attribute.instance)) : []);
}

/** Attribute whose short value proves that a device implements this object. */
function probeOf({ key, classId, obis, attribute }: Wanted): ValueRef {
  // Attribute 1 is the logical name in every class.
  const { entriesInUse, logicalName } = profileGeneric.attributes;
  const isProfile = classId === profileGeneric.id;
  return { key, classId, obis, attribute: isProfile ? entriesInUse.id : LISTS.has(key) ? logicalName.id : attribute };
}

const absent = (object: Wanted): ReadValue => refused(object, 'OBJECT_UNDEFINED');

/** Reads every object of a profile and stores a partial result after each one. Writes nothing to the device. */
async function checkConformance(tools: OperationTools, item: WorkItem<'conformance'>, { link }: DeviceWork): Promise<Outcome<ItemResult>> {
  const listed = await readObjectList(link);
  // A device may reject its object list and still answer reads, so only an unusable link ends the check.
  if (!listed.ok && !link.isUsable) return listed;
  // What a device announces and does not list may still be there.
  const isComplete = listed.ok && listed.value.objects.length === listed.value.announced;
  const known = isComplete ? new Set(listed.value.objects.map(({ classId, obis }) => `${classId}/${obis}`)) : undefined;
  const managed = await managedLists(link);
  const values: ReadValue[] = [];
  for (const object of item.params.objects) {
    const isManaged = managed.has(object.obis);
    const isListed = isManaged || (known?.has(`${object.classId}/${object.obis}`) ?? true);
    const isAsked = isListed && !isManaged && object.key !== 'ASSOCIATION';
    const [value] = isAsked ? await readRefs(link, [probeOf(object)], tools) : [];
    if (!isListed) values.push(absent(object));
    else values.push(value ?? { ...absent(object), reasonCode: null, value: listed.ok && !isManaged ? listed.value.objects.length : null });
    if (!link.isUsable) return failed('LINK_LOST', object.key);
    await storePartialResult(tools.ctx.db, item.id, { values });
  }
  return ok({ values });
}

/** Operations that read the objects of a device and write nothing. */
export const objectListOperations = (tools: OperationTools): Pick<Operations, 'learn' | 'conformance'> => ({
  conformance: (item) => withDevice(tools, item, (work) => checkConformance(tools, item, work)),
  learn: (item) =>
    withDevice(tools, item, async ({ link }) => {
      const listed = await readObjectList(link);
      return listed.ok ? ok({ objects: listed.value.objects, counts: { announced: listed.value.announced } }) : listed;
    }),
});
