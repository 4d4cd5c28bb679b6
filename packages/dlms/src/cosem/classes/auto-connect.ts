import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, dateTimeOctets, enumNumber, integer, logicalName, longUnsigned, octetString, structure, unsigned } from '../data.ts';

/** Auto connect: when a device opens a connection, and to which destinations. @spec BB 4 (class_id 29, version 2) */
export const autoConnect = cosemClass({
  id: 29,
  version: 2,
  name: 'Auto connect',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** 0 never; packet networks: 101 always, 102 always within the windows, 103 within the windows, 104 on request. */
    mode: attribute(2, enumNumber),
    /** Retries after a failed connection. */
    repetitions: attribute(3, unsigned),
    /** Seconds between two attempts. */
    repetitionDelay: attribute(4, longUnsigned),
    callingWindow: attribute(5, arrayOf(structure({ start: dateTimeOctets, end: dateTimeOctets }))),
    /** As text; `host:port` for internet destinations. */
    destinationList: attribute(6, arrayOf(octetString)),
  },
  methods: {
    connect: method(1, integer),
  },
});
