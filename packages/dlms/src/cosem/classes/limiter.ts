import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, arrayOf, boolean, dateTimeOctets, doubleLongUnsigned, logicalName, longUnsigned, structure } from '../data.ts';
import { scriptReference, watchedAttribute } from '../references.ts';

/**
 * Limiter: runs an action when a value stays above or below a threshold for too long; emergency profiles have a separate threshold.
 * @spec BB 4 (class_id 71, version 0)
 */
export const limiter = cosemClass({
  id: 71,
  version: 0,
  name: 'Limiter',
  attributes: {
    logicalName: attribute(1, logicalName),
    monitoredValue: attribute(2, watchedAttribute),
    /** Thresholds have the type of the monitored value. */
    thresholdActive: attribute(3, anyData),
    thresholdNormal: attribute(4, anyData),
    thresholdEmergency: attribute(5, anyData),
    /** Seconds. */
    minOverThresholdDuration: attribute(6, doubleLongUnsigned),
    /** Seconds. */
    minUnderThresholdDuration: attribute(7, doubleLongUnsigned),
    /** Duration in seconds. */
    emergencyProfile: attribute(8, structure({ id: longUnsigned, activationTime: dateTimeOctets, duration: doubleLongUnsigned })),
    emergencyProfileGroupIdList: attribute(9, arrayOf(longUnsigned)),
    emergencyProfileActive: attribute(10, boolean),
    actions: attribute(11, structure({ overThreshold: scriptReference, underThreshold: scriptReference })),
  },
  methods: {},
});
