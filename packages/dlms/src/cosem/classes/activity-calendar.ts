import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, dateTimeOctets, integer, logicalName, longUnsigned, octetString, structure, timeOctets, unsigned } from '../data.ts';

const seasons = arrayOf(structure({ name: octetString, start: dateTimeOctets, week: octetString }));
const weeks = arrayOf(
  structure({
    name: octetString,
    monday: unsigned,
    tuesday: unsigned,
    wednesday: unsigned,
    thursday: unsigned,
    friday: unsigned,
    saturday: unsigned,
    sunday: unsigned,
  }),
);
const days = arrayOf(
  structure({ id: unsigned, schedule: arrayOf(structure({ startTime: timeOctets, script: logicalName, selector: longUnsigned })) }),
);

/**
 * Activity calendar: the tariff schedule. The passive calendar is written and then replaces the active one.
 * @spec BB 4 (class_id 20, version 0)
 */
export const activityCalendar = cosemClass({
  id: 20,
  version: 0,
  name: 'Activity calendar',
  methodsAt: 0x50,
  attributes: {
    logicalName: attribute(1, logicalName),
    calendarNameActive: attribute(2, octetString),
    seasonProfileActive: attribute(3, seasons),
    weekProfileActive: attribute(4, weeks),
    dayProfileActive: attribute(5, days),
    calendarNamePassive: attribute(6, octetString),
    seasonProfilePassive: attribute(7, seasons),
    weekProfilePassive: attribute(8, weeks),
    dayProfilePassive: attribute(9, days),
    activatePassiveCalendarTime: attribute(10, dateTimeOctets),
  },
  methods: {
    activatePassiveCalendar: method(1, integer),
  },
});
