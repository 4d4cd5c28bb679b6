import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName } from '../data.ts';

/**
 * G3-PLC Hybrid 6LoWPAN adaptation layer setup: only the class's id is confirmed. Its other attributes are left out until somebody
 * has read them in the book; they can be read as any Data.
 * @spec BB 4 (class_id 162, version 0)
 */
export const g3PlcHybrid6lowpanAdaptationLayerSetup = cosemClass({
  id: 162,
  version: 0,
  name: 'G3-PLC Hybrid 6LoWPAN adaptation layer setup',
  attributes: {
    logicalName: attribute(1, logicalName),
  },
  methods: {},
});
