import { mapped, type Codec } from '../codec/codec.ts';
import type { ByteReader } from '../codec/byte-reader.ts';

/** Conformance block: services in the order of their bits; bit 0 is the most significant of 24. @spec GB 9.4 */
export const CONFORMANCE = [
  'reserved0',
  'generalProtection',
  'generalBlockTransfer',
  'read',
  'write',
  'unconfirmedWrite',
  'deltaValueEncoding',
  'reserved7',
  'attribute0Set',
  'priorityManagement',
  'attribute0Get',
  'blockTransferGet',
  'blockTransferSet',
  'blockTransferAction',
  'multipleReferences',
  'informationReport',
  'dataNotification',
  'access',
  'parameterizedAccess',
  'get',
  'set',
  'selectiveAccess',
  'eventNotification',
  'action',
] as const;
export type Conformance = (typeof CONFORMANCE)[number];

const TAG = [0x5f, 0x1f] as const;
const SIZE = 4; // octets: no unused bits, then 24 bits

function readBits(input: ByteReader): number {
  input.expect(TAG[0]);
  // Old encoders omit the second tag octet.
  if (input.peek() === TAG[1]) input.uint8();
  const length = input.length();
  if (length !== SIZE) input.fail({ code: 'BAD_LENGTH', length });
  return input.uint32() & 0x00ff_ffff;
}

/**
 * ```asn1
 * Conformance ::= [APPLICATION 31] IMPLICIT BIT STRING   -- BER, 24 bits
 * ```
 * @spec GB 9.5
 */
export const conformance: Codec<Conformance[]> = mapped(
  {
    read: readBits,
    write: (out, bits) => {
      for (const octet of TAG) out.uint8(octet);
      out.length(SIZE);
      out.uint32(bits);
    },
  },
  (bits) => CONFORMANCE.filter((_, bit) => (bits & (0x80_0000 >>> bit)) !== 0),
  (names) => names.reduce((bits, name) => bits | (0x80_0000 >>> CONFORMANCE.indexOf(name)), 0),
);
