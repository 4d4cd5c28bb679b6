import { attribute, cosemClass, method } from '../cosem-class.ts';
import { anyData, arrayOf, enumNumber, octetString, structure, logicalName } from '../data.ts';
import { restrictedCaptureObject } from '../restricted-capture-object.ts';

/** A protection layer: 0 authentication, 1 encryption, 2 both, 3 digital signature; the options name titles and keys. */
const layers = arrayOf(structure({ protectionType: enumNumber, protectionOptions: anyData }));

/**
 * Data protection: attributes of several objects, protected together and apart from the association. The sources do not agree on
 * the elements of the arguments, which are structures: they are declared as any Data.
 * @spec BB 4 (class_id 30, version 0)
 */
export const dataProtection = cosemClass({
  id: 30,
  version: 0,
  name: 'Data protection',
  attributes: {
    logicalName: attribute(1, logicalName),
    protectionBuffer: attribute(2, octetString),
    protectionObjectList: attribute(3, arrayOf(restrictedCaptureObject)),
    protectionParametersGet: attribute(4, layers),
    protectionParametersSet: attribute(5, layers),
    /** A bit set: 04/08/10 authenticated, encrypted, signed request; 20/40/80 the same of the response. */
    requiredProtection: attribute(6, enumNumber),
  },
  methods: {
    getProtectedAttributes: method(1, anyData, anyData),
    setProtectedAttributes: method(2, anyData),
    invokeProtectedMethod: method(3, anyData, anyData),
  },
});
