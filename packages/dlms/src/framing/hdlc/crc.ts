const POLYNOMIAL = 0x8408; // x^16 + x^12 + x^5 + 1, least significant bit first
const INITIAL = 0xffff;

const TABLE = Uint16Array.from({ length: 256 }, (_, octet) => {
  let crc = octet;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
  return crc;
});

/** CRC-16/X-25 over `octets[from, to)`, sent low octet first. @spec IEC 62056-46 (HCS, FCS) */
export function checkSequence(octets: Uint8Array, from = 0, to = octets.length): number {
  let crc = INITIAL;
  for (let at = from; at < to; at++) crc = (crc >>> 8) ^ (TABLE[(crc ^ (octets[at] ?? 0)) & 0xff] ?? 0);
  return crc ^ 0xffff;
}

/** Whether the two octets at `to` are the check sequence of the octets before them. */
export const isChecked = (octets: Uint8Array, from: number, to: number): boolean => {
  const crc = checkSequence(octets, from, to);
  return octets[to] === (crc & 0xff) && octets[to + 1] === crc >>> 8;
};
