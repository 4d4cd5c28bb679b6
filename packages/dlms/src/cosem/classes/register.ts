import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, integer, logicalName } from '../data.ts';
import { scalerUnit } from '../scaler-unit.ts';

/**
 * Register: a measured or counted value with its unit.
 * @spec BB 4 (class_id 3, version 0)
 */
export const register = cosemClass({
  id: 3,
  version: 0,
  name: 'Register',
  methodsAt: 0x28,
  attributes: {
    logicalName: attribute(1, logicalName),
    value: attribute(2, anyData),
    scalerUnit: attribute(3, scalerUnit),
  },
  methods: {
    reset: method(1, integer),
  },
});
