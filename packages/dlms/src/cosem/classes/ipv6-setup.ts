import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, doubleLongUnsigned, enumerated, logicalName, longUnsigned, octetString, structure, unsigned } from '../data.ts';

/** An address of 16 octets and its type. */
const address = structure({ type: enumerated({ unicast: 0, multicast: 1, gateway: 2 }), address: octetString });

/** Retries, seconds between them, and seconds between router advertisements. */
const neighbourDiscovery = structure({ rsMaxRetry: unsigned, rsRetryWaitTime: longUnsigned, raSendPeriod: doubleLongUnsigned });

/** IPv6 setup: addresses of the device and their configuration. @spec BB 4 (class_id 48, version 0) */
export const ipv6Setup = cosemClass({
  id: 48,
  version: 0,
  name: 'IPv6 setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** The object of the layer below: a MAC address or a modem. */
    dlReference: attribute(2, logicalName),
    addressConfigMode: attribute(3, enumerated({ autoConfiguration: 0, dhcpv6: 1, manual: 2, neighbourDiscovery: 3 })),
    unicastIpv6Addresses: attribute(4, arrayOf(octetString)),
    multicastIpv6Addresses: attribute(5, arrayOf(octetString)),
    gatewayIpv6Addresses: attribute(6, arrayOf(octetString)),
    primaryDnsAddress: attribute(7, octetString),
    secondaryDnsAddress: attribute(8, octetString),
    trafficClass: attribute(9, unsigned),
    neighbourDiscoverySetup: attribute(10, arrayOf(neighbourDiscovery)),
  },
  methods: {
    addIpv6Address: method(1, address),
    removeIpv6Address: method(2, address),
  },
});
