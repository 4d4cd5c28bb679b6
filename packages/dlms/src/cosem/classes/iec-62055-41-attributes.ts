import { attribute, cosemClass } from '../cosem-class.ts';
import { anyData, arrayOf, doubleLongUnsigned, logicalName, unsigned, visibleString } from '../data.ts';

/**
 * IEC 62055-41 attributes: the data of the Standard Transfer Specification (STS) in a payment meter. The elements of the meter PAN have
 * one source only: it is any Data.
 * @spec BB 4 (class_id 116, version 0)
 */
export const iec6205541Attributes = cosemClass({
  id: 116,
  version: 0,
  name: 'IEC 62055-41 attributes',
  attributes: {
    logicalName: attribute(1, logicalName),
    /** A structure: issuer, decoder reference number, check digit. */
    meterPan: attribute(2, anyData),
    commodity: attribute(3, visibleString),
    tokenCarrierTypes: attribute(4, arrayOf(unsigned)),
    encryptionAlgorithm: attribute(5, unsigned),
    supplyGroupCode: attribute(6, doubleLongUnsigned),
    tariffIndex: attribute(7, unsigned),
    keyRevisionNumber: attribute(8, unsigned),
    keyType: attribute(9, unsigned),
    keyExpiryNumber: attribute(10, unsigned),
    /** Key change tokens of one key change. */
    numberOfKctSupported: attribute(11, unsigned),
    stsCertificateNumber: attribute(12, visibleString),
  },
  methods: {},
});
