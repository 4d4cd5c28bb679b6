import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, integer, logicalName } from '../data.ts';

/**
 * PRIME NB OFDM PLC Physical layer counters: frame errors on the line. Names, numbers and value types are unconfirmed; values are declared
 * as any Data.
 * @spec BB 4 (class_id 81, version 0)
 */
export const primeNbOfdmPlcPhysicalLayerCounters = cosemClass({
  id: 81,
  version: 0,
  name: 'PRIME NB OFDM PLC Physical layer counters',
  attributes: {
    logicalName: attribute(1, logicalName),
    crcIncorrectCount: attribute(2, anyData),
    crcFailCount: attribute(3, anyData),
    txDropCount: attribute(4, anyData),
    rxDropCount: attribute(5, anyData),
  },
  methods: {
    reset: method(1, integer),
  },
});
