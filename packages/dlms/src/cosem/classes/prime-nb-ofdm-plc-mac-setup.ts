import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, logicalName } from '../data.ts';

/**
 * PRIME NB OFDM PLC MAC setup: timers and limits. Names, numbers and value types are unconfirmed; values are declared as any Data.
 * @spec BB 4 (class_id 82, version 0)
 */
export const primeNbOfdmPlcMacSetup = cosemClass({
  id: 82,
  version: 0,
  name: 'PRIME NB OFDM PLC MAC setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    minSwitchSearchTime: attribute(2, anyData),
    maxPromotionPdu: attribute(3, anyData),
    promotionPduTxPeriod: attribute(4, anyData),
    beaconsPerFrame: attribute(5, anyData),
    scpMaxTxAttempts: attribute(6, anyData),
    ctlReTxTimer: attribute(7, anyData),
    maxCtlReTx: attribute(8, anyData),
  },
  methods: {},
});
