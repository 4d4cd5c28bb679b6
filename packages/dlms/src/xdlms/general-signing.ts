import { octets, prefixed, sequence, type ValueOf } from '../codec/codec.ts';
import { generalHeader } from './general-ciphering.ts';

/**
 * The message without verification, which requires a certificate. The content is a complete APDU, possibly ciphered.
 *
 * ```asn1
 * General-Signing ::= SEQUENCE {
 *   transaction-id          OCTET STRING,
 *   originator-system-title OCTET STRING,
 *   recipient-system-title  OCTET STRING,
 *   date-time               OCTET STRING,
 *   other-information       OCTET STRING,
 *   content                 OCTET STRING,
 *   signature               OCTET STRING }   -- r and s, one after the other
 * ```
 * @spec GB 9.5 (general-signing [223])
 */
export const generalSigning = prefixed(0xdf, sequence({ ...generalHeader, content: octets, signature: octets }));
export type GeneralSigning = ValueOf<typeof generalSigning>;
