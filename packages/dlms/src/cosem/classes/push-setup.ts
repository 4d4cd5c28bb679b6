import { captureObject } from '../capture-object.ts';
import { attribute, cosemClass, method } from '../cosem-class.ts';
import {
  arrayOf,
  dateTimeOctets,
  enumerated,
  enumNumber,
  integer,
  logicalName,
  longUnsigned,
  octetString,
  structure,
  unsigned,
} from '../data.ts';

/**
 * Push setup: what a device sends by itself, and where to.
 * @spec BB 4.4.8 (class_id 40, version 0)
 */
export const pushSetup = cosemClass({
  id: 40,
  version: 0,
  name: 'Push setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    pushObjectList: attribute(2, arrayOf(captureObject)),
    sendDestinationAndMethod: attribute(
      3,
      structure({
        transportService: enumNumber, // 0 TCP, 1 UDP, 4 SMS, 5 HDLC; 200 and above are manufacturers'
        /** For TCP and UDP `host:port` in ASCII. */
        destination: octetString,
        message: enumerated({ axdrEncoded: 0, xmlEncoded: 1 }),
      }),
    ),
    communicationWindow: attribute(4, arrayOf(structure({ start: dateTimeOctets, end: dateTimeOctets }))),
    /** Seconds. */
    randomisationStartInterval: attribute(5, longUnsigned),
    numberOfRetries: attribute(6, unsigned),
    /** Seconds. */
    repetitionDelay: attribute(7, longUnsigned),
  },
  methods: {
    push: method(1, integer),
  },
});
