import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, dateTimeOctets, integer, logicalName } from '../data.ts';
import { scalerUnit } from '../scaler-unit.ts';

/** Extended register: a register with the capture time of its value, such as a maximum demand. @spec BB 4 (class_id 4, version 0) */
export const extendedRegister = cosemClass({
  id: 4,
  version: 0,
  name: 'Extended register',
  methodsAt: 0x38,
  attributes: {
    logicalName: attribute(1, logicalName),
    value: attribute(2, anyData),
    scalerUnit: attribute(3, scalerUnit),
    status: attribute(4, anyData),
    captureTime: attribute(5, dateTimeOctets),
  },
  methods: {
    reset: method(1, integer),
  },
});
