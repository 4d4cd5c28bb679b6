import { baudRate } from '../baud-rate.ts';
import { attribute, cosemClass } from '../cosem-class.ts';
import { enumerated, logicalName, octetString } from '../data.ts';

/** IEC local port setup: the optical port and its opening by IEC 62056-21. @spec BB 4 (class_id 19, version 1) */
export const iecLocalPortSetup = cosemClass({
  id: 19,
  version: 1,
  name: 'IEC local port setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Protocol after the opening: that of IEC 62056-21 in its modes A to E, HDLC without an opening, or none that is specified. */
    defaultMode: attribute(2, enumerated({ iec62056_21: 0, hdlc: 1, notSpecified: 2 })),
    defaultBaud: attribute(3, baudRate),
    /** Proposed in the identification message. */
    proposedBaud: attribute(4, baudRate),
    /** Minimum time between reception of a request and transmission of its response. */
    responseTime: attribute(5, enumerated({ '20ms': 0, '200ms': 1 })),
    /** Device address of IEC 62056-21, as text. */
    deviceAddress: attribute(6, octetString),
    password1: attribute(7, octetString),
    password2: attribute(8, octetString),
    passwordW5: attribute(9, octetString),
  },
  methods: {},
});
