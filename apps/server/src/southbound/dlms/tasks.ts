import { ok, type Outcome } from '@hes/contract/core/outcome.ts';
import type { CachedType } from '@hes/contract/states/plan.ts';
import { profileGeneric } from '@hes/dlms/cosem/classes/profile-generic.ts';
import { obis } from '@hes/dlms/cosem/obis.ts';
import type { ArrayShape, DcuEntry } from '@hes/dlms/profile/dcu-shapes.ts';
import type { ProfilePlace } from '#db/profile-places.ts';
import { attributeRef } from '@hes/dlms/xdlms/cosem-object.ts';
import type { DeviceLink } from '#field/link.ts';
import type { TaskChange, TaskPart } from '#southbound/dcu-parts.ts';
import type { EntryArray } from './arrays.ts';
import { CACHES } from './cached-rows.ts';

/** The tasks of a DCU as an array of entries in the shape of its profile. */
export function tasksIn(
  link: DeviceLink,
  array: EntryArray<DcuEntry<'tasks'>>,
  { shape, objects }: { shape: ArrayShape; objects: ReadonlyMap<string, Pick<ProfilePlace, 'obis'>> },
): TaskPart {
  let present: DcuEntry<'tasks'>[] = [];
  return {
    fields: new Set(shape.fields.map((field) => field.name)),
    async read() {
      const read = await array.retrieveAll();
      if (read.ok) present = read.value;
      return read;
    },
    // An update keeps the fields that belong to the DCU.
    change: ({ updates, ...rest }) =>
      applyChanges(array, { ...rest, updates: updates.map(({ place, entry }) => ({ place, entry: { ...present[place - 1], ...entry } })) }),
    keeps: (profile) => keepsRows(link, objects, profile),
  };
}

/** Updates and appends entries, then removes from the end, so that no index shifts before its use. */
async function applyChanges(array: EntryArray<DcuEntry<'tasks'>>, { inserts, updates, removals }: TaskChange): Promise<Outcome<unknown>> {
  const changes = [
    ...updates.map((update) => ({ kind: 'update' as const, ...update })),
    ...inserts.map((entry) => ({ kind: 'insert' as const, place: 0, entry })),
  ];
  const changed = changes.length === 0 ? ok([]) : await array.change(changes);
  if (!changed.ok) return changed;
  const refused = changed.value.find((outcome) => !outcome.ok);
  if (refused !== undefined) return refused;
  for (const place of removals.toReversed()) {
    const removed = await array.remove(place, place);
    if (!removed.ok) return removed;
  }
  return ok(undefined);
}

/** Whether the profile names the cache object and the DCU has it. */
async function keepsRows(
  link: DeviceLink,
  objects: ReadonlyMap<string, Pick<ProfilePlace, 'obis'>>,
  profile: CachedType,
): Promise<Outcome<boolean>> {
  const place = objects.get(CACHES[profile].key);
  if (place === undefined) return ok(false);
  const has = await link.get(attributeRef({ cosemClass: profileGeneric, instance: obis(place.obis) }, 'captureObjects'));
  if (has.ok) return ok(true);
  return has.reason === 'OBJECT_UNDEFINED' || has.reason === 'ACCESS_DENIED' ? ok(false) : has;
}
