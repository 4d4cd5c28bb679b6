import type { Codec } from '../codec/codec.ts';
import { captureObject, type CaptureObject } from './capture-object.ts';
import { anyData, arrayOf, enumNumber, integer, logicalName, longUnsigned, structure } from './data.ts';
import type { Data } from './data-value.ts';

/** A column that may be restricted to a part of an attribute. */
export interface RestrictedCaptureObject extends CaptureObject {
  /** Row restriction: 0 all, 1 by date, 2 by entry. */
  restriction?: { type: number; value: Data } | undefined;
  /** Columns of a profile; empty for all. */
  columns?: CaptureObject[] | undefined;
}

const members = { classId: longUnsigned, instance: logicalName, attributeId: integer, dataIndex: longUnsigned };
const restriction = structure({ type: enumNumber, value: anyData });
const withRestriction = structure({ ...members, restriction });
const withColumns = structure({ ...members, restriction, columns: arrayOf(captureObject) });
const SIZE_AT = 1; // after the tag of the structure

/**
 * Later versions of push setup and compact data extend the column definition; meters send 4, 5 or 6 members.
 * @spec BB 4 (push_object_list)
 */
export const restrictedCaptureObject: Codec<RestrictedCaptureObject> = {
  read: (input) => {
    const size = input.octets[input.offset + SIZE_AT];
    if (size === 5) return withRestriction.read(input);
    return size === 6 ? withColumns.read(input) : captureObject.read(input);
  },
  write: (out, value) => {
    const { restriction: rows, columns } = value;
    if (columns !== undefined)
      return withColumns.write(out, { ...value, columns, restriction: rows ?? { type: 0, value: { type: 'null' } } });
    return rows === undefined ? captureObject.write(out, value) : withRestriction.write(out, { ...value, restriction: rows });
  },
};
