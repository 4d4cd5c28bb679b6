import { choice, enumeration, octets, optional, prefixed, sequence, uint8, type Codec, type ValueOf } from '../codec/codec.ts';
import type { ByteReader } from '../codec/byte-reader.ts';
import type { ByteWriter } from '../codec/byte-writer.ts';

/**
 * ```asn1
 * Key-Info ::= CHOICE {
 *   identified-key [0] IMPLICIT SEQUENCE { key-id ENUMERATED { global-unicast-encryption-key (0), global-broadcast-encryption-key (1) } },
 *   wrapped-key    [1] IMPLICIT SEQUENCE { kek-id ENUMERATED { master-key (0) }, key-ciphered-data OCTET STRING },
 *   agreed-key     [2] IMPLICIT SEQUENCE { key-parameters OCTET STRING, key-ciphered-data OCTET STRING } }
 * ```
 * @spec GB 9.5 (Key-Info)
 */
const keyInfo = choice('kind', {
  identified: { tag: 0, codec: sequence({ keyId: enumeration({ globalUnicastEncryption: 0, globalBroadcastEncryption: 1 }) }) },
  wrapped: { tag: 1, codec: sequence({ kekId: enumeration({ master: 0 }), keyCipheredData: octets }) },
  agreed: { tag: 2, codec: sequence({ keyParameters: octets, keyCipheredData: octets }) },
});
export type KeyInfo = ValueOf<typeof keyInfo>;

/** Header of general ciphering and general signing; it is authenticated with its length fields. */
export const generalHeader = {
  transactionId: octets,
  originatorSystemTitle: octets,
  recipientSystemTitle: octets,
  /** Empty, or a date-time of 12 octets, kept as octets because they are authenticated unchanged. */
  dateTime: octets,
  otherInformation: octets,
};
const header = sequence(generalHeader);
export type GeneralHeader = ValueOf<typeof header>;

/** The ciphered service: security control, invocation counter and body. */
const protectedService = {
  read: (input: ByteReader) => {
    const content = input.slice(input.length());
    const securityControl = content.field('securityControl', () => uint8.read(content));
    const invocationCounter = content.field('invocationCounter', () => content.uint32());
    return { securityControl, invocationCounter, body: content.field('body', () => content.bytes(content.left)) };
  },
  write: (out: ByteWriter, value: { securityControl: number; invocationCounter: number; body: Uint8Array }) => {
    out.length(1 + 4 + value.body.length);
    out.uint8(value.securityControl);
    out.uint32(value.invocationCounter);
    out.bytes(value.body);
  },
} satisfies Codec<{ securityControl: number; invocationCounter: number; body: Uint8Array }>;

/**
 * The message without deciphering, which requires keys. The plaintext is a complete APDU.
 *
 * ```asn1
 * General-Ciphering ::= SEQUENCE {
 *   transaction-id          OCTET STRING,
 *   originator-system-title OCTET STRING,
 *   recipient-system-title  OCTET STRING,
 *   date-time               OCTET STRING,
 *   other-information       OCTET STRING,
 *   key-info                Key-Info OPTIONAL,
 *   ciphered-service        OCTET STRING }   -- security-control, invocation-counter Unsigned32, protected APDU
 * ```
 * @spec GB 9.5 (general-ciphering [221])
 */
export const generalCiphering = prefixed(0xdd, sequence({ ...generalHeader, keyInfo: optional(keyInfo), service: protectedService }));
export type GeneralCiphering = ValueOf<typeof generalCiphering>;
