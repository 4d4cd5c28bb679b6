import type { ValueOf } from '../codec/codec.ts';
import { enumNumber, integer, structure } from './data.ts';

/**
 * Interpretation of a raw value: raw × 10^scaler in this unit; see `unit.ts` for the codes.
 *
 * ```asn1
 * scal_unit_type ::= structure { scaler integer, unit enum }
 * ```
 * @spec BB 4 (scaler_unit)
 */
export const scalerUnit = structure({ scaler: integer, unit: enumNumber });
export type ScalerUnit = ValueOf<typeof scalerUnit>;
