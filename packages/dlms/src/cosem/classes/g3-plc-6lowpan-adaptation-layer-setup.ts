import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, arrayOf, logicalName, longUnsigned, structure, unsigned } from '../data.ts';

/** A route to another node. */
const route = structure({
  destinationAddress: longUnsigned,
  nextHopAddress: longUnsigned,
  routeCost: longUnsigned,
  hopCount: unsigned,
  weakLinkCount: unsigned,
  /** Minutes. */
  validTime: longUnsigned,
});

const common = {
  logicalName: attribute(1, logicalName),
  maxHops: attribute(2, anyData),
  weakLqiValue: attribute(3, anyData),
  securityLevel: attribute(4, anyData),
  prefixTable: attribute(5, anyData),
  routingConfiguration: attribute(6, anyData),
  broadcastLogTableEntryTtl: attribute(7, anyData),
  routingTable: attribute(8, arrayOf(route)),
  contextInformationTable: attribute(9, anyData),
  blacklistTable: attribute(10, anyData),
  broadcastLogTable: attribute(11, anyData),
  groupTable: attribute(12, anyData),
  maxJoinWaitTime: attribute(13, anyData),
  pathDiscoveryTime: attribute(14, anyData),
  activeKeyIndex: attribute(15, anyData),
  metricType: attribute(16, anyData),
  coordinatorShortAddress: attribute(17, anyData),
  disableDefaultRouting: attribute(18, anyData),
  deviceType: attribute(19, anyData),
};

/**
 * G3-PLC 6LoWPAN adaptation layer setup: routes of a node. Attribute numbers and the routing table are confirmed; the version that
 * introduced each attribute after the device type (19) is not. Unconfirmed values are declared as any Data.
 * @spec BB 4 (class_id 92, version 1)
 */
export const g3Plc6lowpanAdaptationLayerSetup = cosemClass({
  id: 92,
  version: 1,
  name: 'G3-PLC 6LoWPAN adaptation layer setup',
  attributes: common,
  methods: {},
});

/** @spec BB 4 (class_id 92, version 2) */
export const g3Plc6lowpanAdaptationLayerSetupV2 = cosemClass({
  id: 92,
  version: 2,
  name: 'G3-PLC 6LoWPAN adaptation layer setup',
  attributes: { ...common, defaultCoordinatorRouteEnabled: attribute(20, anyData), destinationAddressSet: attribute(21, anyData) },
  methods: {},
});

/** @spec BB 4 (class_id 92, version 3) */
export const g3Plc6lowpanAdaptationLayerSetupV3 = cosemClass({
  id: 92,
  version: 3,
  name: 'G3-PLC 6LoWPAN adaptation layer setup',
  attributes: { ...g3Plc6lowpanAdaptationLayerSetupV2.attributes, lowLqi: attribute(22, anyData), highLqi: attribute(23, anyData) },
  methods: {},
});
