import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName } from '../data.ts';

/**
 * G3-PLC Hybrid RF MAC layer counters: only the class id is confirmed. Other attributes are not declared until confirmed by the Blue Book;
 * they can be read as any Data.
 * @spec BB 4 (class_id 160, version 0)
 */
export const g3PlcHybridRfMacLayerCounters = cosemClass({
  id: 160,
  version: 0,
  name: 'G3-PLC Hybrid RF MAC layer counters',
  attributes: {
    logicalName: attribute(1, logicalName),
  },
  methods: {},
});
