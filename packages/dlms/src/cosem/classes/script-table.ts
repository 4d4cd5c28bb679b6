import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, enumerated, integer, logicalName, longUnsigned, structure } from '../data.ts';

const action = structure({
  service: enumerated({ writeAttribute: 1, executeMethod: 2 }),
  classId: longUnsigned,
  instance: logicalName,
  /** Attribute or method id. */
  index: integer,
  parameter: anyData,
});

/** Script table: numbered lists of actions of the device. @spec BB 4 (class_id 9, version 0) */
export const scriptTable = cosemClass({
  id: 9,
  version: 0,
  name: 'Script table',
  methodsAt: 0x20,
  attributes: {
    logicalName: attribute(1, logicalName),
    scripts: attribute(2, arrayOf(structure({ id: longUnsigned, actions: arrayOf(action) }))),
  },
  methods: {
    /** Executes the script with this id. */
    execute: method(1, longUnsigned),
  },
});
