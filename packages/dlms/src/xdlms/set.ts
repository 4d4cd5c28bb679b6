import { choice, flag, octets, optional, prefixed, sequence, uint32, type ValueOf } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { dataAccessResult } from './data-access-result.ts';
import { attributeDescriptor, DESCRIPTOR_SIZE, selectedAttribute, selectiveAccess } from './descriptors.ts';
import { invokeIdAndPriority } from './invoke.ts';
import { serviceList } from './service-list.ts';

const target = { invoke: invokeIdAndPriority, attribute: attributeDescriptor, selection: optional(selectiveAccess) };
const targets = { invoke: invokeIdAndPriority, items: serviceList(selectedAttribute, DESCRIPTOR_SIZE.selectedAttribute) };
const results = serviceList(dataAccessResult);

/**
 * ```asn1
 * DataBlock-SA ::= SEQUENCE { last-block BOOLEAN, block-number Unsigned32, raw-data OCTET STRING }
 * ```
 * @spec GB 9.5
 */
const block = { lastBlock: flag, blockNumber: uint32, raw: octets };

/**
 * ```asn1
 * SET-Request ::= CHOICE {
 *   set-request-normal                         [1] IMPLICIT SET-Request-Normal,
 *   set-request-with-first-datablock           [2] IMPLICIT SET-Request-With-First-Datablock,
 *   set-request-with-datablock                 [3] IMPLICIT SET-Request-With-Datablock,
 *   set-request-with-list                      [4] IMPLICIT SET-Request-With-List,
 *   set-request-with-list-and-first-datablock  [5] IMPLICIT SET-Request-With-List-And-First-Datablock }
 * SET-Request-Normal ::= SEQUENCE {
 *   invoke-id-and-priority     Invoke-Id-And-Priority,
 *   cosem-attribute-descriptor Cosem-Attribute-Descriptor,
 *   access-selection           Selective-Access-Descriptor OPTIONAL,
 *   value                      Data }
 * SET-Request-With-List ::= SEQUENCE {
 *   invoke-id-and-priority    Invoke-Id-And-Priority,
 *   attribute-descriptor-list SEQUENCE OF Cosem-Attribute-Descriptor-With-Selection,
 *   value-list                SEQUENCE OF Data }
 * ```
 * @spec GB 9.5 (set-request [193])
 */
export const setRequest = prefixed(
  0xc1,
  choice('kind', {
    normal: { tag: 1, codec: sequence({ ...target, data: rawData }) },
    firstDatablock: { tag: 2, codec: sequence({ ...target, ...block }) },
    datablock: { tag: 3, codec: sequence({ invoke: invokeIdAndPriority, ...block }) },
    withList: { tag: 4, codec: sequence({ ...targets, data: serviceList(rawData) }) },
    withListAndFirstDatablock: { tag: 5, codec: sequence({ ...targets, ...block }) },
  }),
);
export type SetRequest = ValueOf<typeof setRequest>;

/**
 * ```asn1
 * SET-Response ::= CHOICE {
 *   set-response-normal                   [1] IMPLICIT SET-Response-Normal,
 *   set-response-datablock                [2] IMPLICIT SET-Response-Datablock,
 *   set-response-last-datablock           [3] IMPLICIT SET-Response-Last-Datablock,
 *   set-response-last-datablock-with-list [4] IMPLICIT SET-Response-Last-Datablock-With-List,
 *   set-response-with-list                [5] IMPLICIT SET-Response-With-List }
 * ```
 * @spec GB 9.5 (set-response [197])
 */
export const setResponse = prefixed(
  0xc5,
  choice('kind', {
    normal: { tag: 1, codec: sequence({ invoke: invokeIdAndPriority, result: dataAccessResult }) },
    datablock: { tag: 2, codec: sequence({ invoke: invokeIdAndPriority, blockNumber: uint32 }) },
    lastDatablock: { tag: 3, codec: sequence({ invoke: invokeIdAndPriority, result: dataAccessResult, blockNumber: uint32 }) },
    lastDatablockWithList: { tag: 4, codec: sequence({ invoke: invokeIdAndPriority, results, blockNumber: uint32 }) },
    withList: { tag: 5, codec: sequence({ invoke: invokeIdAndPriority, results }) },
  }),
);
export type SetResponse = ValueOf<typeof setResponse>;
