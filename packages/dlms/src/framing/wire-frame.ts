import type { ByteReader } from '../codec/byte-reader.ts';
import type { Codec } from '../codec/codec.ts';
import { toHex } from '../codec/hex.ts';
import { apduCodec } from '../xdlms/apdu.ts';

/** A frame as on the wire: addresses, optional gateway header, and the APDU as far as it can be read without keys. */
export interface WireFrame {
  source: number;
  destination: number;
  gateway: { networkId: number; address: string } | undefined;
  apdu: object;
}

const printable = (octets: Uint8Array): string =>
  octets.every((octet) => octet >= 0x20 && octet < 0x7f) ? String.fromCharCode(...octets) : toHex(octets);

/** Reads an APDU with its gateway header, if there is one. */
export function readPayload(input: ByteReader): Pick<WireFrame, 'gateway' | 'apdu'> {
  const tag = input.peek();
  const gateway =
    tag === 0xe6 || tag === 0xe7
      ? input.field('gateway', () => {
          input.uint8();
          const networkId = input.field('networkId', () => input.uint8());
          const address = input.field('address', () => printable(input.bytes(input.uint8())));
          return { networkId, address };
        })
      : undefined;
  return { gateway, apdu: apduCodec.read(input) };
}

/**
 * Codec to explain frames with `annotate`. For sending and receiving use `encodeWrapper`, `encodeGateway` and the deframer, which copy
 * less.
 * @spec IEC 62056-47
 */
export const wireFrame: Codec<WireFrame> = {
  read: (input) => {
    input.field('version', () => input.uint16());
    const source = input.field('source', () => input.uint16());
    const destination = input.field('destination', () => input.uint16());
    input.field('length', () => input.uint16());
    return { source, destination, ...readPayload(input) };
  },
  write: () => {
    throw new Error('wireFrame is for reading; encodeWrapper and encodeGateway write');
  },
};
