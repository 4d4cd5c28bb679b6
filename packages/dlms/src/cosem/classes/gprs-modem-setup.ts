import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName, longUnsigned, octetString, structure, unsigned } from '../data.ts';

/** Classes of quality as the network operator numbers them; 0 = what the subscription says. */
const quality = structure({
  precedence: unsigned,
  delay: unsigned,
  reliability: unsigned,
  peakThroughput: unsigned,
  meanThroughput: unsigned,
});

/**
 * GPRS modem setup: how a device reaches the packet network of a mobile operator.
 * @spec BB 4 (class_id 45, version 0)
 */
export const gprsModemSetup = cosemClass({
  id: 45,
  version: 0,
  name: 'GPRS modem setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Access point name, in letters. */
    apn: attribute(2, octetString),
    pinCode: attribute(3, longUnsigned),
    qualityOfService: attribute(4, structure({ default: quality, requested: quality })),
  },
  methods: {},
});
