import { enumeration, prefixed, sequence, uint8, type ValueOf } from '../codec/codec.ts';

/**
 * ```asn1
 * ConfirmedServiceError ::= CHOICE { initiateError [1] ServiceError, ..., read [5] ServiceError, write [6] ServiceError, ... }
 * ServiceError ::= CHOICE {
 *   application-reference [0] IMPLICIT ENUMERATED,   -- 6: deciphering error
 *   hardware-resource     [1] IMPLICIT ENUMERATED,
 *   vde-state-error       [2] IMPLICIT ENUMERATED,
 *   service               [3] IMPLICIT ENUMERATED,
 *   definition            [4] IMPLICIT ENUMERATED,
 *   access                [5] IMPLICIT ENUMERATED,
 *   initiate              [6] IMPLICIT ENUMERATED,   -- 1 version too low, 2 incompatible conformance, 3 PDU size too short, 4 refused
 *   load-data-set         [7] IMPLICIT ENUMERATED,
 *   task                  [9] IMPLICIT ENUMERATED,
 *   other                 [10] IMPLICIT ENUMERATED }
 * ```
 * @spec GB 9.5 (confirmedServiceError [14])
 */
export const confirmedServiceError = prefixed(
  0x0e,
  sequence({
    service: enumeration({
      initiateError: 1,
      getStatus: 2,
      getNameList: 3,
      getVariableAttribute: 4,
      read: 5,
      write: 6,
      getDataSetAttribute: 7,
      getTiAttribute: 8,
      changeScope: 9,
      start: 10,
      stop: 11,
      resume: 12,
      makeUsable: 13,
      initiateLoad: 14,
      loadSegment: 15,
      terminateLoad: 16,
      initiateUpload: 17,
      uploadSegment: 18,
      terminateUpload: 19,
    }),
    errorClass: enumeration({
      applicationReference: 0,
      hardwareResource: 1,
      vdeStateError: 2,
      service: 3,
      definition: 4,
      access: 5,
      initiate: 6,
      loadDataSet: 7,
      changeScope: 8,
      task: 9,
      other: 10,
    }),
    value: uint8,
  }),
);
export type ConfirmedServiceError = ValueOf<typeof confirmedServiceError>;
