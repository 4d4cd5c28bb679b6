import { choice, optional, prefixed, sequence, type ValueOf } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { actionResult, dataAccessResult } from './data-access-result.ts';
import { attributeDescriptor, DESCRIPTOR_SIZE, methodDescriptor, selectiveAccess } from './descriptors.ts';
import { longInvokeIdAndPriority } from './invoke.ts';
import { optionalDateTime } from './optional-date-time.ts';
import { serviceList } from './service-list.ts';

/**
 * ```asn1
 * Access-Request-Specification ::= CHOICE {
 *   access-request-get                [1] Access-Request-Get,
 *   access-request-set                [2] Access-Request-Set,
 *   access-request-action             [3] Access-Request-Action,
 *   access-request-get-with-selection [4] Access-Request-Get-With-Selection,
 *   access-request-set-with-selection [5] Access-Request-Set-With-Selection }
 * ```
 * @spec GB 9.5
 */
const specification = choice('kind', {
  get: { tag: 1, codec: sequence({ attribute: attributeDescriptor }) },
  set: { tag: 2, codec: sequence({ attribute: attributeDescriptor }) },
  action: { tag: 3, codec: sequence({ method: methodDescriptor }) },
  getWithSelection: { tag: 4, codec: sequence({ attribute: attributeDescriptor, selection: selectiveAccess }) },
  setWithSelection: { tag: 5, codec: sequence({ attribute: attributeDescriptor, selection: selectiveAccess }) },
});
const specifications = serviceList(specification, DESCRIPTOR_SIZE.method + 1);

/**
 * ```asn1
 * Access-Request ::= SEQUENCE {
 *   long-invoke-id-and-priority Long-Invoke-Id-And-Priority,
 *   date-time                   OCTET STRING,
 *   access-request-body         SEQUENCE {
 *     access-request-specification SEQUENCE OF Access-Request-Specification,
 *     access-request-list-of-data  SEQUENCE OF Data } }     -- one for each specification
 * ```
 * @spec GB 9.5 (access-request [217])
 */
export const accessRequest = prefixed(
  0xd9,
  sequence({ longInvoke: longInvokeIdAndPriority, dateTime: optionalDateTime, specifications, data: serviceList(rawData) }),
);
export type AccessRequest = ValueOf<typeof accessRequest>;

/**
 * ```asn1
 * Access-Response-Specification ::= CHOICE {
 *   access-response-get    [1] SEQUENCE { result Data-Access-Result },
 *   access-response-set    [2] SEQUENCE { result Data-Access-Result },
 *   access-response-action [3] SEQUENCE { result Action-Result } }
 * ```
 * @spec GB 9.5
 */
const outcome = choice('kind', {
  get: { tag: 1, codec: sequence({ result: dataAccessResult }) },
  set: { tag: 2, codec: sequence({ result: dataAccessResult }) },
  action: { tag: 3, codec: sequence({ result: actionResult }) },
});

/**
 * ```asn1
 * Access-Response ::= SEQUENCE {
 *   long-invoke-id-and-priority Long-Invoke-Id-And-Priority,
 *   date-time                   OCTET STRING,
 *   access-response-body        SEQUENCE {
 *     access-request-specification  [0] SEQUENCE OF Access-Request-Specification OPTIONAL,
 *     access-response-list-of-data  SEQUENCE OF Data,
 *     access-response-specification SEQUENCE OF Access-Response-Specification } }
 * ```
 * @spec GB 9.5 (access-response [218])
 */
export const accessResponse = prefixed(
  0xda,
  sequence({
    longInvoke: longInvokeIdAndPriority,
    dateTime: optionalDateTime,
    specifications: optional(specifications),
    data: serviceList(rawData),
    results: serviceList(outcome, 2),
  }),
);
export type AccessResponse = ValueOf<typeof accessResponse>;
