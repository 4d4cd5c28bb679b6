import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, integer, logicalName } from '../data.ts';

/**
 * PRIME NB OFDM PLC MAC network administration data: nodes known to a base node or a switch; `communications` lists EUI-48, levels and SNR
 * per node. The table elements are unconfirmed and declared as any Data.
 * @spec BB 4 (class_id 85, version 0)
 */
export const primeNbOfdmPlcMacNetworkAdministrationData = cosemClass({
  id: 85,
  version: 0,
  name: 'PRIME NB OFDM PLC MAC network administration data',
  attributes: {
    logicalName: attribute(1, logicalName),
    multicastEntries: attribute(2, arrayOf(anyData)),
    switchTable: attribute(3, arrayOf(anyData)),
    directTable: attribute(4, arrayOf(anyData)),
    availableSwitches: attribute(5, arrayOf(anyData)),
    communications: attribute(6, arrayOf(anyData)),
  },
  methods: {
    reset: method(1, integer),
  },
});
