import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName, octetString } from '../data.ts';

/**
 * MAC address setup: the address of a device on Ethernet, PRIME or another medium, EUI-48 or EUI-64.
 * @spec BB 4 (class_id 43, version 0)
 */
export const macAddressSetup = cosemClass({
  id: 43,
  version: 0,
  name: 'MAC address setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    macAddress: attribute(2, octetString),
  },
  methods: {},
});
