import { attribute, cosemClass, method } from '../cosem-class.ts';
import { doubleLongUnsigned, integer, logicalName } from '../data.ts';

/** G3-PLC MAC layer counters: packets sent, received and dropped. @spec BB 4 (class_id 90, version 1) */
export const g3PlcMacLayerCounters = cosemClass({
  id: 90,
  version: 1,
  name: 'G3-PLC MAC layer counters',
  attributes: {
    logicalName: attribute(1, logicalName),
    txDataPacketCount: attribute(2, doubleLongUnsigned),
    rxDataPacketCount: attribute(3, doubleLongUnsigned),
    txCommandPacketCount: attribute(4, doubleLongUnsigned),
    rxCommandPacketCount: attribute(5, doubleLongUnsigned),
    csmaFailCount: attribute(6, doubleLongUnsigned),
    csmaNoAckCount: attribute(7, doubleLongUnsigned),
    badCrcCount: attribute(8, doubleLongUnsigned),
    txDataBroadcastCount: attribute(9, doubleLongUnsigned),
    rxDataBroadcastCount: attribute(10, doubleLongUnsigned),
  },
  methods: {
    reset: method(1, integer),
  },
});
