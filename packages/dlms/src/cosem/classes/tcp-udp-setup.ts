import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName, longUnsigned, unsigned } from '../data.ts';

/** TCP-UDP setup: the port of the device and its timeouts. @spec BB 4 (class_id 41, version 0) */
export const tcpUdpSetup = cosemClass({
  id: 41,
  version: 0,
  name: 'TCP-UDP setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    port: attribute(2, longUnsigned),
    ipReference: attribute(3, logicalName),
    /** Octets. */
    maxSegmentSize: attribute(4, longUnsigned),
    maxSimultaneousConnections: attribute(5, unsigned),
    /** Seconds; 0 = never. */
    inactivityTimeOut: attribute(6, longUnsigned),
  },
  methods: {},
});
