import { ByteReader } from '../codec/byte-reader.ts';
import { newOctets } from '../codec/new-octets.ts';

const REQUEST = 0xe6;
const RESPONSE = 0xe7;
/** Octets before the address: header, network id and address length. */
const PREFIX_SIZE = 3;

/** Destination or source of an APDU behind a gateway. */
export interface GatewayAddress {
  /** Number of the network behind the gateway. */
  networkId: number;
  /** Physical device address in any format; our meters use the serial number in ASCII. */
  address: Uint8Array;
  response: boolean;
}

export interface GatewayFrame extends GatewayAddress {
  apdu: Uint8Array;
}

/**
 * Encodes an APDU with a gateway header. The header is outside the protection, because keys are end to end.
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

/**
 * Removes the gateway header. `undefined` when there is none, that is, for APDUs of the gateway itself. Throws `DecodeError` on a broken
 * header.
 */
export function decodeGateway(octets: Uint8Array): GatewayFrame | undefined {
  const header = octets[0];
  if (header !== REQUEST && header !== RESPONSE) return undefined;
  // Decoded without a reader, because every response of a meter has this header; the reader reports the error on broken octets.
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
