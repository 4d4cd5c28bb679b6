import { ByteReader } from '../codec/byte-reader.ts';
import { newOctets } from '../codec/new-octets.ts';

const REQUEST = 0xe6;
const RESPONSE = 0xe7;
/** Header, network id and the length of the address. */
const PREFIX_SIZE = 3;

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
 * @spec GB 10
 */
export function encodeGateway(to: { networkId: number; address: Uint8Array; response?: boolean }, apdu: Uint8Array): Uint8Array {
  const { networkId, address, response } = to;
  if (!(networkId >= 0 && networkId <= 0xff) || address.length > 0xff)
    throw new RangeError('Network id and length of the address are one octet each');
  const out = newOctets(PREFIX_SIZE + address.length + apdu.length);
  out[0] = response === true ? RESPONSE : REQUEST;
  out[1] = networkId;
  out[2] = address.length;
  out.set(address, PREFIX_SIZE);
  out.set(apdu, PREFIX_SIZE + address.length);
  return out;
}

/** Takes the prefix off. `undefined` if there is none: the APDU is the gateway's own. Fails with `DecodeError` on a broken one. */
export function decodeGateway(octets: Uint8Array): GatewayFrame | undefined {
  const header = octets[0];
  if (header !== REQUEST && header !== RESPONSE) return undefined;
  // By hand: it is around every answer of every meter. What is broken goes through the reader, which can say where.
  const apduAt = PREFIX_SIZE + (octets[2] ?? 0);
  if (apduAt < octets.length) {
    const address = octets.subarray(PREFIX_SIZE, apduAt);
    return { networkId: octets[1] ?? 0, address, response: header === RESPONSE, apdu: octets.subarray(apduAt) };
  }
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
