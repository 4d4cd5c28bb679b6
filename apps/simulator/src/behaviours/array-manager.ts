import { decode, encode, type Codec } from '@hes/dlms/codec/codec.ts';
import { arrayManager } from '@hes/dlms/cosem/classes/array-manager.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { arrayOf, dataCodec, longUnsigned } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { DCU_ARRAYS, DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import type { DcuArchive } from '#devices/dcu-archive.ts';
import type { DcuNetwork } from '#devices/dcu-network.ts';
import type { DcuSearch } from '#devices/dcu-search.ts';
import type { DcuTasks } from '#devices/dcu-tasks.ts';
import type { EntryList, EntryRefusal } from '#devices/entry-list.ts';
import { type MethodOutcome, simulate } from '#devices/simulate.ts';

export interface ArraysState {
  archive: DcuArchive;
  tasks: DcuTasks;
  search: DcuSearch;
  network: DcuNetwork;
  /** Whether archive and tasks reject changes because of a fault. */
  refuses(): boolean;
}

const encodedEntries = ({ archive, tasks, search, network }: ArraysState, arrayId: number): Uint8Array[] | undefined => {
  if (arrayId === DCU_ARRAYS.archive.id) return archive.entries().map((entry) => encode(DCU_ENTRIES.archive, entry));
  if (arrayId === DCU_ARRAYS.discovered.id) return search.discovered().map((entry) => encode(DCU_ENTRIES.discovered, entry));
  if (arrayId === DCU_ARRAYS.topology.id) return network.topology().map((entry) => encode(DCU_ENTRIES.topology, entry));
  if (arrayId === DCU_ARRAYS.tasks.id) return tasks.entries().map((entry) => encode(DCU_ENTRIES.tasks, entry));
  if (arrayId === DCU_ARRAYS.modules.id) return network.modules().map((entry) => encode(DCU_ENTRIES.modules, entry));
  return undefined;
};

/** A changeable array whose entries arrive as DLMS data. */
function openList<E>(list: EntryList<E>, codec: Codec<E>): Pick<EntryList<Data>, 'insert' | 'update' | 'remove'> {
  const entryOf = (entry: Data) => decode(codec, encode(dataCodec, entry));
  return {
    insert: (place, entry) => list.insert(place, entryOf(entry)),
    update: (place, entry) => list.update(place, entryOf(entry)),
    remove: (from, to) => list.remove(from, to),
  };
}

type Change = (list: ReturnType<typeof openList>) => EntryRefusal | undefined;

/** Changes the archive or the tasks and maps the outcome to its DLMS result. */
function change(state: ArraysState, arrayId: number, perform: Change): MethodOutcome {
  const list =
    arrayId === DCU_ARRAYS.archive.id
      ? openList(state.archive, DCU_ENTRIES.archive)
      : arrayId === DCU_ARRAYS.tasks.id
        ? openList(state.tasks, DCU_ENTRIES.tasks)
        : undefined;
  if (list === undefined) return 'readWriteDenied';
  if (state.refuses()) return 'temporaryFailure';
  const refusal = perform(list);
  if (refusal === undefined) return 'success';
  return refusal === 'no_such_entry' ? 'objectUndefined' : 'otherReason';
}

/** The arrays of the reference profile, accessed entry by entry. */
export const arraysObject = simulate(arrayManager, (state: ArraysState) => ({
  read: {
    arrayObjectList: () =>
      Object.values(DCU_ARRAYS).map(({ id, instance }) => ({
        arrayId: id,
        attribute: { classId: data.id, instance, attributeId: data.attributes.value.id },
      })),
  },
  invoke: {
    retrieveNumberOfEntries: (arrayId) => {
      const entries = encodedEntries(state, arrayId);
      return entries ? { result: 'success', data: encode(longUnsigned, entries.length) } : 'objectUndefined';
    },
    retrieveEntries: ({ arrayId, from, to }) => {
      const entries = encodedEntries(state, arrayId);
      if (!entries) return 'objectUndefined';
      const some = entries.slice(from - 1, to === 0 ? entries.length : to).map((entry) => decode(dataCodec, entry));
      return { result: 'success', data: encode(arrayOf(dataCodec), some) };
    },
    insertEntry: ({ arrayId, index, entry }) => change(state, arrayId, (list) => list.insert(index, entry)),
    updateEntry: ({ arrayId, index, entry }) => change(state, arrayId, (list) => list.update(index, entry)),
    removeEntries: ({ arrayId, from, to }) => change(state, arrayId, (list) => list.remove(from, to)),
  },
}));
