import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, logicalName } from '../data.ts';

/**
 * Data: one value of any type, such as a serial number or a status word.
 * @spec BB 4 (class_id 1, version 0)
 */
export const data = cosemClass({
  id: 1,
  version: 0,
  name: 'Data',
  attributes: {
    logicalName: attribute(1, logicalName),
    value: attribute(2, anyData),
  },
  methods: {},
});
