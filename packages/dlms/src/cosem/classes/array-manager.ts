import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, logicalName, longUnsigned, structure, unsigned } from '../data.ts';
import { watchedAttribute } from '../references.ts';

const range = structure({ arrayId: unsigned, from: longUnsigned, to: longUnsigned });
const entry = structure({ arrayId: unsigned, index: longUnsigned, entry: anyData });

/**
 * Array manager: reads and changes single entries of long arrays in other objects. Entries are numbered from 1; a range includes both
 * ends, and an end of 0 means the last. The long-unsigned type of index and count is unconfirmed; the reference DCU profile specifies it
 * for our devices.
 * @spec BB 4 (class_id 123, version 0)
 */
export const arrayManager = cosemClass({
  id: 123,
  version: 0,
  name: 'Array manager',
  attributes: {
    logicalName: attribute(1, logicalName),
    arrayObjectList: attribute(2, arrayOf(structure({ arrayId: unsigned, attribute: watchedAttribute }))),
  },
  methods: {
    retrieveNumberOfEntries: method(1, unsigned, longUnsigned),
    retrieveEntries: method(2, range, arrayOf(anyData)),
    /** Inserts before the entry with this index; 0 appends. */
    insertEntry: method(3, entry),
    updateEntry: method(4, entry),
    removeEntries: method(5, range),
  },
});
