import { DecodeError } from '../../codec/decode-error.ts';
import { addressAt, type HdlcAddress } from './address.ts';
import { controlOf, type HdlcControl } from './control.ts';
import { announcedLength, FLAG } from './frame.ts';

const CHECK_SIZE = 2;
const FORMAT_SIZE = 2;

/** Position of one frame and of its parts in a series of frames, in octets. */
export interface FrameParts {
  from: number;
  to: number;
  destination: HdlcAddress;
  source: HdlcAddress;
  sourceAt: number;
  controlAt: number;
  control: HdlcControl;
  informationFrom: number;
  informationTo: number;
}

/**
 * The frames of a stored message. Check sequences are not compared, because stored passwords are replaced by zeros. Throws `DecodeError`.
 * @spec IEC 62056-46 (frame format type 3)
 */
export function framesOf(octets: Uint8Array): FrameParts[] {
  const frames: FrameParts[] = [];
  for (let at = 0; at < octets.length;) {
    const frame = partsAt(octets, at);
    frames.push(frame);
    at = frame.to;
  }
  return frames;
}

function partsAt(octets: Uint8Array, from: number): FrameParts {
  const fail = (reason: string, offset: number): never => {
    throw new DecodeError({ code: 'BAD_VALUE', reason }, { offset, path: 'hdlc' });
  };
  const length = octets[from] === FLAG ? announcedLength(octets, from + 1) : undefined;
  if (length === undefined) return fail('no HDLC frame', from);
  const to = from + length + 2;
  if (to > octets.length || octets[to - 1] !== FLAG) return fail('a cut HDLC frame', from);
  const destinationAt = from + 1 + FORMAT_SIZE;
  const destination = addressAt(octets, destinationAt);
  const sourceAt = destinationAt + (destination?.size ?? 0);
  const source = addressAt(octets, sourceAt);
  const controlAt = sourceAt + (source?.size ?? 0);
  const control = controlOf(octets[controlAt] ?? 0);
  if (destination === undefined || source === undefined || control === undefined) return fail('no HDLC address or control', destinationAt);
  const headerEnd = controlAt + 1 + CHECK_SIZE;
  const hasInformation = headerEnd < to - 1;
  const informationTo = hasInformation ? Math.max(headerEnd, to - 1 - CHECK_SIZE) : headerEnd;
  return { from, to, destination, source, sourceAt, controlAt, control, informationFrom: headerEnd, informationTo };
}

/** Whether each frame is a segment of the message. A retransmitted segment counts once. */
function areSegments(frames: readonly FrameParts[]): boolean[] {
  let last: number | undefined;
  return frames.map(({ control }) => {
    if (control.kind === 'ui') return true;
    if (control.kind !== 'i' || control.sendSequence === last) return false;
    last = control.sendSequence;
    return true;
  });
}

/** A message that was carried by frames: its octets with LLC header, and where each of them is in the frames. */
export interface CarriedMessage {
  octets: Uint8Array;
  positions: Uint32Array;
  /** Frames that repeat a segment, and those that are none. */
  others: FrameParts[];
}

/** Joins the segments of a message. Without I and UI frames it is empty. Throws `DecodeError`. */
export function messageOf(octets: Uint8Array, frames = framesOf(octets)): CarriedMessage {
  const isSegment = areSegments(frames);
  const segments = frames.filter((_, index) => isSegment[index]);
  const size = segments.reduce((sum, { informationFrom, informationTo }) => sum + informationTo - informationFrom, 0);
  const others = frames.filter((_, index) => isSegment[index] !== true);
  const joined = { octets: new Uint8Array(size), positions: new Uint32Array(size), others };
  let at = 0;
  for (const { informationFrom, informationTo } of segments)
    for (let from = informationFrom; from < informationTo; from++, at++) {
      joined.octets[at] = octets[from] ?? 0;
      joined.positions[at] = from;
    }
  return joined;
}
