import type { Codec } from '../../codec/codec.ts';
import { attribute, cosemClass, method } from '../cosem-class.ts';
import {
  anyData,
  arrayOf,
  enumNumber,
  integer,
  logicalName,
  long,
  longUnsigned,
  nullable,
  octetString,
  structure,
  unsigned,
  visibleString,
} from '../data.ts';

const LONG_UNSIGNED_TAG = 0x12;
const NAMES = 0x1_0000;

/** A base name, 0 to 65535. Its type is long, so that names from 0x8000 on are negative there; some meters encode them as long-unsigned. */
const baseName: Codec<number> = {
  read: (input) => (input.peek() === LONG_UNSIGNED_TAG ? longUnsigned.read(input) : (long.read(input) + NAMES) % NAMES),
  write: (out, name) => long.write(out, name < NAMES / 2 ? name : name - NAMES),
};

const element = structure({ baseName, classId: longUnsigned, version: unsigned, instance: logicalName });
const rights = structure({
  baseName,
  attributes: arrayOf(structure({ attributeId: integer, accessMode: enumNumber, accessSelectors: nullable(arrayOf(integer)) })),
  methods: arrayOf(structure({ methodId: integer, accessMode: enumNumber })),
});

const first = { logicalName: attribute(1, logicalName), objectList: attribute(2, arrayOf(element)) };
const second = { ...first, accessRightsList: attribute(3, arrayOf(rights)), securitySetupReference: attribute(4, logicalName) };
const userEntry = structure({ id: unsigned, name: visibleString });

const methods = {
  /** Reads attributes of objects whose base names the client does not know. */
  readByLogicalName: method(3, anyData, anyData),
  changeSecret: method(5, octetString),
  replyToHlsAuthentication: method(8, octetString, octetString),
};

/** Association SN before access rights. @spec BB 4 (class_id 12, version 1) */
export const associationSnV1 = cosemClass({ id: 12, version: 1, name: 'Association SN', methodsAt: 0x20, attributes: first, methods });

/**
 * Association SN: the objects of a server with short names, with their base names. The current association has base name 0xFA00.
 * @spec BB 4 (class_id 12, version 2)
 */
export const associationSn = cosemClass({ id: 12, version: 2, name: 'Association SN', methodsAt: 0x20, attributes: second, methods });

/** Association SN with users. @spec BB 4 (class_id 12, version 4) */
export const associationSnV4 = cosemClass({
  id: 12,
  version: 4,
  name: 'Association SN',
  methodsAt: 0x20,
  attributes: { ...second, userList: attribute(5, arrayOf(userEntry)), currentUser: attribute(6, userEntry) },
  methods: { ...methods, addUser: method(9, userEntry), removeUser: method(10, userEntry) },
});
