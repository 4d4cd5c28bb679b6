import { attribute, cosemClass, method } from '../cosem-class.ts';
import {
  arrayOf,
  bitString,
  dateTimeOctets,
  doubleLong,
  enumerated,
  integer,
  logicalName,
  longUnsigned,
  structure,
  unsigned,
  utf8String,
} from '../data.ts';

const modeAndStatus = structure({
  paymentMode: enumerated({ credit: 1, prepayment: 2 }),
  accountStatus: enumerated({ new: 1, active: 2, closed: 3 }),
});

/** Bits of the collection: while disconnected, while the load is limited, in periods of friendly credit. */
const creditCharge = structure({ credit: logicalName, charge: logicalName, collection: bitString });

/** Amounts are in units of the currency, as its scale says. */
const currency = structure({ name: utf8String, scale: integer, unit: enumerated({ time: 0, consumption: 1, monetary: 2 }) });

/** Account: the credits and charges of one contract in a payment meter. Usual instance `0.0.19.0.0.255`. @spec BB 4 (class_id 111, version 0) */
export const account = cosemClass({
  id: 111,
  version: 0,
  name: 'Account',
  attributes: {
    logicalName: attribute(1, logicalName),
    accountModeAndStatus: attribute(2, modeAndStatus),
    /** Index in `creditReferenceList`. */
    currentCreditInUse: attribute(3, unsigned),
    /** Bits: in credit, low credit, next credit enabled, selectable, selected, selectable credit in use, out of credit. */
    currentCreditStatus: attribute(4, bitString),
    availableCredit: attribute(5, doubleLong),
    amountToClear: attribute(6, doubleLong),
    clearanceThreshold: attribute(7, doubleLong),
    aggregatedDebt: attribute(8, doubleLong),
    creditReferenceList: attribute(9, arrayOf(logicalName)),
    chargeReferenceList: attribute(10, arrayOf(logicalName)),
    creditChargeConfiguration: attribute(11, arrayOf(creditCharge)),
    /** Shares of a token in percent. */
    tokenGatewayConfiguration: attribute(12, arrayOf(structure({ credit: logicalName, tokenProportion: unsigned }))),
    accountActivationTime: attribute(13, dateTimeOctets),
    accountClosureTime: attribute(14, dateTimeOctets),
    currency: attribute(15, currency),
    lowCreditThreshold: attribute(16, doubleLong),
    nextCreditAvailableThreshold: attribute(17, doubleLong),
    maxProvision: attribute(18, longUnsigned),
    /** Seconds. */
    maxProvisionPeriod: attribute(19, doubleLong),
  },
  methods: {
    activateAccount: method(1, integer),
    closeAccount: method(2, integer),
    resetAccount: method(3, integer),
  },
});
