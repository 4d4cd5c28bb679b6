import { captureObject } from '../capture-object.ts';
import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, doubleLongUnsigned, enumerated, integer, logicalName } from '../data.ts';

/**
 * Profile generic: rows of captured attributes, such as load profiles, daily freezes and event logs. The buffer is
 * read with selective access; see `selective-access.ts` and `profile-buffer.ts`.
 * @spec BB 4 (class_id 7, version 1)
 */
export const profileGeneric = cosemClass({
  id: 7,
  version: 1,
  name: 'Profile generic',
  methodsAt: 0x58,
  attributes: {
    logicalName: attribute(1, logicalName),
    buffer: attribute(2, anyData),
    captureObjects: attribute(3, arrayOf(captureObject)),
    /** Seconds; 0 when captures are triggered externally. */
    capturePeriod: attribute(4, doubleLongUnsigned),
    sortMethod: attribute(5, enumerated({ fifo: 1, lifo: 2, largest: 3, smallest: 4, nearestToZero: 5, farthestFromZero: 6 })),
    sortObject: attribute(6, captureObject),
    entriesInUse: attribute(7, doubleLongUnsigned),
    profileEntries: attribute(8, doubleLongUnsigned),
  },
  methods: {
    reset: method(1, integer),
    capture: method(2, integer),
  },
});
