import { attribute, cosemClass } from '../cosem-class.ts';
import { doubleLongUnsigned, enumNumber, integer, logicalName, longUnsigned, structure, unsigned } from '../data.ts';

/** LTE monitoring: timers and reception of a modem. @spec BB 4 (class_id 151, version 0) */
export const lteMonitoring = cosemClass({
  id: 151,
  version: 0,
  name: 'LTE monitoring',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Timers in seconds; RSRQ and RSRP in steps of 3GPP TS 36.133; the minimum level in dBm. */
    qualityOfService: attribute(
      2,
      structure({ t3402: longUnsigned, t3412: longUnsigned, rsrq: unsigned, rsrp: unsigned, qRxlevMin: integer }),
    ),
  },
  methods: {},
});

/** LTE monitoring with the timers of power saving, and networks for machines. @spec BB 4 (class_id 151, version 1) */
export const lteMonitoringV1 = cosemClass({
  id: 151,
  version: 1,
  name: 'LTE monitoring',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Timers in seconds, but `eDrx` and `ptw` in hundredths of one; minimum levels in dBm, with coverage enhancement apart. */
    networkParameters: attribute(
      2,
      structure({
        t3402: longUnsigned,
        t3412: longUnsigned,
        t3412ext2: doubleLongUnsigned,
        t3324: longUnsigned,
        eDrx: doubleLongUnsigned,
        ptw: longUnsigned,
        qRxlevMin: integer,
        qRxlevMinCe: integer,
        qRxlevMinCe1: integer,
      }),
    ),
    /** RSRQ and RSRP in steps of 3GPP TS 36.133; the level of coverage enhancement is 0, 1 or 2. */
    qualityOfService: attribute(
      3,
      structure({ rsrq: integer, rsrp: integer, signalToNoiseRatio: integer, coverageEnhancement: enumNumber }),
    ),
  },
  methods: {},
});
