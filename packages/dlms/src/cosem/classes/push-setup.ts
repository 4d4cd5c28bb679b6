import { captureObject } from '../capture-object.ts';
import { attribute, cosemClass, method } from '../cosem-class.ts';
import { restrictedCaptureObject } from '../restricted-capture-object.ts';
import {
  anyData,
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

const common = {
  logicalName: attribute(1, logicalName),
  sendDestinationAndMethod: attribute(
    3,
    structure({
      transportService: enumNumber, // 0 TCP, 1 UDP, 4 SMS, 5 HDLC; 200 and above are manufacturer-specific
      /** For TCP and UDP `host:port` in ASCII. */
      destination: octetString,
      message: enumerated({ axdrEncoded: 0, xmlEncoded: 1 }),
    }),
  ),
  communicationWindow: attribute(4, arrayOf(structure({ start: dateTimeOctets, end: dateTimeOctets }))),
  /** Seconds. */
  randomisationStartInterval: attribute(5, longUnsigned),
  numberOfRetries: attribute(6, unsigned),
};

/** Push setup: content and destination of a push. @spec BB 4 (class_id 40, version 0) */
export const pushSetup = cosemClass({
  id: 40,
  version: 0,
  name: 'Push setup',
  methodsAt: 0x38,
  attributes: {
    pushObjectList: attribute(2, arrayOf(captureObject)),
    ...common,
    /** Seconds. */
    repetitionDelay: attribute(7, longUnsigned),
  },
  methods: {
    push: method(1, integer),
  },
});

const sinceV1 = {
  ...common,
  pushObjectList: attribute(2, arrayOf(restrictedCaptureObject)),
  /** Seconds: minimum, growth exponent in hundredths, and maximum. */
  repetitionDelay: attribute(7, structure({ min: longUnsigned, exponent: longUnsigned, max: longUnsigned })),
  /** The communication port; empty for any. */
  portReference: attribute(8, octetString),
  pushClientSap: attribute(9, integer),
  /** Protection layers of the message. */
  pushProtectionParameters: attribute(10, arrayOf(structure({ protectionType: enumNumber, protectionOptions: anyData }))),
};

/** From version 1 on a push may select parts of profiles and states its protection. @spec BB 4 (class_id 40, version 1) */
export const pushSetupV1 = cosemClass({
  id: 40,
  version: 1,
  name: 'Push setup',
  attributes: sinceV1,
  methods: pushSetup.methods,
});

const confirmed = {
  ...sinceV1,
  /** 0 unconfirmed, 1 unconfirmed but retried on a failure of the lower layer, 2 confirmed. */
  pushOperationMethod: attribute(11, enumNumber),
  /** The type is unconfirmed: declared as any Data. */
  confirmationParameters: attribute(12, anyData),
  lastConfirmationDateTime: attribute(13, dateTimeOctets),
};

/**
 * From version 2 on a push may be confirmed. It is unconfirmed whether attributes 11 to 13 begin with this version or with version 1.
 * @spec BB 4 (class_id 40, version 2)
 */
export const pushSetupV2 = cosemClass({
  id: 40,
  version: 2,
  name: 'Push setup',
  attributes: confirmed,
  methods: { ...pushSetup.methods, reset: method(2, integer) },
});

/** @spec BB 4 (class_id 40, version 3) */
export const pushSetupV3 = cosemClass({
  id: 40,
  version: 3,
  name: 'Push setup',
  attributes: confirmed,
  methods: pushSetupV2.methods,
});
