import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, dateTimeOctets, enumNumber, integer, logicalName, longUnsigned, octetString, structure, unsigned } from '../data.ts';

/**
 * Auto connect: when a device connects by itself, and to whom.
 * @spec BB 4 (class_id 29, version 2)
 */
export const autoConnect = cosemClass({
  id: 29,
  version: 2,
  name: 'Auto connect',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** 0 never; to a network for packets: 101 always, 102 always within the windows, 103 within the windows and 104 when told to. */
    mode: attribute(2, enumNumber),
    /** Tries when a connection fails. */
    repetitions: attribute(3, unsigned),
    /** Seconds between two tries. */
    repetitionDelay: attribute(4, longUnsigned),
    callingWindow: attribute(5, arrayOf(structure({ start: dateTimeOctets, end: dateTimeOctets }))),
    /** In letters: `host:port` where it is the Internet. */
    destinationList: attribute(6, arrayOf(octetString)),
  },
  methods: {
    connect: method(1, integer),
  },
});
