import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, boolean, logicalName, longUnsigned, octetString, structure } from '../data.ts';

const statusList = arrayOf(structure({ name: octetString, enabled: boolean }));
const functionBlock = structure({ name: octetString, objects: arrayOf(structure({ classId: longUnsigned, instance: logicalName })) });

/** Function control: functions of a device that can be enabled and disabled. @spec BB 4 (class_id 122, version 0) */
export const functionControl = cosemClass({
  id: 122,
  version: 0,
  name: 'Function control',
  attributes: {
    logicalName: attribute(1, logicalName),
    activationStatus: attribute(2, statusList),
    /** Each function with the objects that implement it. */
    functionList: attribute(3, arrayOf(functionBlock)),
  },
  methods: {
    setFunctionStatus: method(1, statusList),
    addFunction: method(2, functionBlock),
    removeFunction: method(3, octetString),
  },
});
