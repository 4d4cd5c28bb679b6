import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, integer, logicalName } from '../data.ts';

/**
 * PRIME NB OFDM PLC MAC counters: packets sent, received and dropped. Names, numbers and value types are unconfirmed; values are declared
 * as any Data.
 * @spec BB 4 (class_id 84, version 0)
 */
export const primeNbOfdmPlcMacCounters = cosemClass({
  id: 84,
  version: 0,
  name: 'PRIME NB OFDM PLC MAC counters',
  attributes: {
    logicalName: attribute(1, logicalName),
    txDataPacketCount: attribute(2, anyData),
    rxDataPacketCount: attribute(3, anyData),
    txControlPacketCount: attribute(4, anyData),
    rxControlPacketCount: attribute(5, anyData),
    csmaFailCount: attribute(6, anyData),
    csmaChannelBusyCount: attribute(7, anyData),
  },
  methods: {
    reset: method(1, integer),
  },
});
