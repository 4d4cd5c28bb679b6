import { attribute, cosemClass, method } from '../cosem-class.ts';
import { boolean, dateTimeOctets, enumerated, integer, logicalName, long, structure, unsigned } from '../data.ts';

/** Clock: date and time of the device, time zone and daylight saving. @spec BB 4 (class_id 8, version 0) */
export const clock = cosemClass({
  id: 8,
  version: 0,
  name: 'Clock',
  methodsAt: 0x60,
  attributes: {
    logicalName: attribute(1, logicalName),
    time: attribute(2, dateTimeOctets),
    /** Minutes; UTC minus local standard time. */
    timeZone: attribute(3, long),
    /** Bits, see `CLOCK_STATUS`. */
    status: attribute(4, unsigned),
    daylightSavingsBegin: attribute(5, dateTimeOctets),
    daylightSavingsEnd: attribute(6, dateTimeOctets),
    /** Minutes. */
    daylightSavingsDeviation: attribute(7, integer),
    daylightSavingsEnabled: attribute(8, boolean),
    clockBase: attribute(9, enumerated({ notDefined: 0, internalCrystal: 1, mains50Hz: 2, mains60Hz: 3, gps: 4, radioControlled: 5 })),
  },
  methods: {
    adjustToQuarter: method(1, integer),
    adjustToMeasuringPeriod: method(2, integer),
    adjustToMinute: method(3, integer),
    adjustToPresetTime: method(4, integer),
    presetAdjustingTime: method(
      5,
      structure({ presetTime: dateTimeOctets, validityIntervalStart: dateTimeOctets, validityIntervalEnd: dateTimeOctets }),
    ),
    /** Seconds, −900 to 900. */
    shiftTime: method(6, long),
  },
});
