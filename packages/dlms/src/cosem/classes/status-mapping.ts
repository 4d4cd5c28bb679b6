import type { Codec } from '../../codec/codec.ts';
import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, arrayOf, logicalName, longUnsigned, structure, unsigned } from '../data.ts';

const ARRAY_TAG = 1;
const entries = arrayOf(longUnsigned);

/** The entry of the first bit, when the others follow in order, or one entry for each bit. */
const mapping: Codec<number | number[]> = {
  read: (input) => (input.peek() === ARRAY_TAG ? entries.read(input) : longUnsigned.read(input)),
  write: (out, value) => (typeof value === 'number' ? longUnsigned.write(out, value) : entries.write(out, value)),
};

/** Status mapping: which entry of a reference table each bit of a status word means. @spec BB 4 (class_id 63, version 0) */
export const statusMapping = cosemClass({
  id: 63,
  version: 0,
  name: 'Status mapping',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Bits in any type: bit-string, an unsigned number, octets or text. */
    statusWord: attribute(2, anyData),
    mappingTable: attribute(3, structure({ tableId: unsigned, mapping })),
  },
  methods: {},
});
