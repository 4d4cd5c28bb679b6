import { joined } from '../joined.ts';
import type { HdlcAddress } from './address.ts';
import type { DeframedHdlc } from './deframer.ts';
import { hasLlc, LLC_SIZE } from './llc.ts';

/** Largest message that is joined from frames, in octets; longer ones are pushed in blocks. */
const MAX_MESSAGE_SIZE = 0xffff;
/** Highest SAP of a client, whose address has 7 bits. */
const HIGHEST_CLIENT = 0x7f;

/** A message that a server sent without a link, and the frames that carried it. */
export interface HdlcAnnouncement {
  source: HdlcAddress;
  destination: HdlcAddress;
  apdu: Uint8Array;
  octets: Uint8Array;
}

interface Partial {
  first: DeframedHdlc;
  last: DeframedHdlc;
  frames: Uint8Array[];
  information: Uint8Array[];
  size: number;
}

/**
 * Joins messages that need no link: UI frames, and the I frames in which meters push to a consumer port without a link. Segments follow
 * each other; a frame of another pair of addresses ends an incomplete message. Devices use either LLC header, and addresses of a client
 * in one, two or four octets.
 * @spec IEC 62056-46 (UI frames, segmentation)
 */
export class HdlcAnnouncements {
  #partial: Partial | undefined;

  /** Octets of an incomplete message. */
  get pending(): number {
    return this.#partial?.size ?? 0;
  }

  /** Takes a frame that belongs to no link; returns the message that it completes, and whether the frame belongs to a message. */
  push(frame: DeframedHdlc): { message?: HdlcAnnouncement; isUseful: boolean } {
    if (frame.control.kind !== 'ui' && frame.control.kind !== 'i') return { isUseful: false };
    const partial = this.#partial;
    if (partial !== undefined && isSamePair(partial.first, frame)) return this.#continue(partial, frame);
    this.#partial = undefined;
    return this.#begin(frame);
  }

  #begin(frame: DeframedHdlc): { message?: HdlcAnnouncement; isUseful: boolean } {
    const { information, destination, source, octets } = frame;
    const isHeaded = hasLlc('response', information) || hasLlc('command', information);
    if (!isHeaded || information.length === LLC_SIZE || destination.upper > HIGHEST_CLIENT) return { isUseful: false };
    // Most messages are one frame, which needs no copy.
    if (!frame.segmented) return { message: { source, destination, apdu: information.subarray(LLC_SIZE), octets }, isUseful: true };
    const kept = copyOf(frame);
    this.#partial = {
      first: kept,
      last: kept,
      frames: [kept.octets],
      information: [kept.information.subarray(LLC_SIZE)],
      size: information.length - LLC_SIZE,
    };
    return { isUseful: true };
  }

  #continue(partial: Partial, frame: DeframedHdlc): { message?: HdlcAnnouncement; isUseful: boolean } {
    if (isRepeated(partial.last, frame)) return { isUseful: false };
    const kept = copyOf(frame);
    partial.last = kept;
    partial.frames.push(kept.octets);
    partial.information.push(kept.information);
    partial.size += kept.information.length;
    if (frame.segmented && partial.size <= MAX_MESSAGE_SIZE) return { isUseful: true };
    this.#partial = undefined;
    if (partial.size > MAX_MESSAGE_SIZE) return { isUseful: false };
    const { source, destination } = partial.first;
    return { message: { source, destination, apdu: joined(partial.information), octets: joined(partial.frames) }, isUseful: true };
  }
}

/** A repeated I frame has the number of the one before. UI frames have none and are not repeated. */
const isRepeated = ({ control: before }: DeframedHdlc, { control }: DeframedHdlc): boolean =>
  before.kind === 'i' && control.kind === 'i' && before.sendSequence === control.sendSequence;

const isSamePair = (a: DeframedHdlc, b: DeframedHdlc): boolean =>
  a.source.upper === b.source.upper &&
  a.source.lower === b.source.lower &&
  a.destination.upper === b.destination.upper &&
  a.control.kind === b.control.kind;

/** A frame shares memory with the buffer of its deframer. */
function copyOf(frame: DeframedHdlc): DeframedHdlc {
  return { ...frame, octets: frame.octets.slice(), information: frame.information.slice() };
}
