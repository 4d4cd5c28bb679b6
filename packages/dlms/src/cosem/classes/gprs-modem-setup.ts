import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName, longUnsigned, octetString, structure, unsigned } from '../data.ts';

/** Quality of service classes as numbered by the network operator; 0 = subscribed value. */
const quality = structure({
  precedence: unsigned,
  delay: unsigned,
  reliability: unsigned,
  peakThroughput: unsigned,
  meanThroughput: unsigned,
});

/** GPRS modem setup: access of a device to a mobile packet network. @spec BB 4 (class_id 45, version 0) */
export const gprsModemSetup = cosemClass({
  id: 45,
  version: 0,
  name: 'GPRS modem setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Access point name, as text. */
    apn: attribute(2, octetString),
    pinCode: attribute(3, longUnsigned),
    qualityOfService: attribute(4, structure({ default: quality, requested: quality })),
  },
  methods: {},
});
