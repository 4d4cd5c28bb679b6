import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, dateTimeOctets, enumNumber, integer, logicalName, longUnsigned, octetString, structure } from '../data.ts';
import { watchedAttribute } from '../references.ts';

const attributes = {
  logicalName: attribute(1, logicalName),
  changedParameter: attribute(2, structure({ classId: longUnsigned, instance: logicalName, attributeId: integer, value: anyData })),
  captureTime: attribute(3, dateTimeOctets),
  parameterList: attribute(4, arrayOf(watchedAttribute)),
};
const methods = { addParameter: method(1, watchedAttribute), deleteParameter: method(2, watchedAttribute) };

/** Parameter monitor: the last change of an attribute of a list. @spec BB 4 (class_id 65, version 0) */
export const parameterMonitor = cosemClass({ id: 65, version: 0, name: 'Parameter monitor', attributes, methods });

/**
 * Parameter monitor with a digest of all parameters of the list, which shows a change without reading them. The names of the hash
 * algorithms have one source only: the algorithm is a number.
 * @spec BB 4 (class_id 65, version 1)
 */
export const parameterMonitorV1 = cosemClass({
  id: 65,
  version: 1,
  name: 'Parameter monitor',
  attributes: {
    ...attributes,
    parameterListName: attribute(5, octetString),
    hashAlgorithmId: attribute(6, enumNumber),
    parameterValueDigest: attribute(7, octetString),
    /** A structure of the values, in the order of the list. */
    parameterValues: attribute(8, anyData),
  },
  methods,
});
