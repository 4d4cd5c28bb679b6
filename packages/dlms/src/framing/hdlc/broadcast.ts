import { ALL_STATIONS, clientAddress, type HdlcAddress } from './address.ts';
import { encodeHdlcFrame } from './frame.ts';
import { addLlc } from './llc.ts';

/** SAP of all logical devices of all servers: 0x7F in the wrapper, and in HDLC in addresses of one and two octets. @spec IEC 62056-47 (reserved addresses) */
export const ALL_STATION_SAP = ALL_STATIONS[1];

/** Whether a frame is for all logical devices, whatever the length of its address. */
export const isForAllStations = ({ upper, size }: HdlcAddress): boolean => upper === ALL_STATIONS[size];

/**
 * Encodes an APDU to all servers of a line in one UI frame, which needs no link and has no response. `size` is the length of the address in
 * octets, as the servers of the line have it. Throws `RangeError` when the APDU does not fit one frame.
 * @spec IEC 62056-46 (all-station address)
 */
export function encodeHdlcBroadcast(clientSap: number, apdu: Uint8Array, size: 1 | 2 | 4 = 1): Uint8Array {
  const all = ALL_STATIONS[size];
  return encodeHdlcFrame({
    destination: size === 1 ? { upper: all, size } : { upper: all, lower: all, size },
    source: clientAddress(clientSap),
    control: { kind: 'ui', pollFinal: false },
    segmented: false,
    information: addLlc('command', apdu),
  });
}
