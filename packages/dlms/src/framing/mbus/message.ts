import { joined } from '../joined.ts';
import type { DeframedMbus } from './deframer.ts';
import { encodeMbusFrame } from './frame.ts';

/** Bits of the CI field of a frame with a part of a DLMS message. @spec IEC 62056-7-3 (transport layer) */
const SEQUENCE = 0x0f;
const FINAL = 0x10;
const SEQUENCES = SEQUENCE + 1;
/** STSAP and DTSAP, which begin the data of every segment. */
export const MBUS_TRANSPORT_SIZE = 2;
/** Data of a segment: a length field of 255 less control, address, CI and SAPs. */
const MAX_SEGMENT = 250;
const MAX_MESSAGE_SIZE = 0xffff;
/** SND-UD: sends data and expects an acknowledgement. */
const SEND_DATA = 0x53;

/** The transport header of a segment. */
export interface MbusSegment {
  /** Number of the segment, modulo 16. */
  sequence: number;
  isFinal: boolean;
  source: number;
  destination: number;
  payload: Uint8Array;
}

/** The segment in a frame; undefined when the frame carries no part of a DLMS message. @spec IEC 62056-7-3 (transport layer) */
export function mbusSegmentOf({
  controlInformation: ci,
  data,
}: Pick<DeframedMbus, 'controlInformation' | 'data'>): MbusSegment | undefined {
  if (ci > (SEQUENCE | FINAL) || data.length <= MBUS_TRANSPORT_SIZE) return undefined;
  const [source = 0, destination = 0] = data;
  const payload = data.subarray(MBUS_TRANSPORT_SIZE);
  return { sequence: ci & SEQUENCE, isFinal: (ci & FINAL) !== 0, source, destination, payload };
}

/** A message of the wired M-Bus, and the frames that carried it. */
export interface MbusMessage {
  /** Primary address of the frames. */
  address: number;
  /** STSAP and DTSAP: of a push, logical device and client. */
  source: number;
  destination: number;
  apdu: Uint8Array;
  octets: Uint8Array;
}

interface Unfinished {
  address: number;
  source: number;
  destination: number;
  next: number;
  frames: Uint8Array[];
  payloads: Uint8Array[];
  size: number;
}

/**
 * Joins the segments of DLMS messages. Segment 0 begins a message, and each further one has the next number modulo 16; a repeated segment
 * counts once. A segment that does not continue the message drops it.
 * @spec IEC 62056-7-3 (transport layer)
 */
export class MbusAssembler {
  #unfinished: Unfinished | undefined;

  /** Octets of an unfinished message. */
  get pending(): number {
    return this.#unfinished?.size ?? 0;
  }

  /** Takes a frame; returns the message that it completes, and whether the frame belongs to a message. */
  push({ address, controlInformation, data, octets }: DeframedMbus): { message?: MbusMessage; isUseful: boolean } {
    const segment = mbusSegmentOf({ controlInformation, data });
    if (segment === undefined) return { isUseful: false };
    const { sequence, source, destination, payload, isFinal } = segment;
    const known = this.#unfinished;
    const isOurs = known?.address === address && known.source === source && known.destination === destination;
    if (isOurs && (sequence + 1) % SEQUENCES === known.next && isEqual(known.payloads.at(-1), payload)) return { isUseful: false };
    const one = isOurs && sequence === known.next ? known : { address, source, destination, next: 0, frames: [], payloads: [], size: 0 };
    this.#unfinished = undefined;
    if (sequence !== one.next || one.size + payload.length > MAX_MESSAGE_SIZE) return { isUseful: false };
    one.next = (sequence + 1) % SEQUENCES;
    one.size += payload.length;
    one.frames.push(octets.slice());
    one.payloads.push(payload.slice());
    if (!isFinal) {
      this.#unfinished = one;
      return { isUseful: true };
    }
    return { message: { address, source, destination, apdu: joined(one.payloads), octets: joined(one.frames) }, isUseful: true };
  }
}

const isEqual = (a: Uint8Array | undefined, b: Uint8Array): boolean => a?.length === b.length && a.every((octet, at) => octet === b[at]);

/**
 * Encodes a message in as many frames as it needs. Throws `RangeError` when a SAP or the address is no octet.
 * @spec IEC 62056-7-3 (transport layer)
 */
export function encodeMbusMessage({ address, source, destination, apdu }: Omit<MbusMessage, 'octets'>, control = SEND_DATA): Uint8Array {
  for (const octet of [address, source, destination])
    if (!(octet >= 0 && octet <= 0xff)) throw new RangeError(`${octet} is no address of the M-Bus`);
  const count = Math.max(1, Math.ceil(apdu.length / MAX_SEGMENT));
  const frames = Array.from({ length: count }, (_, index) => {
    const data = joined([Uint8Array.of(source, destination), apdu.subarray(index * MAX_SEGMENT, (index + 1) * MAX_SEGMENT)]);
    const controlInformation = (index % SEQUENCES) | (index === count - 1 ? FINAL : 0);
    return encodeMbusFrame({ control, address, controlInformation, data });
  });
  return joined(frames);
}
