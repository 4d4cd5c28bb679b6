import { DecodeError } from '../../codec/decode-error.ts';
import { MBUS_HEADER_SIZE, mbusFrameSize, mbusLengthAt } from './frame.ts';
import { MBUS_TRANSPORT_SIZE, mbusSegmentOf, type MbusSegment } from './message.ts';

/** Offset of the data in a frame: after control, address and CI. */
const DATA_AT = MBUS_HEADER_SIZE + 3;

/** Position of one frame in a series of frames, in octets, and its fields. */
export interface MbusFrameParts {
  from: number;
  to: number;
  control: number;
  address: number;
  controlInformation: number;
  /** Undefined: the frame carries no part of a DLMS message. */
  segment: MbusSegment | undefined;
}

/** The frames of a stored message. Checksums are not compared, because stored passwords are replaced by zeros. Throws `DecodeError`. */
export function mbusFramesOf(octets: Uint8Array): MbusFrameParts[] {
  const frames: MbusFrameParts[] = [];
  for (let from = 0; from < octets.length;) {
    const length = mbusLengthAt(octets, from);
    const to = from + mbusFrameSize(length ?? 0);
    if (length === undefined || to > octets.length)
      throw new DecodeError(
        { code: 'BAD_VALUE', reason: length === undefined ? 'no M-Bus frame' : 'a cut M-Bus frame' },
        { offset: from, path: 'mbus' },
      );
    const [control = 0, address = 0, controlInformation = 0] = octets.subarray(from + MBUS_HEADER_SIZE, from + DATA_AT);
    const data = octets.subarray(from + DATA_AT, from + MBUS_HEADER_SIZE + length);
    frames.push({ from, to, control, address, controlInformation, segment: mbusSegmentOf({ controlInformation, data }) });
    from = to;
  }
  return frames;
}

/** The joined payloads of these frames, and where each octet is in the frames. */
export function mbusPayloadOf(octets: Uint8Array, frames = mbusFramesOf(octets)): { octets: Uint8Array; positions: Uint32Array } {
  const segments = frames.flatMap(({ from, segment }) => (segment === undefined ? [] : [{ from, payload: segment.payload }]));
  const size = segments.reduce((sum, { payload }) => sum + payload.length, 0);
  const message = { octets: new Uint8Array(size), positions: new Uint32Array(size) };
  let at = 0;
  for (const { from, payload } of segments)
    for (const [index, octet] of payload.entries()) {
      message.octets[at] = octet;
      message.positions[at++] = from + DATA_AT + MBUS_TRANSPORT_SIZE + index;
    }
  return message;
}
