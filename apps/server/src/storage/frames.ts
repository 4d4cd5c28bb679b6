import { nodeCipher } from '@hes/dlms-node/node-cipher.ts';
import { decodeGateway } from '@hes/dlms/framing/gateway.ts';
import { payloadOnWire } from '@hes/dlms/framing/annotate-wire.ts';
import { isUnderGlobalKey, decipherUnverified } from '@hes/dlms/security/protection.ts';
import type { SealedKey } from '#platform/device-keys.ts';
import type { Secrets } from '#platform/secrets.ts';

/** A frame of a trace: the octets on the wire, and the deciphered APDU if the key is known. */
export interface KeptFrame {
  /** Epoch milliseconds. */
  at: number;
  /** `down`: head-end to device. */
  direction: 'down' | 'up';
  octets: Uint8Array;
  plain: Uint8Array | undefined;
}

/** Deciphers the frames of a trace later: the key at that time, sealed by the master key, independent of later key changes. */
export interface FrameOpener {
  key: SealedKey;
  /** System titles of the senders; the device's is empty when it is unknown. */
  down: Uint8Array;
  up: Uint8Array;
}

const VERSION = 2;
/** Version 1 has no opener and stores every plain text. */
const VERSION_WITHOUT_OPENER = 1;
/** Octets per frame for time, direction, and the lengths of wire and plain text. */
const HEADER = 8 + 1 + 4 + 4;
const NO_PLAIN = 0xffff_ffff;
/** Length value for a plain text that the opener can decipher. */
const DECIPHERABLE = 0xffff_fffe;
const NOTHING = new Uint8Array(0);

const apduIn = (octets: Uint8Array): Uint8Array => {
  const payload = payloadOnWire(octets);
  return decodeGateway(payload)?.apdu ?? payload;
};

/** The plain text to store, or the length value that replaces it. */
function plainToStore({ octets, plain }: KeptFrame, opener: FrameOpener | undefined): Uint8Array | typeof NO_PLAIN | typeof DECIPHERABLE {
  if (plain === undefined) return NO_PLAIN;
  return opener !== undefined && isUnderGlobalKey(apduIn(octets)) ? DECIPHERABLE : plain;
}

const encodeOpener = (opener: FrameOpener | undefined): Uint8Array[] =>
  opener === undefined
    ? [NOTHING, NOTHING, NOTHING, NOTHING]
    : [Buffer.from(opener.key.purpose), opener.key.secret, opener.down, opener.up];

/** Frames with their packed size, written by the caller into a buffer it allocated. */
export interface PreparedFrames {
  size: number;
  writeTo(out: Buffer, at: number): void;
}

/**
 * Format of `trace.frames`: a version octet; the opener as four octet strings with a uint8 length each (purpose of the key, sealed key, both
 * titles); then per frame epoch milliseconds (float64), direction (0 down, 1 up), length of the wire octets (uint32), length of the plain
 * APDU (uint32, all ones for none, one less if the opener deciphers it), both octet strings. A quarter of the size of JSON with hex.
 */
export function prepareFrames(frames: readonly KeptFrame[], opener: FrameOpener | undefined): PreparedFrames {
  const parts = encodeOpener(opener);
  const plains = frames.map((frame) => plainToStore(frame, opener));
  let size = 1;
  for (const part of parts) size += 1 + part.length;
  frames.forEach(({ octets }, index) => {
    const plain = plains[index];
    size += HEADER + octets.length + (typeof plain === 'object' ? plain.length : 0);
  });
  return {
    size,
    writeTo(out, begin) {
      let at = out.writeUInt8(VERSION, begin);
      for (const part of parts) {
        out.set(part, out.writeUInt8(part.length, at));
        at += 1 + part.length;
      }
      frames.forEach(({ at: time, direction, octets }, index) => {
        const plain = plains[index] ?? NO_PLAIN;
        at = out.writeDoubleBE(time, at);
        at = out.writeUInt8(direction === 'down' ? 0 : 1, at);
        at = out.writeUInt32BE(octets.length, at);
        at = out.writeUInt32BE(typeof plain === 'object' ? plain.length : plain, at);
        out.set(octets, at);
        at += octets.length;
        if (typeof plain !== 'object') return;
        out.set(plain, at);
        at += plain.length;
      });
    },
  };
}

