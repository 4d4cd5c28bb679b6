import { attribute, cosemClass } from '../cosem-class.ts';
import { logicalName } from '../data.ts';

/**
 * G3-PLC Hybrid RF MAC setup: only the class id is confirmed. Other attributes are not declared until confirmed by the Blue Book; they can
 * be read as any Data.
 * @spec BB 4 (class_id 161, version 0)
 */
export const g3PlcHybridRfMacSetup = cosemClass({
  id: 161,
  version: 0,
  name: 'G3-PLC Hybrid RF MAC setup',
  attributes: {
    logicalName: attribute(1, logicalName),
  },
  methods: {},
});
