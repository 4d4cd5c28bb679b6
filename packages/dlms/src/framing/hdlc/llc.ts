import { ByteReader } from '../../codec/byte-reader.ts';

/** LLC headers; only the first segment of a message carries one. @spec IEC 62056-46 (LLC sublayer) */
const HEADERS = { command: [0xe6, 0xe6, 0x00], response: [0xe6, 0xe7, 0x00] } as const;
export type LlcDirection = keyof typeof HEADERS;

export const LLC_SIZE = 3;

/** Adds the LLC header of a direction: commands go to a server, responses to a client. */
export function addLlc(direction: LlcDirection, apdu: Uint8Array): Uint8Array {
  const octets = new Uint8Array(LLC_SIZE + apdu.length);
  octets.set(HEADERS[direction]);
  octets.set(apdu, LLC_SIZE);
  return octets;
}

/** Removes the LLC header. Throws `DecodeError` when it differs. */
export function removeLlc(direction: LlcDirection, octets: Uint8Array): Uint8Array {
  const input = new ByteReader(octets);
  return input.field('llc', () => {
    for (const octet of HEADERS[direction]) input.expect(octet);
    return input.bytes(input.left);
  });
}

/** Whether a message begins with the header of its direction. */
export const hasLlc = (direction: LlcDirection, octets: Uint8Array): boolean =>
  HEADERS[direction].every((octet, at) => octets[at] === octet);