/** Packs frames into a new buffer. */
export function packFrames(frames: readonly KeptFrame[], opener?: FrameOpener): Buffer {
  const packed = prepareFrames(frames, opener);
  const out = Buffer.allocUnsafe(packed.size);
  packed.writeTo(out, 0);
  return out;
}

/** Deciphers a frame; undefined when the master key has changed since. */
type Reveal = (direction: KeptFrame['direction'], octets: Uint8Array) => Uint8Array | undefined;

function createReveal([purpose, secret, down, up]: Buffer[], secrets: Secrets): Reveal {
  let key: Uint8Array;
  try {
    key = secrets.open(secret ?? NOTHING, purpose?.toString() ?? '');
  } catch {
    return () => undefined;
  }
  return (direction, octets) =>
    decipherUnverified(apduIn(octets), { cipher: nodeCipher, key, systemTitle: (direction === 'down' ? down : up) ?? NOTHING });
}

function readOpener(packed: Buffer): { parts: Buffer[]; end: number } {
  const parts: Buffer[] = [];
  let at = 1;
  for (let part = 0; part < 4; part++) {
    const length = packed.readUInt8(at);
    parts.push(packed.subarray(at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { parts, end: at };
}

/** Unpacks the frames of a trace. Throws a `RangeError` on input that `packFrames` did not write. */
export function unpackFrames(packed: Buffer, secrets: Secrets): KeptFrame[] {
  const version = packed.readUInt8(0);
  if (version !== VERSION && version !== VERSION_WITHOUT_OPENER) throw new RangeError(`Frames of version ${version} are not known`);
  const { parts, end: first } = version === VERSION ? readOpener(packed) : { parts: [], end: 1 };
  let reveal: Reveal | undefined;
  const frames: KeptFrame[] = [];
  for (let at = first; at < packed.length;) {
    const time = packed.readDoubleBE(at);
    const direction = packed.readUInt8(at + 8) === 0 ? 'down' : 'up';
    const length = packed.readUInt32BE(at + 9);
    const plainLength = packed.readUInt32BE(at + 13);
    const wireEnd = at + HEADER + length;
    const end = wireEnd + (plainLength >= DECIPHERABLE ? 0 : plainLength);
    if (end > packed.length) throw new RangeError('Stored frames end too early');
    const octets = packed.subarray(at + HEADER, wireEnd);
    let plain: Uint8Array | undefined;
    if (plainLength === DECIPHERABLE) plain = (reveal ??= createReveal(parts, secrets))(direction, octets);
    else if (plainLength !== NO_PLAIN) plain = packed.subarray(wireEnd, end);
    frames.push({ at: time, direction, octets, plain });
    at = end;
  }
  return frames;
}

/** Seals the opener with the current master key. Undefined when it already is, or when the frames have no opener. */
export function renewOpener(head: Buffer, secrets: Secrets): { prefix: Buffer; replaced: number } | undefined {
  if (head.readUInt8(0) !== VERSION) return undefined;
  const { parts, end } = readOpener(head);
  const [purpose = NOTHING, secret = NOTHING, down = NOTHING, up = NOTHING] = parts;
  if (secret.length === 0) return undefined;
  const renewed = secrets.renew(secret, purpose.toString());
  if (renewed.equals(secret)) return undefined;
  const written = [purpose, renewed, down, up].flatMap((part) => [Buffer.of(part.length), part]);
  return { prefix: Buffer.concat([Buffer.of(VERSION), ...written]), replaced: end };
}

/** Maximum length of a version octet and an opener: four octet strings with a uint8 length each. */
export const MAX_OPENER_LENGTH = 1 + 4 * 256;
