import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, arrayOf, logicalName, structure, unsigned } from '../data.ts';

/** One option of a control protocol, by its protocol number. */
const option = structure({ type: unsigned, length: unsigned, data: anyData });

/**
 * PPP setup: dial-in to a packet network. `pppAuthentication` is null-data without authentication, else a structure whose first field is
 * the user name; a second field of octets is a password.
 * @spec BB 4 (class_id 44, version 0)
 */
export const pppSetup = cosemClass({
  id: 44,
  version: 0,
  name: 'PPP setup',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** The object of the layer below: a modem. */
    phyReference: attribute(2, logicalName),
    lcpOptions: attribute(3, arrayOf(option)),
    ipcpOptions: attribute(4, arrayOf(option)),
    pppAuthentication: attribute(5, anyData),
  },
  methods: {},
});
