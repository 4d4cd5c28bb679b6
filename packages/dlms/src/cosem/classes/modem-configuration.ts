import { baudRate } from '../baud-rate.ts';
import { attribute, cosemClass } from '../cosem-class.ts';
import { arrayOf, logicalName, longUnsigned, octetString, structure } from '../data.ts';

/** Modem configuration: commands with which a device initialises its modem. @spec BB 4 (class_id 27, version 1) */
export const modemConfiguration = cosemClass({
  id: 27,
  version: 1,
  name: 'Modem configuration',
  attributes: {
    logicalName: attribute(1, logicalName),
    communicationSpeed: attribute(2, baudRate),
    /** Commands as text, each with the expected response and a delay after it in milliseconds. */
    initializationString: attribute(
      3,
      arrayOf(structure({ request: octetString, response: octetString, delayAfterResponse: longUnsigned })),
    ),
    /** Messages of the modem as text, such as `OK` and `BUSY`. */
    modemProfile: attribute(4, arrayOf(octetString)),
  },
  methods: {},
});
