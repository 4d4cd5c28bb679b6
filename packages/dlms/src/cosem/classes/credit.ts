import { attribute, cosemClass, method } from '../cosem-class.ts';
import { bitString, dateTimeOctets, doubleLong, enumerated, logicalName, unsigned } from '../data.ts';

/** Credit: one source of payment of an account. Usual instance `0.0.19.10.0.255`. @spec BB 4 (class_id 112, version 0) */
export const credit = cosemClass({
  id: 112,
  version: 0,
  name: 'Credit',
  attributes: {
    logicalName: attribute(1, logicalName),
    currentCreditAmount: attribute(2, doubleLong),
    creditType: attribute(3, enumerated({ token: 0, reserved: 1, emergency: 2, timeBased: 3, consumptionBased: 4 })),
    /** 1 is used first. */
    priority: attribute(4, unsigned),
    warningThreshold: attribute(5, doubleLong),
    limit: attribute(6, doubleLong),
    /** Bits: visual indication, confirmation before use, to be paid back, resettable, receives credit from tokens. */
    creditConfiguration: attribute(7, bitString),
    creditStatus: attribute(8, enumerated({ enabled: 0, selectable: 1, selected: 2, inUse: 3, exhausted: 4 })),
    presetCreditAmount: attribute(9, doubleLong),
    creditAvailableThreshold: attribute(10, doubleLong),
    period: attribute(11, dateTimeOctets),
  },
  methods: {
    /** Adds to the amount. */
    updateAmount: method(1, doubleLong),
    setAmountToValue: method(2, doubleLong),
    /** The new status, as in `creditStatus`. */
    invokeCredit: method(3, unsigned),
  },
});
