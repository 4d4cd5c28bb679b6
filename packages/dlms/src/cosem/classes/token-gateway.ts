import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, bitString, dateTimeOctets, enumerated, logicalName, octetString, structure } from '../data.ts';

const tokenStatus = structure({
  status: enumerated({
    formatOk: 0,
    authenticationOk: 1,
    validationOk: 2,
    executionOk: 3,
    formatFailure: 4,
    authenticationFailure: 5,
    validationFailure: 6,
    executionFailure: 7,
    received: 8,
  }),
  data: bitString,
});

/** Token gateway: the entry point for tokens of a payment meter. Usual instance `0.0.19.40.0.255`. @spec BB 4 (class_id 115, version 0) */
export const tokenGateway = cosemClass({
  id: 115,
  version: 0,
  name: 'Token gateway',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** The last token received. */
    token: attribute(2, octetString),
    tokenTime: attribute(3, dateTimeOctets),
    tokenDescription: attribute(4, arrayOf(octetString)),
    tokenDeliveryMethod: attribute(5, enumerated({ remote: 0, local: 1, manual: 2 })),
    tokenStatus: attribute(6, tokenStatus),
  },
  methods: {
    enter: method(1, octetString),
  },
});
