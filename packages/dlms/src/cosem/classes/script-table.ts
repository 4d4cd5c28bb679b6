import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, enumerated, integer, logicalName, longUnsigned, structure } from '../data.ts';

const action = structure({
  service: enumerated({ writeAttribute: 1, executeMethod: 2 }),
  classId: longUnsigned,
  instance: logicalName,
  /** Of the attribute or the method. */
  index: integer,
  parameter: anyData,
});

/**
 * Script table: actions of the device under a number, to be run together.
 * @spec BB 4 (class_id 9, version 0)
 */
export const scriptTable = cosemClass({
  id: 9,
  version: 0,
  name: 'Script table',
  attributes: {
    logicalName: attribute(1, logicalName),
    scripts: attribute(2, arrayOf(structure({ id: longUnsigned, actions: arrayOf(action) }))),
  },
  methods: {
    /** By the script's id. */
    execute: method(1, longUnsigned),
  },
});
