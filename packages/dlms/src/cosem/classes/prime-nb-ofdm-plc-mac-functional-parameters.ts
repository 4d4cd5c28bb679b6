import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, logicalName } from '../data.ts';

/**
 * PRIME NB OFDM PLC MAC functional parameters: position of a node in its subnetwork. The value types are unconfirmed and declared as any
 * Data.
 * @spec BB 4 (class_id 83, version 0)
 */
export const primeNbOfdmPlcMacFunctionalParameters = cosemClass({
  id: 83,
  version: 0,
  name: 'PRIME NB OFDM PLC MAC functional parameters',
  attributes: {
    logicalName: attribute(1, logicalName),
    lnId: attribute(2, anyData),
    lsId: attribute(3, anyData),
    sId: attribute(4, anyData),
    sna: attribute(5, anyData),
    state: attribute(6, anyData),
    scpLength: attribute(7, anyData),
    nodeHierarchyLevel: attribute(8, anyData),
    beaconSlotCount: attribute(9, anyData),
    beaconRxSlot: attribute(10, anyData),
    beaconTxSlot: attribute(11, anyData),
    beaconRxFrequency: attribute(12, anyData),
    beaconTxFrequency: attribute(13, anyData),
    capabilities: attribute(14, anyData),
  },
  methods: {},
});
