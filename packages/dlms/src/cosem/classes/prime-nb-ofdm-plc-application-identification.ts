import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, logicalName } from '../data.ts';

/**
 * PRIME NB OFDM PLC Application identification: manufacturer and firmware of the modem. The value types are unconfirmed and declared as
 * any Data.
 * @spec BB 4 (class_id 86, version 0)
 */
export const primeNbOfdmPlcApplicationIdentification = cosemClass({
  id: 86,
  version: 0,
  name: 'PRIME NB OFDM PLC Application identification',
  attributes: {
    logicalName: attribute(1, logicalName),
    firmwareVersion: attribute(2, anyData),
    vendorId: attribute(3, anyData),
    productId: attribute(4, anyData),
  },
  methods: {},
});
