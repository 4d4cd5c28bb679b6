import { attribute, cosemClass, method } from '../cosem-class.ts';
import {
  anyData,
  arrayOf,
  doubleLongUnsigned,
  enumerated,
  integer,
  logicalName,
  longUnsigned,
  octetString,
  structure,
  unsigned,
} from '../data.ts';

/** What is read of the slave, as M-Bus says it: DIB and VIB, their last octet first. */
const capture = structure({ dataInformationBlock: octetString, valueInformationBlock: octetString });
const sent = structure({ dataInformationBlock: octetString, valueInformationBlock: octetString, data: anyData });

const common = {
  logicalName: attribute(1, logicalName),
  mbusPortReference: attribute(2, logicalName),
  captureDefinition: attribute(3, arrayOf(capture)),
  /** Seconds; 0 = only when asked. */
  capturePeriod: attribute(4, doubleLongUnsigned),
  /** 0 = no slave is installed. */
  primaryAddress: attribute(5, unsigned),
  /** Eight digits, four bits each. */
  identificationNumber: attribute(6, doubleLongUnsigned),
  /** Three letters, five bits each. */
  manufacturerId: attribute(7, longUnsigned),
  version: attribute(8, unsigned),
  /** The medium: 3 gas, 4 heat, 6 warm water, 7 water. */
  deviceType: attribute(9, unsigned),
  accessNumber: attribute(10, unsigned),
  status: attribute(11, unsigned),
  alarm: attribute(12, unsigned),
};

const methods = {
  /** Devices ask for an unsigned (the primary address) or for an integer 0: it is taken as it comes. */
  slaveInstall: method(1, anyData),
  slaveDeinstall: method(2, integer),
  capture: method(3, integer),
  resetAlarm: method(4, integer),
  synchronizeClock: method(5, integer),
  dataSend: method(6, arrayOf(sent)),
  /** In the client, for what comes from the slave. */
  setEncryptionKey: method(7, octetString),
  /** To the slave, wrapped with its default key. */
  transferKey: method(8, octetString),
};

/**
 * M-Bus client: a meter of gas, water or heat behind an electricity meter.
 * @spec BB 4 (class_id 72, version 0)
 */
export const mBusClient = cosemClass({ id: 72, version: 0, name: 'M-Bus client', attributes: common, methods });

/**
 * M-Bus client that says how its slave encrypts.
 * @spec BB 4 (class_id 72, version 1)
 */
export const mBusClientV1 = cosemClass({
  id: 72,
  version: 1,
  name: 'M-Bus client',
  attributes: {
    ...common,
    /** The configuration word of the header that came last. */
    configuration: attribute(13, longUnsigned),
    encryptionKeyStatus: attribute(14, enumerated({ noKey: 0, keySet: 1, keyTransferred: 2, keySetAndTransferred: 3, keyInUse: 4 })),
  },
  methods,
});
