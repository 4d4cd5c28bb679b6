import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, bitString, boolean, enumNumber, integer, logicalName, longUnsigned, structure, unsigned } from '../data.ts';

/** Link to a neighbouring node. */
const neighbour = structure({
  shortAddress: longUnsigned,
  payloadModulationScheme: boolean,
  toneMap: bitString,
  modulation: enumNumber,
  txGain: integer,
  txResolution: enumNumber,
  txCoefficients: bitString,
  /** Link quality, 0 to 255. */
  lqi: unsigned,
  phaseDifferential: integer,
  /** Minutes. */
  tmrValidTime: unsigned,
  /** Minutes. */
  neighbourValidTime: unsigned,
});

const posEntry = structure({ shortAddress: longUnsigned, lqi: unsigned, validTime: unsigned });

const common = {
  logicalName: attribute(1, logicalName),
  shortAddress: attribute(2, anyData),
  rcCoordinator: attribute(3, anyData),
  panId: attribute(4, anyData),
  keyTable: attribute(5, anyData),
  frameCounter: attribute(6, anyData),
  toneMask: attribute(7, anyData),
  tmrTtl: attribute(8, anyData),
  maxFrameRetries: attribute(9, anyData),
  neighbourTableEntryTtl: attribute(10, anyData),
  neighbourTable: attribute(11, arrayOf(neighbour)),
  highPriorityWindowSize: attribute(12, anyData),
  csmaFairnessLimit: attribute(13, anyData),
  beaconRandomizationWindowLength: attribute(14, anyData),
  a: attribute(15, anyData),
  k: attribute(16, anyData),
  minCwAttempts: attribute(17, anyData),
  cenelecLegacyMode: attribute(18, anyData),
  fccLegacyMode: attribute(19, anyData),
  maxBe: attribute(20, anyData),
  maxCsmaBackoffs: attribute(21, anyData),
  minBe: attribute(22, anyData),
};

/**
 * G3-PLC MAC setup: MAC parameters and the neighbours of a node. Numbers up to 11, the tables, the POS table (25) and the duplicate TTL
 * (26) are confirmed; the names between them, and the version of each, are not. Unconfirmed values are declared as any Data.
 * @spec BB 4 (class_id 91, version 1)
 */
export const g3PlcMacSetup = cosemClass({
  id: 91,
  version: 1,
  name: 'G3-PLC MAC setup',
  attributes: common,
  methods: {
    /** By short address. */
    getNeighbourTableEntry: method(1, longUnsigned, arrayOf(neighbour)),
  },
});

/** @spec BB 4 (class_id 91, version 2) */
export const g3PlcMacSetupV2 = cosemClass({
  id: 91,
  version: 2,
  name: 'G3-PLC MAC setup',
  attributes: {
    ...common,
    broadcastMaxCwEnabled: attribute(23, anyData),
    transmitAttenuation: attribute(24, anyData),
    posTable: attribute(25, arrayOf(posEntry)),
  },
  methods: g3PlcMacSetup.methods,
});

/** @spec BB 4 (class_id 91, version 3) */
export const g3PlcMacSetupV3 = cosemClass({
  id: 91,
  version: 3,
  name: 'G3-PLC MAC setup',
  attributes: { ...g3PlcMacSetupV2.attributes, duplicateDetectionTtl: attribute(26, anyData) },
  methods: {
    ...g3PlcMacSetup.methods,
    /** By short address. */
    getPosTableEntry: method(2, longUnsigned, arrayOf(posEntry)),
  },
});
