import type { Codec } from '../codec/codec.ts';
import { release, type Release } from './release.ts';

export type Rlre = Release;

/**
 * ```asn1
 * RLRE-apdu ::= [APPLICATION 3] IMPLICIT SEQUENCE {
 *   reason           [0]  IMPLICIT Release-response-reason OPTIONAL,
 *   user-information [30] EXPLICIT Association-information OPTIONAL }
 * ```
 * @spec GB 9.5 (rlre [APPLICATION 3])
 */
export const rlre: Codec<Rlre> = release(0x63);
