import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, integer, logicalName } from '../data.ts';

/**
 * IEC 61334-4-32 LLC SSCS setup: addresses of a PRIME node and its base node. The value types are unconfirmed and declared as any Data.
 * @spec BB 4 (class_id 80, version 0)
 */
export const iec61334432LlcSscsSetup = cosemClass({
  id: 80,
  version: 0,
  name: 'IEC 61334-4-32 LLC SSCS setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    serviceNodeAddress: attribute(2, anyData),
    baseNodeAddress: attribute(3, anyData),
  },
  methods: {
    reset: method(1, integer),
  },
});
