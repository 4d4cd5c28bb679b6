import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, arrayOf, logicalName, structure } from '../data.ts';
import { scriptReference, watchedAttribute } from '../references.ts';

/**
 * Register monitor: runs scripts when a value crosses a threshold.
 * @spec BB 4 (class_id 21, version 0)
 */
export const registerMonitor = cosemClass({
  id: 21,
  version: 0,
  name: 'Register monitor',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Thresholds have the type of the monitored value. */
    thresholds: attribute(2, arrayOf(anyData)),
    monitoredValue: attribute(3, watchedAttribute),
    /** One action set per threshold. */
    actions: attribute(4, arrayOf(structure({ actionUp: scriptReference, actionDown: scriptReference }))),
  },
  methods: {},
});
