import { choice, flag, int16, octets, sequence, uint16, uint8, type ValueOf } from '../codec/codec.ts';
import { dataCodec } from '../cosem/data.ts';

/** A block of a request or response that exceeds one PDU. */
const dataBlock = sequence({ lastBlock: flag, blockNumber: uint16, raw: octets });

/**
 * Address in short-name referencing. A variable name is the base name of the object plus the attribute offset, a multiple of 8; negative
 * numbers encode names from 0x8000 on.
 *
 * ```asn1
 * Variable-Access-Specification ::= CHOICE {
 *   variable-name           [2] IMPLICIT ObjectName,    -- Integer16
 *   parameterized-access    [4] IMPLICIT SEQUENCE { variable-name ObjectName, selector Unsigned8, parameter Data },
 *   block-number-access     [5] IMPLICIT SEQUENCE { block-number Unsigned16 },
 *   read-data-block-access  [6] IMPLICIT SEQUENCE { last-block BOOLEAN, block-number Unsigned16, raw-data OCTET STRING },
 *   write-data-block-access [7] IMPLICIT SEQUENCE { last-block BOOLEAN, block-number Unsigned16 } }
 * ```
 * Detailed access [3] is not used in COSEM and is refused.
 * @spec GB 9.5 (Variable-Access-Specification)
 */
export const variableAccess = choice('kind', {
  variableName: { tag: 2, codec: sequence({ variableName: int16 }) },
  parameterizedAccess: { tag: 4, codec: sequence({ variableName: int16, selector: uint8, parameter: dataCodec }) },
  blockNumberAccess: { tag: 5, codec: sequence({ blockNumber: uint16 }) },
  readDataBlockAccess: { tag: 6, codec: dataBlock },
  writeDataBlockAccess: { tag: 7, codec: sequence({ lastBlock: flag, blockNumber: uint16 }) },
});
export type VariableAccess = ValueOf<typeof variableAccess>;

/** Minimum encoded size of a specification, for checking counts. */
export const VARIABLE_ACCESS_SIZE = 3;
