import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, doubleLongUnsigned, enumerated, integer, logicalName, unsigned } from '../data.ts';

/**
 * M-Bus diagnostic: reception of an M-Bus interface. The elements of attributes 5 and 9 have one source only: they are any Data.
 * @spec BB 4 (class_id 77, version 0)
 */
export const mBusDiagnostic = cosemClass({
  id: 77,
  version: 0,
  name: 'M-Bus diagnostic',
  attributes: {
    logicalName: attribute(1, logicalName),
    receivedSignalStrength: attribute(2, unsigned),
    channelId: attribute(3, unsigned),
    linkStatus: attribute(4, enumerated({ none: 0, normal: 1, temporarilyInterrupted: 2, permanentlyInterrupted: 3 })),
    broadcastFramesCounter: attribute(5, anyData),
    transmissionsCounter: attribute(6, doubleLongUnsigned),
    framesReceivedCorrectly: attribute(7, doubleLongUnsigned),
    failedReceptions: attribute(8, doubleLongUnsigned),
    captureTime: attribute(9, anyData),
  },
  methods: {
    reset: method(1, integer),
  },
});
