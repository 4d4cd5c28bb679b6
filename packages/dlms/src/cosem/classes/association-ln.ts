import type { Codec } from '../../codec/codec.ts';
import { attribute, cosemClass, method } from '../cosem-class.ts';
import {
  anyData,
  arrayOf,
  bitString,
  boolean,
  enumerated,
  enumNumber,
  integer,
  logicalName,
  longUnsigned,
  nullable,
  octetString,
  structure,
  unsigned,
  visibleString,
} from '../data.ts';

const attributeMode = enumerated({
  noAccess: 0,
  readOnly: 1,
  writeOnly: 2,
  readAndWrite: 3,
  authenticatedReadOnly: 4,
  authenticatedWriteOnly: 5,
  authenticatedReadAndWrite: 6,
});

const namedMethodMode = enumerated({ noAccess: 0, access: 1, authenticatedAccess: 2 });
const BOOLEAN_TAG = 0x03;

/** Version 0 used boolean, and some meters of later versions still do. */
const methodMode: typeof namedMethodMode = {
  read: (input) => {
    if (input.peek() !== BOOLEAN_TAG) return namedMethodMode.read(input);
    return boolean.read(input) ? 'access' : 'noAccess';
  },
  write: namedMethodMode.write,
};

const objectList = <A, M>(forAttribute: Codec<A>, forMethod: Codec<M>) => {
  const element = structure({
    classId: longUnsigned,
    version: unsigned,
    instance: logicalName,
    accessRights: structure({
      attributes: arrayOf(structure({ attributeId: integer, accessMode: forAttribute, accessSelectors: nullable(arrayOf(integer)) })),
      methods: arrayOf(structure({ methodId: integer, accessMode: forMethod })),
    }),
  });
  return { element, list: arrayOf(element) };
};

/** Object list with access rights as modes. */
const modes = objectList(attributeMode, methodMode);

/** From version 3: bits 1 read, 2 write, 4/8/16 authenticated/encrypted/signed request, 32/64/128 the same of the response. */
const bits = objectList(enumNumber, enumNumber);

const oldest = {
  logicalName: attribute(1, logicalName),
  associatedPartnersId: attribute(3, structure({ clientSap: integer, serverSap: longUnsigned })),
  /** A structure of seven elements, or an encoded object identifier. */
  applicationContextName: attribute(4, anyData),
  xdlmsContextInfo: attribute(
    5,
    structure({
      conformance: bitString,
      maxReceivePduSize: longUnsigned,
      maxSendPduSize: longUnsigned,
      dlmsVersion: unsigned,
      qualityOfService: integer,
      cypheringInfo: octetString,
    }),
  ),
  authenticationMechanismName: attribute(6, anyData),
  secret: attribute(7, octetString),
  associationStatus: attribute(8, enumerated({ nonAssociated: 0, associationPending: 1, associated: 2 })),
};

const common = { ...oldest, securitySetupReference: attribute(9, logicalName) };

const userEntry = structure({ id: unsigned, name: visibleString });
const users = { userList: attribute(10, arrayOf(userEntry)), currentUser: attribute(11, userEntry) };
const userMethods = { addUser: method(5, userEntry), removeUser: method(6, userEntry) };

const authentication = {
  replyToHlsAuthentication: method(1, octetString, octetString),
  changeHlsSecret: method(2, octetString),
};

/** @spec BB 4 (class_id 15, version 0) */
export const associationLnV0 = cosemClass({
  id: 15,
  version: 0,
  name: 'Association LN',
  attributes: { ...oldest, objectList: attribute(2, modes.list) },
  methods: { ...authentication, addObject: method(3, modes.element), removeObject: method(4, modes.element) },
});

/**
 * Association LN: access rights of a client and its authentication. The current association is `0.0.40.0.0.255`.
 * @spec BB 4 (class_id 15, version 1)
 */
export const associationLn = cosemClass({
  id: 15,
  version: 1,
  name: 'Association LN',
  attributes: { ...common, objectList: attribute(2, modes.list) },
  methods: { ...authentication, addObject: method(3, modes.element), removeObject: method(4, modes.element) },
});

/** @spec BB 4 (class_id 15, version 2) */
export const associationLnV2 = cosemClass({
  id: 15,
  version: 2,
  name: 'Association LN',
  attributes: { ...associationLn.attributes, ...users },
  methods: { ...associationLn.methods, ...userMethods },
});

/** @spec BB 4 (class_id 15, version 3) */
export const associationLnV3 = cosemClass({
  id: 15,
  version: 3,
  name: 'Association LN',
  attributes: { ...common, ...users, objectList: attribute(2, bits.list) },
  methods: { ...authentication, ...userMethods, addObject: method(3, bits.element), removeObject: method(4, bits.element) },
});
