import type { Codec } from '../codec/codec.ts';
import { release, type Release } from './release.ts';

export type Rlrq = Release;

/**
 * ```asn1
 * RLRQ-apdu ::= [APPLICATION 2] IMPLICIT SEQUENCE {
 *   reason           [0]  IMPLICIT Release-request-reason OPTIONAL,
 *   user-information [30] EXPLICIT Association-information OPTIONAL }
 * ```
 * @spec GB 9.5 (rlrq [APPLICATION 2])
 */
export const rlrq: Codec<Rlrq> = release(0x62);
