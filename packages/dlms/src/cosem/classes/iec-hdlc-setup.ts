import { baudRate } from '../baud-rate.ts';
import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName, longUnsigned, unsigned } from '../data.ts';

/** IEC HDLC setup: HDLC parameters of a port; see `framing/hdlc`. @spec BB 4 (class_id 23, version 1) */
export const iecHdlcSetup = cosemClass({
  id: 23,
  version: 1,
  name: 'IEC HDLC setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Baud. */
    communicationSpeed: attribute(2, baudRate),
    windowSizeTransmit: attribute(3, unsigned),
    windowSizeReceive: attribute(4, unsigned),
    /** Octets. */
    maxInfoFieldLengthTransmit: attribute(5, longUnsigned),
    /** Octets. */
    maxInfoFieldLengthReceive: attribute(6, longUnsigned),
    /** Milliseconds. */
    interOctetTimeOut: attribute(7, longUnsigned),
    /** Seconds; 0 = never. */
    inactivityTimeOut: attribute(8, longUnsigned),
    deviceAddress: attribute(9, longUnsigned),
  },
  methods: {},
});
