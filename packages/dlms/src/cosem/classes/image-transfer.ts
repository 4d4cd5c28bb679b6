import { attribute, cosemClass, method } from '../cosem-class.ts';
import { arrayOf, bitString, boolean, doubleLongUnsigned, enumerated, integer, logicalName, octetString, structure } from '../data.ts';

/** Image transfer: firmware update in blocks. @spec BB 4 (class_id 18, version 0) */
export const imageTransfer = cosemClass({
  id: 18,
  version: 0,
  name: 'Image transfer',
  methodsAt: 0x40,
  attributes: {
    logicalName: attribute(1, logicalName),
    /** Octets; the last block may be shorter. */
    blockSize: attribute(2, doubleLongUnsigned),
    /** One bit per block: 1 = received. */
    transferredBlocksStatus: attribute(3, bitString),
    firstNotTransferredBlockNumber: attribute(4, doubleLongUnsigned),
    transferEnabled: attribute(5, boolean),
    transferStatus: attribute(
      6,
      enumerated({
        notInitiated: 0,
        initiated: 1,
        verificationInitiated: 2,
        verificationSuccessful: 3,
        verificationFailed: 4,
        activationInitiated: 5,
        activationSuccessful: 6,
        activationFailed: 7,
      }),
    ),
    toActivateInfo: attribute(7, arrayOf(structure({ size: doubleLongUnsigned, identification: octetString, signature: octetString }))),
  },
  methods: {
    initiate: method(1, structure({ identification: octetString, size: doubleLongUnsigned })),
    /** Blocks are numbered from 0. */
    blockTransfer: method(2, structure({ blockNumber: doubleLongUnsigned, block: octetString })),
    /** Returns temporaryFailure while in progress; poll the status then. */
    verify: method(3, integer),
    activate: method(4, integer),
  },
});
