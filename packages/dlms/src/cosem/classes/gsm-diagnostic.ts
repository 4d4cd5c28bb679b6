import { attribute, cosemClass } from '../cosem-class.ts';
import {
  arrayOf,
  dateTimeOctets,
  doubleLongUnsigned,
  enumerated,
  logicalName,
  longUnsigned,
  structure,
  unsigned,
  visibleString,
} from '../data.ts';

const REGISTRATION = { notRegistered: 0, registeredHome: 1, searching: 2, denied: 3, unknown: 4, registeredRoaming: 5 } as const;
const PACKET_SERVICE = { inactive: 0, gprs: 1, edge: 2, umts: 3, hsdpa: 4 } as const;

/** Signal quality and bit error rate in modem steps (0 to 31, 0 to 7); 99 = unknown. */
const signal = { locationId: longUnsigned, signalQuality: unsigned, bitErrorRate: unsigned };

const STRONGEST_STEP = 31;

/**
 * Converts a modem step of signal quality to dBm; the lowest and highest steps are open-ended. Null when unknown.
 * @spec BB 4 (class_id 47, cell_info)
 */
export const dbmOf = (signalQuality: number): number | null => (signalQuality <= STRONGEST_STEP ? 2 * signalQuality - 113 : null);

const common = {
  logicalName: attribute(1, logicalName),
  operator: attribute(2, visibleString),
  status: attribute(3, enumerated(REGISTRATION)),
  csAttachment: attribute(4, enumerated({ inactive: 0, incomingCall: 1, active: 2 })),
};

/** Time of the capture. */
const captureTime = attribute(8, dateTimeOctets);

/**
 * GSM diagnostic: network registration and reception of a modem. Cell ids have two octets, as in GSM.
 * @spec BB 4 (class_id 47, version 0)
 */
export const gsmDiagnostic = cosemClass({
  id: 47,
  version: 0,
  name: 'GSM diagnostic',
  attributes: {
    ...common,
    psStatus: attribute(5, enumerated(PACKET_SERVICE)),
    cellInfo: attribute(6, structure({ cellId: longUnsigned, ...signal })),
    adjacentCells: attribute(7, arrayOf(structure({ cellId: longUnsigned, signalQuality: unsigned }))),
    captureTime,
  },
  methods: {},
});

/** GSM diagnostic with cell ids of four octets, network codes and channel number. @spec BB 4 (class_id 47, version 1) */
export const gsmDiagnosticV1 = cosemClass({
  id: 47,
  version: 1,
  name: 'GSM diagnostic',
  attributes: {
    ...common,
    psStatus: attribute(5, enumerated({ ...PACKET_SERVICE, lte: 5, cdma: 6 })),
    cellInfo: attribute(
      6,
      structure({
        cellId: doubleLongUnsigned,
        ...signal,
        mobileCountryCode: longUnsigned,
        mobileNetworkCode: longUnsigned,
        channelNumber: doubleLongUnsigned,
      }),
    ),
    adjacentCells: attribute(7, arrayOf(structure({ cellId: doubleLongUnsigned, signalQuality: unsigned }))),
    captureTime,
  },
  methods: {},
});
