import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, enumerated, logicalName, longUnsigned, octetString, unsigned } from '../data.ts';

/** CoAP setup: transmission parameters of CoAP, RFC 7252. @spec BB 4 (class_id 152, version 0) */
export const coapSetup = cosemClass({
  id: 152,
  version: 0,
  name: 'CoAP setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** The TCP-UDP setup. */
    udpReference: attribute(2, logicalName),
    ackTimeout: attribute(3, longUnsigned),
    ackRandomFactor: attribute(4, longUnsigned),
    maxRetransmit: attribute(5, longUnsigned),
    nStart: attribute(6, longUnsigned),
    delayAckTimeout: attribute(7, longUnsigned),
    exponentialBackOff: attribute(8, longUnsigned),
    probingRate: attribute(9, longUnsigned),
    uriPath: attribute(10, octetString),
    transportMode: attribute(11, enumerated({ reliable: 1, unreliable: 2, both: 3 })),
    /** Version of the wrapper; its type depends on the device. */
    wrapperVersion: attribute(12, anyData),
    tokenLength: attribute(13, unsigned),
  },
  methods: {},
});
