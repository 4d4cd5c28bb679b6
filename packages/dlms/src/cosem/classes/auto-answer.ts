import { attribute, cosemClass } from '../cosem-class.ts';
import { arrayOf, dateTimeOctets, enumerated, enumNumber, logicalName, octetString, structure, unsigned } from '../data.ts';

const members = {
  logicalName: attribute(1, logicalName),
  /** 0 a line of its own, 1 a shared line within the window, 2 a limited number of calls. */
  mode: attribute(2, enumNumber),
  listeningWindow: attribute(3, arrayOf(structure({ start: dateTimeOctets, end: dateTimeOctets }))),
  status: attribute(4, enumerated({ inactive: 0, active: 1, locked: 2 })),
  /** Calls that are answered in mode 2; 0 is no limit. */
  numberOfCalls: attribute(5, unsigned),
  /** Rings before the device answers; 0 is never. */
  numberOfRings: attribute(6, structure({ inWindow: unsigned, outOfWindow: unsigned })),
};

/** Auto answer: when a modem answers calls. @spec BB 4 (class_id 28, version 0) */
export const autoAnswer = cosemClass({ id: 28, version: 0, name: 'Auto answer', attributes: members, methods: {} });

/** With the callers that are answered. @spec BB 4 (class_id 28, version 2) */
export const autoAnswerV2 = cosemClass({
  id: 28,
  version: 2,
  name: 'Auto answer',
  attributes: {
    ...members,
    /** Calling numbers as text, `*` and `?` are wildcards; a call is answered, or wakes the device for a connection. */
    allowedCallers: attribute(7, arrayOf(structure({ callerId: octetString, callType: enumNumber }))),
  },
  methods: {},
});
