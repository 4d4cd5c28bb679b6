import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, logicalName } from '../data.ts';

/**
 * PRIME NB OFDM PLC Application identification: who made the modem, and its firmware. The types of the values are not
 * confirmed: they are taken as they come.
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
