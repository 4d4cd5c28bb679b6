import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, integer, logicalName, longUnsigned, structure, unsigned } from '../data.ts';
import { scalerUnit } from '../scaler-unit.ts';

/** Register table: the same attribute of objects that differ in value group E of their logical names. @spec BB 4 (class_id 61, version 0) */
export const registerTable = cosemClass({
  id: 61,
  version: 0,
  name: 'Register table',
  methodsAt: 0x28,
  attributes: {
    logicalName: attribute(1, logicalName),
    /** An array or a compact array, one value for each of `groupEValues`. */
    tableCellValues: attribute(2, anyData),
    /** Value group E of `instance` is 255 and stands for each of `groupEValues`. */
    tableCellDefinition: attribute(
      3,
      structure({ classId: longUnsigned, instance: logicalName, groupEValues: arrayOf(unsigned), attributeId: integer }),
    ),
    scalerUnit: attribute(4, scalerUnit),
  },
  methods: {
    reset: method(1, integer),
    capture: method(2, integer),
  },
});
