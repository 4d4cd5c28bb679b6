import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, boolean, doubleLongUnsigned, enumerated, integer, logicalName, longUnsigned, octetString, structure } from '../data.ts';

const key = structure({ id: doubleLongUnsigned, key: octetString });

/** NTP setup: time servers of a device. @spec BB 4 (class_id 100, version 0) */
export const ntpSetup = cosemClass({
  id: 100,
  version: 0,
  name: 'NTP setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    activated: attribute(2, boolean),
    /** Host name or address, as text. */
    serverAddress: attribute(3, octetString),
    serverPort: attribute(4, longUnsigned),
    authenticationMethod: attribute(5, enumerated({ none: 0, sharedSecrets: 1, autoKeyIff: 2 })),
    authenticationKeys: attribute(6, arrayOf(key)),
    clientKey: attribute(7, octetString),
  },
  methods: {
    synchronize: method(1, integer),
    addAuthenticationKey: method(2, key),
    deleteAuthenticationKey: method(3, doubleLongUnsigned),
  },
});
