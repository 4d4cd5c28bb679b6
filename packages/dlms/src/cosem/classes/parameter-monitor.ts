import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, dateTimeOctets, integer, logicalName, longUnsigned, structure } from '../data.ts';
import { watchedAttribute } from '../references.ts';

/** Parameter monitor: the last change of an attribute of a list. @spec BB 4 (class_id 65, version 0) */
export const parameterMonitor = cosemClass({
  id: 65,
  version: 0,
  name: 'Parameter monitor',
  attributes: {
    logicalName: attribute(1, logicalName),
    changedParameter: attribute(2, structure({ classId: longUnsigned, instance: logicalName, attributeId: integer, value: anyData })),
    captureTime: attribute(3, dateTimeOctets),
    parameterList: attribute(4, arrayOf(watchedAttribute)),
  },
  methods: {
    addParameter: method(1, watchedAttribute),
    deleteParameter: method(2, watchedAttribute),
  },
});
