import { DecodeError } from '../codec/decode-error.ts';
import { decodeDatagram } from './datagram.ts';
import { clientAddress, serverAddress, type HdlcAddress } from './hdlc/address.ts';
import { HdlcAnnouncements } from './hdlc/announcement.ts';
import { HdlcDeframer } from './hdlc/deframer.ts';
import { encodeHdlcFrame, FLAG, MAX_INFORMATION_SIZE } from './hdlc/frame.ts';
import { addLlc, LLC_SIZE } from './hdlc/llc.ts';
import { MbusDeframer } from './mbus/deframer.ts';
import { MBUS_START } from './mbus/frame.ts';
import { encodeMbusMessage, MbusAssembler } from './mbus/message.ts';
import { encodeWrapper, type WrapperAddress } from './wrapper.ts';

/** How the sender of an announcement is addressed in its framing. */
export type AnnouncementFraming =
  | { kind: 'wrapper' }
  /** Address of the server. */
  | { kind: 'hdlc'; peer: HdlcAddress }
  /** Primary address. */
  | { kind: 'mbus'; address: number };

/** A message that a device sent unsolicited, in one of the framings. */
export interface Announcement extends WrapperAddress {
  framing: AnnouncementFraming;
  apdu: Uint8Array;
  /** The frames that carried it. */
  octets: Uint8Array;
}

const TOO_MANY = { offset: 0, path: 'datagram' };

/**
 * Decodes the message in a datagram: one frame of the wrapper, or the HDLC or M-Bus frames of one message. Throws `DecodeError` unless the
 * datagram contains exactly one message.
 * @spec IEC 62056-47 (wrapper)
 * @spec IEC 62056-46 (UI frames)
 * @spec IEC 62056-7-3 (transport layer)
 */
export function decodeAnnouncement(octets: Uint8Array): Announcement {
  if (octets[0] === FLAG) return decodeHdlc(octets);
  if (octets[0] === MBUS_START) return decodeMbus(octets);
  return { framing: { kind: 'wrapper' }, ...decodeDatagram(octets) };
}

function decodeHdlc(octets: Uint8Array): Announcement {
  const deframer = new HdlcDeframer();
  const announcements = new HdlcAnnouncements();
  const results = deframer.push(octets).map((frame) => announcements.push(frame));
  const isWhole = deframer.damaged === 0 && deframer.pending === 0 && announcements.pending === 0;
  const message = onlyMessage(results, isWhole, deframer.lastDamage);
  const { source, destination, apdu } = message;
  return { framing: { kind: 'hdlc', peer: source }, source: source.upper, destination: destination.upper, apdu, octets };
}

function decodeMbus(octets: Uint8Array): Announcement {
  const deframer = new MbusDeframer();
  const assembler = new MbusAssembler();
  const results = deframer.push(octets).map((frame) => assembler.push(frame));
  const isWhole = deframer.damaged === 0 && deframer.pending === 0 && assembler.pending === 0;
  const { address, source, destination, apdu } = onlyMessage(results, isWhole, deframer.lastDamage);
  return { framing: { kind: 'mbus', address }, source, destination, apdu, octets };
}

function onlyMessage<M>(results: readonly { message?: M; isUseful: boolean }[], isWhole: boolean, damage: DecodeError | undefined): M {
  const messages = results.flatMap(({ message }) => (message === undefined ? [] : [message]));
  const [message] = messages;
  if (message !== undefined && messages.length === 1 && isWhole && results.every(({ isUseful }) => isUseful)) return message;
  throw damage ?? new DecodeError({ code: 'BAD_VALUE', reason: 'not exactly one message' }, TOO_MANY);
}

/**
 * Encodes the response of a client to an announcement, in the framing of the latter. Undefined when it does not fit one HDLC frame. Throws
 * `RangeError` when a SAP does not fit the framing.
 * @spec IEC 62056-47 (wrapper)
 * @spec IEC 62056-46 (UI frames)
 * @spec IEC 62056-7-3 (transport layer)
 */
export function encodeToAnnouncer(
  framing: AnnouncementFraming,
  { source, destination }: WrapperAddress,
  apdu: Uint8Array,
): Uint8Array | undefined {
  if (framing.kind === 'wrapper') return encodeWrapper({ source, destination }, apdu);
  if (framing.kind === 'mbus') return encodeMbusMessage({ address: framing.address, source, destination, apdu });
  if (apdu.length > MAX_INFORMATION_SIZE - LLC_SIZE) return undefined;
  const { lower, size } = framing.peer;
  const shortest = serverAddress(destination, lower);
  return encodeHdlcFrame({
    destination: size < shortest.size ? shortest : serverAddress(destination, lower, size),
    source: clientAddress(source),
    control: { kind: 'ui', pollFinal: false },
    segmented: false,
    information: addLlc('command', apdu),
  });
}
