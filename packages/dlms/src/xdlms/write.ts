import { choice, prefixed, sequence, uint16, type ValueOf } from '../codec/codec.ts';
import { rawData } from '../cosem/data.ts';
import { dataAccessResult } from './data-access-result.ts';
import { VARIABLE_ACCESS_SIZE, variableAccess } from './variable-access.ts';
import { serviceList } from './service-list.ts';

/** Values and their addresses, in the same order. */
const assignments = sequence({ specifications: serviceList(variableAccess, VARIABLE_ACCESS_SIZE), data: serviceList(rawData) });

/**
 * Short-name referencing: writes attributes by address.
 *
 * ```asn1
 * WriteRequest ::= SEQUENCE {
 *   variable-access-specification SEQUENCE OF Variable-Access-Specification,
 *   list-of-data                  SEQUENCE OF Data }
 * ```
 * @spec GB 9.5 (writeRequest [6])
 */
export const writeRequest = prefixed(0x06, assignments);
export type WriteRequest = ValueOf<typeof writeRequest>;

const empty = sequence({});

/**
 * ```asn1
 * WriteResponse ::= SEQUENCE OF CHOICE {
 *   success           [0] IMPLICIT NULL,
 *   data-access-error [1] IMPLICIT Data-Access-Result,
 *   block-number      [2] IMPLICIT Unsigned16 }
 * ```
 * @spec GB 9.5 (writeResponse [13])
 */
export const writeResponse = prefixed(
  0x0d,
  sequence({
    results: serviceList(
      choice('kind', {
        success: { tag: 0, codec: empty },
        dataAccessError: { tag: 1, codec: sequence({ result: dataAccessResult }) },
        blockNumber: { tag: 2, codec: sequence({ blockNumber: uint16 }) },
      }),
    ),
  }),
);
export type WriteResponse = ValueOf<typeof writeResponse>;

/**
 * An unconfirmed write.
 *
 * ```asn1
 * UnconfirmedWriteRequest ::= SEQUENCE {
 *   variable-access-specification SEQUENCE OF Variable-Access-Specification,
 *   list-of-data                  SEQUENCE OF Data }
 * ```
 * @spec GB 9.5 (unconfirmedWriteRequest [22])
 */
export const unconfirmedWriteRequest = prefixed(0x16, assignments);
export type UnconfirmedWriteRequest = ValueOf<typeof unconfirmedWriteRequest>;
