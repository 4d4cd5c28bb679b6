import { choice, flag, octets, prefixed, sequence, uint16, type ValueOf } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { dataAccessResult } from './data-access-result.ts';
import { VARIABLE_ACCESS_SIZE, variableAccess } from './variable-access.ts';
import { serviceList } from './service-list.ts';

/**
 * Short-name referencing: reads attributes and invokes methods by address.
 *
 * ```asn1
 * ReadRequest ::= SEQUENCE OF Variable-Access-Specification
 * ```
 * @spec GB 9.5 (readRequest [5])
 */
export const readRequest = prefixed(0x05, sequence({ specifications: serviceList(variableAccess, VARIABLE_ACCESS_SIZE) }));
export type ReadRequest = ValueOf<typeof readRequest>;

/**
 * ```asn1
 * ReadResponse ::= SEQUENCE OF CHOICE {
 *   data              [0] Data,
 *   data-access-error [1] IMPLICIT Data-Access-Result,
 *   data-block-result [2] IMPLICIT SEQUENCE { last-block BOOLEAN, block-number Unsigned16, raw-data OCTET STRING },
 *   block-number      [3] IMPLICIT Unsigned16 }
 * ```
 * @spec GB 9.5 (readResponse [12])
 */
export const readResponse = prefixed(
  0x0c,
  sequence({
    results: serviceList(
      choice('kind', {
        data: { tag: 0, codec: sequence({ data: rawData }) },
        dataAccessError: { tag: 1, codec: sequence({ result: dataAccessResult }) },
        dataBlock: { tag: 2, codec: sequence({ lastBlock: flag, blockNumber: uint16, raw: octets }) },
        blockNumber: { tag: 3, codec: sequence({ blockNumber: uint16 }) },
      }),
      2,
    ),
  }),
);
export type ReadResponse = ValueOf<typeof readResponse>;
