import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, integer, logicalName } from '../data.ts';

/**
 * CoAP diagnostic: counters of messages, of requests and responses, and of block-wise transfers. The elements of the structures have one
 * source only: they are any Data.
 * @spec BB 4 (class_id 153, version 0)
 */
export const coapDiagnostic = cosemClass({
  id: 153,
  version: 0,
  name: 'CoAP diagnostic',
  attributes: {
    logicalName: attribute(1, logicalName),
    messagesCounter: attribute(2, anyData),
    requestResponseCounter: attribute(3, anyData),
    blockTransferCounter: attribute(4, anyData),
    /** The attribute of the last change and its time. */
    captureTime: attribute(5, anyData),
  },
  methods: {
    reset: method(1, integer),
  },
});
