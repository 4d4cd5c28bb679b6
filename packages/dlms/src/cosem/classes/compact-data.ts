import { captureObject } from '../capture-object.ts';
import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, enumerated, integer, logicalName, octetString, unsigned } from '../data.ts';
import { restrictedCaptureObject } from '../restricted-capture-object.ts';

const templateMembers = {
  templateId: attribute(4, unsigned),
  /** Type descriptions, as in a compact array. */
  templateDescription: attribute(5, octetString),
  captureMethod: attribute(6, enumerated({ invoke: 0, implicit: 1 })),
};
const methods = { reset: method(1, integer), capture: method(2, integer) };

/** Compact data with whole attributes. @spec BB 4 (class_id 62, version 0) */
export const compactDataV0 = cosemClass({
  id: 62,
  version: 0,
  name: 'Compact data',
  attributes: {
    logicalName: attribute(1, logicalName),
    compactBuffer: attribute(2, octetString),
    captureObjects: attribute(3, arrayOf(captureObject)),
    ...templateMembers,
  },
  methods,
});

/** Compact data: values without type tags; the template describes their types. @spec BB 4 (class_id 62, version 1) */
export const compactData = cosemClass({
  id: 62,
  version: 1,
  name: 'Compact data',
  attributes: {
    logicalName: attribute(1, logicalName),
    compactBuffer: attribute(2, octetString),
    captureObjects: attribute(3, arrayOf(restrictedCaptureObject)),
    ...templateMembers,
  },
  methods,
});
