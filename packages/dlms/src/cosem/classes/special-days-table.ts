import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, dateOctets, logicalName, longUnsigned, structure, unsigned } from '../data.ts';

const entry = structure({ index: longUnsigned, date: dateOctets, dayId: unsigned });

/** Special days table: days with the tariffs of another day, such as holidays. @spec BB 4 (class_id 11, version 0) */
export const specialDaysTable = cosemClass({
  id: 11,
  version: 0,
  name: 'Special days table',
  methodsAt: 0x10,
  attributes: {
    logicalName: attribute(1, logicalName),
    entries: attribute(2, arrayOf(entry)),
  },
  methods: {
    insert: method(1, entry),
    /** Deletes the entry with this index. */
    delete: method(2, longUnsigned),
  },
});
