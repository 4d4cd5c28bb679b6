import { choice, flag, octets, optional, optionalTail, prefixed, sequence, uint32, type ValueOf } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { actionResult, dataResult } from './data-access-result.ts';
import { DESCRIPTOR_SIZE, methodDescriptor } from './descriptors.ts';
import { invokeIdAndPriority } from './invoke.ts';
import { serviceList } from './service-list.ts';

/** @spec GB 9.5 (DataBlock-SA) */
const block = { lastBlock: flag, blockNumber: uint32, raw: octets };
const methods = serviceList(methodDescriptor, DESCRIPTOR_SIZE.method);

/**
 * ```asn1
 * ACTION-Request ::= CHOICE {
 *   action-request-normal                     [1] IMPLICIT ACTION-Request-Normal,
 *   action-request-next-pblock                [2] IMPLICIT ACTION-Request-Next-Pblock,
 *   action-request-with-list                  [3] IMPLICIT ACTION-Request-With-List,
 *   action-request-with-first-pblock          [4] IMPLICIT ACTION-Request-With-First-Pblock,
 *   action-request-with-list-and-first-pblock [5] IMPLICIT ACTION-Request-With-List-And-First-Pblock,
 *   action-request-with-pblock                [6] IMPLICIT ACTION-Request-With-Pblock }
 * ACTION-Request-Normal ::= SEQUENCE {
 *   invoke-id-and-priority       Invoke-Id-And-Priority,
 *   cosem-method-descriptor      Cosem-Method-Descriptor,
 *   method-invocation-parameters Data OPTIONAL }
 * ```
 * @spec GB 9.5 (action-request [195])
 */
export const actionRequest = prefixed(
  0xc3,
  choice('kind', {
    normal: { tag: 1, codec: sequence({ invoke: invokeIdAndPriority, method: methodDescriptor, argument: optional(rawData) }) },
    nextPblock: { tag: 2, codec: sequence({ invoke: invokeIdAndPriority, blockNumber: uint32 }) },
    withList: { tag: 3, codec: sequence({ invoke: invokeIdAndPriority, methods, arguments: serviceList(rawData) }) },
    firstPblock: { tag: 4, codec: sequence({ invoke: invokeIdAndPriority, method: methodDescriptor, ...block }) },
    withListAndFirstPblock: { tag: 5, codec: sequence({ invoke: invokeIdAndPriority, methods, ...block }) },
    pblock: { tag: 6, codec: sequence({ invoke: invokeIdAndPriority, ...block }) },
  }),
);
export type ActionRequest = ValueOf<typeof actionRequest>;

const returned = dataResult(rawData);

/**
 * ```asn1
 * ACTION-Response ::= CHOICE {
 *   action-response-normal      [1] IMPLICIT ACTION-Response-Normal,
 *   action-response-with-pblock [2] IMPLICIT ACTION-Response-With-Pblock,
 *   action-response-with-list   [3] IMPLICIT ACTION-Response-With-List,
 *   action-response-next-pblock [4] IMPLICIT ACTION-Response-Next-Pblock }
 * ACTION-Response-Normal ::= SEQUENCE {
 *   invoke-id-and-priority Invoke-Id-And-Priority,
 *   single-response        Action-Response-With-Optional-Data }
 * Action-Response-With-Optional-Data ::= SEQUENCE {
 *   result            Action-Result,
 *   return-parameters Get-Data-Result OPTIONAL }   -- some servers leave out the presence octet as well
 * ```
 * @spec GB 9.5 (action-response [199])
 */
export const actionResponse = prefixed(
  0xc7,
  choice('kind', {
    normal: { tag: 1, codec: sequence({ invoke: invokeIdAndPriority, result: actionResult, returned: optionalTail(returned) }) },
    pblock: { tag: 2, codec: sequence({ invoke: invokeIdAndPriority, ...block }) },
    withList: {
      tag: 3,
      codec: sequence({
        invoke: invokeIdAndPriority,
        results: serviceList(sequence({ result: actionResult, returned: optional(returned) }), 2),
      }),
    },
    nextPblock: { tag: 4, codec: sequence({ invoke: invokeIdAndPriority, blockNumber: uint32 }) },
  }),
);
export type ActionResponse = ValueOf<typeof actionResponse>;
