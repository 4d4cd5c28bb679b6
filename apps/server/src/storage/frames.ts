/** A frame of a stored exchange: the bytes on the wire, and the APDU behind the cipher where we hold the key. */
export interface KeptFrame {
  /** Epoch milliseconds. */
  at: number;
  /** `down`: head-end to device. */
  direction: 'down' | 'up';
  octets: Uint8Array;
  plain: Uint8Array | undefined;
}

const VERSION = 1;
/** Time, direction, and the lengths of wire and plain text. */
const HEADER = 8 + 1 + 4 + 4;
const NO_PLAIN = 0xffffffff;

/**
 * Frames as one value of `trace.frames`: a version octet, then per frame epoch milliseconds (float64), direction
 * (0 down, 1 up), length of the wire bytes (uint32), length of the plain APDU (uint32, all ones for none), both texts.
 * As bytes and not as JSON of hex, because every collected meter leaves one: a quarter of the space, and nothing to parse.
 */
export function packFrames(frames: readonly KeptFrame[]): Buffer {
  const size = frames.reduce((sum, { octets, plain }) => sum + HEADER + octets.length + (plain?.length ?? 0), 1);
  // Of its own, not of Node's pool: it changes hands between threads.
  const out = Buffer.allocUnsafeSlow(size);
  let at = out.writeUInt8(VERSION, 0);
  for (const frame of frames) {
    at = out.writeDoubleBE(frame.at, at);
    at = out.writeUInt8(frame.direction === 'down' ? 0 : 1, at);
    at = out.writeUInt32BE(frame.octets.length, at);
    at = out.writeUInt32BE(frame.plain?.length ?? NO_PLAIN, at);
    out.set(frame.octets, at);
    at += frame.octets.length;
    if (frame.plain === undefined) continue;
    out.set(frame.plain, at);
    at += frame.plain.length;
  }
  return out;
}

/** The frames of a stored exchange. Throws a `RangeError` on anything `packFrames` did not write. */
export function unpackFrames(packed: Buffer): KeptFrame[] {
  if (packed.readUInt8(0) !== VERSION) throw new RangeError(`Frames of version ${packed[0]} are not known`);
  const frames: KeptFrame[] = [];
  for (let at = 1; at < packed.length;) {
    const time = packed.readDoubleBE(at);
    const direction = packed.readUInt8(at + 8) === 0 ? 'down' : 'up';
    const length = packed.readUInt32BE(at + 9);
    const plainLength = packed.readUInt32BE(at + 13);
    const wireEnd = at + HEADER + length;
    const end = wireEnd + (plainLength === NO_PLAIN ? 0 : plainLength);
    if (end > packed.length) throw new RangeError('Stored frames end too early');
    const plain = plainLength === NO_PLAIN ? undefined : packed.subarray(wireEnd, end);
    frames.push({ at: time, direction, octets: packed.subarray(at + HEADER, wireEnd), plain });
    at = end;
  }
  return frames;
}
