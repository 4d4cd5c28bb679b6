import { optional, prefixed, sequence, type ValueOf } from '../codec/codec.ts';
import { asciiString } from '../codec/text.ts';
import { rawData } from '../cosem/data.ts';
import { VARIABLE_ACCESS_SIZE, variableAccess } from './variable-access.ts';
import { serviceList } from './service-list.ts';

/**
 * Unsolicited report of a server with short names.
 *
 * ```asn1
 * InformationReportRequest ::= SEQUENCE {
 *   current-time                  GeneralizedTime OPTIONAL,   -- text: 20261121144500Z
 *   variable-access-specification SEQUENCE OF Variable-Access-Specification,
 *   list-of-data                  SEQUENCE OF Data }
 * ```
 * @spec GB 9.5 (informationReportRequest [24])
 */
export const informationReportRequest = prefixed(
  0x18,
  sequence({
    currentTime: optional(asciiString),
    specifications: serviceList(variableAccess, VARIABLE_ACCESS_SIZE),
    data: serviceList(rawData),
  }),
);
export type InformationReportRequest = ValueOf<typeof informationReportRequest>;
