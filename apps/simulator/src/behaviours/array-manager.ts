import { decode, encode } from '@hes/dlms/codec/codec.ts';
import { arrayManager } from '@hes/dlms/cosem/classes/array-manager.ts';
import { data } from '@hes/dlms/cosem/classes/data.ts';
import { arrayOf, dataCodec, longUnsigned } from '@hes/dlms/cosem/data.ts';
import { DCU_ARRAYS, DCU_ENTRIES } from '@hes/dlms/profile/reference-dcu.ts';
import type { ArchiveRefusal, DcuArchive } from '#devices/dcu-archive.ts';
import type { DcuNetwork } from '#devices/dcu-network.ts';
import type { DcuSearch } from '#devices/dcu-search.ts';
import { type MethodOutcome, simulate } from '#devices/simulate.ts';

export interface ArraysState {
  archive: DcuArchive;
  search: DcuSearch;
  network: DcuNetwork;
  /** True while the archive takes no change, on purpose. */
  refuses(): boolean;
}

const encodedEntries = ({ archive, search, network }: ArraysState, arrayId: number): Uint8Array[] | undefined => {
  if (arrayId === DCU_ARRAYS.archive.id) return archive.entries().map((entry) => encode(DCU_ENTRIES.archive, entry));
  if (arrayId === DCU_ARRAYS.discovered.id) return search.discovered().map((entry) => encode(DCU_ENTRIES.discovered, entry));
  if (arrayId === DCU_ARRAYS.topology.id) return network.topology().map((entry) => encode(DCU_ENTRIES.topology, entry));
  if (arrayId === DCU_ARRAYS.modules.id) return network.modules().map((entry) => encode(DCU_ENTRIES.modules, entry));
  return undefined;
};

/** A change of the archive, and what its outcome is called on the wire. */
function change(state: ArraysState, arrayId: number, perform: () => ArchiveRefusal | undefined): MethodOutcome {
  if (arrayId !== DCU_ARRAYS.archive.id) return 'readWriteDenied';
  if (state.refuses()) return 'temporaryFailure';
  const refusal = perform();
  if (refusal === undefined) return 'success';
  return refusal === 'no_such_entry' ? 'objectUndefined' : 'otherReason';
}

/** Arrays 1, 2, 3 and 5 of the reference profile, entry by entry. */
export const arraysObject = simulate(arrayManager, (state: ArraysState) => ({
  read: {
    arrayObjectList: () =>
      [DCU_ARRAYS.archive, DCU_ARRAYS.discovered, DCU_ARRAYS.topology, DCU_ARRAYS.modules].map(({ id, instance }) => ({
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
    insertEntry: ({ arrayId, index, entry }) =>
      change(state, arrayId, () => state.archive.insert(index, decode(DCU_ENTRIES.archive, encode(dataCodec, entry)))),
    updateEntry: ({ arrayId, index, entry }) =>
      change(state, arrayId, () => state.archive.update(index, decode(DCU_ENTRIES.archive, encode(dataCodec, entry)))),
    removeEntries: ({ arrayId, from, to }) => change(state, arrayId, () => state.archive.remove(from, to)),
  },
}));
