import { attribute, cosemClass } from '../cosem-class.ts';
import { arrayOf, dateOctets, enumNumber, logicalName, structure, timeOctets } from '../data.ts';
import { scriptReference } from '../references.ts';

/** Single action schedule: runs a script at times that may be patterns, such as every midnight. @spec BB 4 (class_id 22, version 0) */
export const singleActionSchedule = cosemClass({
  id: 22,
  version: 0,
  name: 'Single action schedule',
  attributes: {
    logicalName: attribute(1, logicalName),
    executedScript: attribute(2, scriptReference),
    /** 1: one time, wildcards allowed in the date; 2 to 5: several times, equal or different, with or without wildcards. */
    type: attribute(3, enumNumber),
    executionTime: attribute(4, arrayOf(structure({ time: timeOctets, date: dateOctets }))),
  },
  methods: {},
});
