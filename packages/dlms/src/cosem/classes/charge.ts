import { attribute, cosemClass, method } from '../cosem-class.ts';
import {
  anyData,
  arrayOf,
  bitString,
  dateTimeOctets,
  doubleLong,
  doubleLongUnsigned,
  enumerated,
  integer,
  logicalName,
  long,
  longUnsigned,
  octetString,
  structure,
  unsigned,
} from '../data.ts';

const unitCharge = structure({
  scaling: structure({ commodityScale: integer, priceScale: integer }),
  /** The attribute that counts the commodity; class 0 for none. */
  commodity: structure({ classId: longUnsigned, instance: logicalName, attributeId: integer }),
  table: arrayOf(structure({ index: octetString, chargePerUnit: long })),
});

/**
 * Charge: collections from the credits of an account. Usual instance `0.0.19.20.0.255`. The arguments of the methods have no
 * two agreeing sources: they are any Data.
 * @spec BB 4 (class_id 113, version 0)
 */
export const charge = cosemClass({
  id: 113,
  version: 0,
  name: 'Charge',
  attributes: {
    logicalName: attribute(1, logicalName),
    totalAmountPaid: attribute(2, doubleLong),
    chargeType: attribute(3, enumerated({ consumptionBased: 0, timeBased: 1, paymentEventBased: 2 })),
    /** 1 is collected first. */
    priority: attribute(4, unsigned),
    unitChargeActive: attribute(5, unitCharge),
    unitChargePassive: attribute(6, unitCharge),
    unitChargeActivationTime: attribute(7, dateTimeOctets),
    /** Seconds. */
    period: attribute(8, doubleLongUnsigned),
    /** Bits: collected as a percentage, collected continuously. */
    chargeConfiguration: attribute(9, bitString),
    lastCollectionTime: attribute(10, dateTimeOctets),
    lastCollectionAmount: attribute(11, doubleLong),
    totalAmountRemaining: attribute(12, doubleLong),
    /** Hundredths of a percent of a payment. */
    proportion: attribute(13, longUnsigned),
  },
  methods: {
    updateUnitCharge: method(1, anyData),
    activatePassiveUnitCharge: method(2, anyData),
    collect: method(3, anyData),
    updateTotalAmountRemaining: method(4, anyData),
    setTotalAmountRemaining: method(5, anyData),
  },
});
