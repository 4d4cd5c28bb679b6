import { decode, encode, type Codec } from '@hes/dlms/codec/codec.ts';
import { arrayManager } from '@hes/dlms/cosem/classes/array-manager.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { arrayOf, dataCodec, longUnsigned } from '@hes/dlms/cosem/data.ts';
import type { Data } from '@hes/dlms/cosem/data-value.ts';
import { entryCodec, type DcuEntry, type DcuShapes } from '@hes/dlms/profile/dcu-shapes.ts';
import { DCU_ARRAYS, type DcuArrayName } from '@hes/dlms/profile/reference-dcu.ts';
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
  shapes: DcuShapes;
  /** Whether archive and tasks reject changes because of a fault. */
  refuses(): boolean;
}

/** Name of the array with this id in the shapes of the DCU; undefined: it has no such array. */
const nameOf = ({ shapes }: ArraysState, arrayId: number): DcuArrayName | undefined =>
  (Object.keys(DCU_ARRAYS) as DcuArrayName[]).find((name) => shapes.arrays[name]?.id === arrayId); // as: keys of that very table

const codecOf = <N extends DcuArrayName>({ shapes }: ArraysState, name: N): Codec<DcuEntry<N>> =>
  entryCodec(name, shapes.arrays[name] ?? { id: 0, fields: [] });

function encodedEntries(state: ArraysState, arrayId: number): Uint8Array[] | undefined {
  const { archive, tasks, search, network } = state;
  const encoded = <N extends DcuArrayName>(name: N, entries: readonly DcuEntry<N>[]): Uint8Array[] => {
    const codec = codecOf(state, name);
    return entries.map((entry) => encode(codec, entry));
  };
  switch (nameOf(state, arrayId)) {
    case 'archive':
      return encoded('archive', archive.entries());
    case 'discovered':
      return encoded('discovered', search.discovered());
    case 'topology':
      return encoded('topology', network.topology());
    case 'tasks':
      return encoded('tasks', tasks.entries());
    case 'modules':
      return encoded('modules', network.modules());
    default:
      return undefined;
  }
}

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
  const name = nameOf(state, arrayId);
  const list =
    name === 'archive'
      ? openList(state.archive, codecOf(state, name))
      : name === 'tasks'
        ? openList(state.tasks, codecOf(state, name))
        : undefined;
  if (list === undefined) return 'readWriteDenied';
  if (state.refuses()) return 'temporaryFailure';
  const refusal = perform(list);
  if (refusal === undefined) return 'success';
  return refusal === 'no_such_entry' ? 'objectUndefined' : 'otherReason';
}

/** The arrays of a DCU in its shapes, accessed entry by entry. */
export const arraysObject = simulate(arrayManager, (state: ArraysState) => ({
  read: {
    arrayObjectList: () =>
      Object.entries(DCU_ARRAYS).flatMap(([name, { instance }]) => {
        const shape = state.shapes.arrays[name as DcuArrayName]; // as: keys of that very table
        const attribute = { classId: data.id, instance, attributeId: data.attributes.value.id };
        return shape === undefined ? [] : [{ arrayId: shape.id, attribute }];
      }),
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
