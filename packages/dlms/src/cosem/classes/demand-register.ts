import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, dateTimeOctets, doubleLongUnsigned, integer, logicalName, longUnsigned } from '../data.ts';
import { scalerUnit } from '../scaler-unit.ts';

/** Demand register: averages of the current and of the last period. @spec BB 4 (class_id 5, version 0) */
export const demandRegister = cosemClass({
  id: 5,
  version: 0,
  name: 'Demand register',
  methodsAt: 0x48,
  attributes: {
    logicalName: attribute(1, logicalName),
    currentAverageValue: attribute(2, anyData),
    lastAverageValue: attribute(3, anyData),
    scalerUnit: attribute(4, scalerUnit),
    status: attribute(5, anyData),
    captureTime: attribute(6, dateTimeOctets),
    startTimeCurrent: attribute(7, dateTimeOctets),
    /** Seconds between two captures. */
    period: attribute(8, doubleLongUnsigned),
    /** Periods in a sliding average; 1 for block demand. */
    numberOfPeriods: attribute(9, longUnsigned),
  },
  methods: {
    reset: method(1, integer),
    nextPeriod: method(2, integer),
  },
});
