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

/** Values to read from the slave, as M-Bus DIB and VIB, last octet first. */
const capture = structure({ dataInformationBlock: octetString, valueInformationBlock: octetString });
const sent = structure({ dataInformationBlock: octetString, valueInformationBlock: octetString, data: anyData });

const common = {
  logicalName: attribute(1, logicalName),
  mbusPortReference: attribute(2, logicalName),
  captureDefinition: attribute(3, arrayOf(capture)),
  /** Seconds; 0 = on request only. */
  capturePeriod: attribute(4, doubleLongUnsigned),
  /** 0 = no slave installed. */
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
  /** Devices expect an unsigned (the primary address) or an integer 0: declared as any Data. */
  slaveInstall: method(1, anyData),
  slaveDeinstall: method(2, integer),
  capture: method(3, integer),
  resetAlarm: method(4, integer),
  synchronizeClock: method(5, integer),
  dataSend: method(6, arrayOf(sent)),
  /** Decryption key that the client uses for data of the slave. */
  setEncryptionKey: method(7, octetString),
  /** New key for the slave, wrapped with its default key. */
  transferKey: method(8, octetString),
};

/** M-Bus client: a gas, water or heat meter behind an electricity meter. @spec BB 4 (class_id 72, version 0) */
export const mBusClient = cosemClass({ id: 72, version: 0, name: 'M-Bus client', methodsAt: 0x60, attributes: common, methods });

/** M-Bus client with the encryption state of its slave. @spec BB 4 (class_id 72, version 1) */
export const mBusClientV1 = cosemClass({
  id: 72,
  version: 1,
  name: 'M-Bus client',
  methodsAt: 0x70,
  attributes: {
    ...common,
    /** Configuration word of the last received header. */
    configuration: attribute(13, longUnsigned),
    encryptionKeyStatus: attribute(14, enumerated({ noKey: 0, keySet: 1, keyTransferred: 2, keySetAndTransferred: 3, keyInUse: 4 })),
  },
  methods,
});
