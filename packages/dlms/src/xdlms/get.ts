import { choice, flag, octets, optional, prefixed, sequence, uint32, type ValueOf } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { dataResult } from './data-access-result.ts';
import { attributeDescriptor, DESCRIPTOR_SIZE, selectedAttribute, selectiveAccess } from './descriptors.ts';
import { invokeIdAndPriority } from './invoke.ts';
import { serviceList } from './service-list.ts';

/**
 * ```asn1
 * GET-Request ::= CHOICE {
 *   get-request-normal    [1] IMPLICIT GET-Request-Normal,
 *   get-request-next      [2] IMPLICIT GET-Request-Next,
 *   get-request-with-list [3] IMPLICIT GET-Request-With-List }
 * GET-Request-Normal ::= SEQUENCE {
 *   invoke-id-and-priority     Invoke-Id-And-Priority,
 *   cosem-attribute-descriptor Cosem-Attribute-Descriptor,
 *   access-selection           Selective-Access-Descriptor OPTIONAL }
 * GET-Request-Next ::= SEQUENCE {
 *   invoke-id-and-priority Invoke-Id-And-Priority,
 *   block-number           Unsigned32 }            -- the block just received
 * GET-Request-With-List ::= SEQUENCE {
 *   invoke-id-and-priority    Invoke-Id-And-Priority,
 *   attribute-descriptor-list SEQUENCE OF Cosem-Attribute-Descriptor-With-Selection }
 * ```
 * @spec GB 9.5 (get-request [192])
 */
export const getRequest = prefixed(
  0xc0,
  choice('kind', {
    normal: {
      tag: 1,
      codec: sequence({ invoke: invokeIdAndPriority, attribute: attributeDescriptor, selection: optional(selectiveAccess) }),
    },
    next: { tag: 2, codec: sequence({ invoke: invokeIdAndPriority, blockNumber: uint32 }) },
    withList: {
      tag: 3,
      codec: sequence({ invoke: invokeIdAndPriority, items: serviceList(selectedAttribute, DESCRIPTOR_SIZE.selectedAttribute) }),
    },
  }),
);
export type GetRequest = ValueOf<typeof getRequest>;

/**
 * ```asn1
 * GET-Response ::= CHOICE {
 *   get-response-normal         [1] IMPLICIT GET-Response-Normal,
 *   get-response-with-datablock [2] IMPLICIT GET-Response-With-Datablock,
 *   get-response-with-list      [3] IMPLICIT GET-Response-With-List }
 * GET-Response-Normal ::= SEQUENCE {
 *   invoke-id-and-priority Invoke-Id-And-Priority,
 *   result                 Get-Data-Result }
 * GET-Response-With-Datablock ::= SEQUENCE {
 *   invoke-id-and-priority Invoke-Id-And-Priority,
 *   result                 DataBlock-G }
 * DataBlock-G ::= SEQUENCE {
 *   last-block   BOOLEAN,
 *   block-number Unsigned32,
 *   result       CHOICE { raw-data [0] IMPLICIT OCTET STRING, data-access-result [1] IMPLICIT Data-Access-Result } }
 * GET-Response-With-List ::= SEQUENCE {
 *   invoke-id-and-priority Invoke-Id-And-Priority,
 *   result                 SEQUENCE OF Get-Data-Result }
 * ```
 * @spec GB 9.5 (get-response [196])
 */
export const getResponse = prefixed(
  0xc4,
  choice('kind', {
    normal: { tag: 1, codec: sequence({ invoke: invokeIdAndPriority, result: dataResult(rawData) }) },
    withDatablock: {
      tag: 2,
      codec: sequence({ invoke: invokeIdAndPriority, lastBlock: flag, blockNumber: uint32, result: dataResult(octets) }),
    },
    withList: { tag: 3, codec: sequence({ invoke: invokeIdAndPriority, results: serviceList(dataResult(rawData), 2) }) },
  }),
);
export type GetResponse = ValueOf<typeof getResponse>;
