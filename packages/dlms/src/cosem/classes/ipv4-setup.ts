import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, boolean, doubleLongUnsigned, integer, logicalName, longUnsigned, octetString, structure, unsigned } from '../data.ts';

/** Option type as in the IPv4 header: 0x07 record route, 0x44 timestamp, 0x82 security, 0x83 and 0x89 source routes. */
const option = structure({ type: unsigned, length: unsigned, data: octetString });

/**
 * IPv4 setup: addresses of the device, each as one big-endian number. The return type of the multicast address count is unconfirmed.
 * @spec BB 4 (class_id 42, version 0)
 */
export const ipv4Setup = cosemClass({
  id: 42,
  version: 0,
  name: 'IPv4 setup',
  methodsAt: 0x60,
  attributes: {
    logicalName: attribute(1, logicalName),
    /** The object of the layer below: a MAC address or a modem. */
    dlReference: attribute(2, logicalName),
    ipAddress: attribute(3, doubleLongUnsigned),
    multicastIpAddress: attribute(4, arrayOf(doubleLongUnsigned)),
    ipOptions: attribute(5, arrayOf(option)),
    subnetMask: attribute(6, doubleLongUnsigned),
    gatewayIpAddress: attribute(7, doubleLongUnsigned),
    useDhcpFlag: attribute(8, boolean),
    primaryDnsAddress: attribute(9, doubleLongUnsigned),
    secondaryDnsAddress: attribute(10, doubleLongUnsigned),
  },
  methods: {
    addMcIpAddress: method(1, doubleLongUnsigned),
    deleteMcIpAddress: method(2, doubleLongUnsigned),
    getNbofMcIpAddresses: method(3, integer, longUnsigned),
  },
});
