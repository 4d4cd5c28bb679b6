import { ByteReader } from '../codec/byte-reader.ts';
import { ByteWriter } from '../codec/byte-writer.ts';

const REQUEST = 0xe6;
const RESPONSE = 0xe7;

/** Where behind a gateway an APDU goes to, or comes from. */
export interface GatewayAddress {
  /** Names the network behind the gateway. */
  networkId: number;
  /** Free form; meters of ours use the serial number in ASCII. */
  address: Uint8Array;
  response: boolean;
}

export interface GatewayFrame extends GatewayAddress {
  apdu: Uint8Array;
}

/**
 * An APDU behind a gateway prefix. The prefix stays outside of protection: keys are end to end.
 *
 * ```asn1
 * gateway-pdu ::= SEQUENCE { header Unsigned8 (E6 request, E7 response), network-id Unsigned8, address OCTET STRING, apdu }
 * ```
 * @spec GB 10.10
 */
export function encodeGateway(to: { networkId: number; address: Uint8Array; response?: boolean }, apdu: Uint8Array): Uint8Array {
  const out = new ByteWriter(3 + to.address.length + apdu.length);
  out.uint8(to.response === true ? RESPONSE : REQUEST);
  out.uint8(to.networkId);
  out.uint8(to.address.length);
  out.bytes(to.address);
  out.bytes(apdu);
  return out.finish();
}

/** Takes the prefix off. `undefined` if there is none: the APDU is the gateway's own. Fails with `DecodeError` on a broken one. */
export function decodeGateway(octets: Uint8Array): GatewayFrame | undefined {
  if (octets[0] !== REQUEST && octets[0] !== RESPONSE) return undefined;
  const input = new ByteReader(octets);
  return input.field('gateway', () => readGateway(input));
}

function readGateway(input: ByteReader): GatewayFrame {
  const response = input.uint8() === RESPONSE;
  const networkId = input.field('networkId', () => input.uint8());
  const address = input.field('address', () => input.bytes(input.uint8()));
  const apdu = input.field('apdu', () => {
    input.need(1);
    return input.bytes(input.left);
  });
  return { networkId, address, response, apdu };
}
