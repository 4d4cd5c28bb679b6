import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, logicalName, longUnsigned, octetString, structure } from '../data.ts';

const assignment = structure({ sap: longUnsigned, logicalDeviceName: octetString });

/** SAP assignment: the logical devices of a physical device and their SAPs. @spec BB 4 (class_id 17, version 0) */
export const sapAssignment = cosemClass({
  id: 17,
  version: 0,
  name: 'SAP assignment',
  methodsAt: 0x20,
  attributes: {
    logicalName: attribute(1, logicalName),
    assignmentList: attribute(2, arrayOf(assignment)),
  },
  methods: {
    connectLogicalDevice: method(1, assignment),
  },
});
