import { COSEM_CLASSES } from '@hes/dlms/catalogue/classes.ts';
import { typedObjectList } from '@hes/dlms/catalogue/object-list.ts';
import { decode, type Codec } from '@hes/dlms/codec/codec.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { compressV44 } from '@hes/dlms/compression/v44-compress.ts';
import { decompressV44 } from '@hes/dlms/compression/v44-decompress.ts';
import { activityCalendar } from '@hes/dlms/cosem/classes/activity-calendar.ts';
import { associationLn } from '@hes/dlms/cosem/classes/association-ln.ts';
import { clock } from '@hes/dlms/cosem/classes/clock.ts';
import { imageTransfer } from '@hes/dlms/cosem/classes/image-transfer.ts';
import { pushSetupV1 } from '@hes/dlms/cosem/classes/push-setup.ts';
import { annotateWire } from '@hes/dlms/framing/annotate-wire.ts';
import { decodeAnnouncement } from '@hes/dlms/framing/announcement.ts';
import { decodeDatagram } from '@hes/dlms/framing/datagram.ts';
import { clientAddress, serverAddress } from '@hes/dlms/framing/hdlc/address.ts';
import { controlOf } from '@hes/dlms/framing/hdlc/control.ts';
import { HdlcDeframer } from '@hes/dlms/framing/hdlc/deframer.ts';
import { createLink, type LinkState } from '@hes/dlms/framing/hdlc/link-state.ts';
import { stepLink } from '@hes/dlms/framing/hdlc/link.ts';
import { MbusDeframer } from '@hes/dlms/framing/mbus/deframer.ts';
import { MbusAssembler } from '@hes/dlms/framing/mbus/message.ts';
import { withParity } from '@hes/dlms/framing/mode-e/identification.ts';
import { openModeE } from '@hes/dlms/framing/mode-e/opening.ts';
import { equalInConstantTime } from '@hes/dlms/security/cipher.ts';
import { tagDescriptors } from '@hes/dlms/xdlms/untagged-descriptors.ts';
import { bombOf } from './bombs.ts';
import type { Target } from './target.ts';

const CLIENT = clientAddress(16);
const SERVER = serverAddress(1);
const SNRM = '7EA0070321930F017E';
const UA = '7EA01E210373C37A818012050180060180070400000001080400000001533B7E';
const AARQ = '7EA02B032110FBAFE6E600601DA109060760857405080101BE10040E01000000065F1F0400007E1F04B0CAEA7E';
/** Two segments of a DATA-NOTIFICATION. */
const MBUS = '6809096853FF0001670F000000C9166809096853FF11016701001107E416';
const OPENING = '/LGZ5\\2ZMD3104007.B32\r\n\x06252\r\n';
/** A pair of an attribute descriptor without tags and a value, as Czech meters push them. */
const UNTAGGED_PAIR = '0202 0003 0100010800FF 02 06004AFA82';
const UNTAGGED = '0F000000010002021601 0101';
const NOTHING = new Uint8Array(0);
const LARGEST_PDU = 65_535;
/** Contents that are compressed again; larger ones would dominate the time. */
const MOST_AGAIN = 512;
/** Octets of a stream that is split in several ways. */
const MOST_CUT = 8192;
const MOST_FRAMES = 7000;
const OBJECT = '0204 120003 1100 09060100010800FF 0202 0101 0203 0F02 1601 00 0101 0202 0F01 1601';
/** Without rights. */
const PLAIN_OBJECT = '0204 120003 1100 09060100010800FF 0202 0100 0100';

interface Told {
  frames: number;
  digest: number;
  damaged: number;
  pending: number;
}

function tell(stream: Uint8Array, step: number): Told {
  const deframer = new HdlcDeframer();
  let frames = 0;
  let digest = 0;
  for (let at = 0; at < stream.length; at += step) {
    for (const { octets, information, control } of deframer.push(stream.subarray(at, at + step))) {
      frames++;
      digest = (digest * 31 + (octets.length << 16) + (information.length << 4) + control.kind.length) | 0;
    }
  }
  return { frames, digest, damaged: deframer.damaged, pending: deframer.pending };
}

/** The first octet selects the split of the stream, which must not change the frames. */
function hdlcStream(input: Uint8Array): unknown {
  const stream = input.subarray(1);
  const whole = tell(stream, Math.max(stream.length, 1));
  // Only one decoding is timed: the largest inputs are not decoded twice.
  if (stream.length > MOST_CUT) return whole;
  const parts = tell(stream, Math.max(1 + (input[0] ?? 0), stream.length >> 6));
  if (JSON.stringify(whole) !== JSON.stringify(parts)) throw new Error(`Frames depend on the cuts: ${JSON.stringify([whole, parts])}`);
  return whole;
}

/** Messages of a stream of M-Bus frames, which must not depend on its split. The first octet selects the split. */
function mbusStream(input: Uint8Array): unknown {
  const stream = input.subarray(1);
  const whole = messagesOf(stream, Math.max(stream.length, 1));
  if (stream.length > MOST_CUT) return whole;
  const parts = messagesOf(stream, Math.max(1 + (input[0] ?? 0), stream.length >> 6));
  if (JSON.stringify(whole) !== JSON.stringify(parts)) throw new Error(`Messages depend on the cuts: ${JSON.stringify([whole, parts])}`);
  return whole;
}

function messagesOf(stream: Uint8Array, step: number): { sizes: number[]; pending: number } {
  const deframer = new MbusDeframer();
  const assembler = new MbusAssembler();
  const sizes: number[] = [];
  for (let at = 0; at < stream.length; at += step)
    for (const frame of deframer.push(stream.subarray(at, at + step))) {
      const { message } = assembler.push(frame);
      if (message !== undefined) sizes.push(message.apdu.length);
    }
  return { sizes, pending: deframer.pending + assembler.pending };
}

/** A datagram in any framing, explained as well: the trace shows what was refused. */
function announcement(input: Uint8Array): unknown {
  annotateWire(input);
  return decodeAnnouncement(input);
}

/** Controls and information of a peer: a link accepts every frame. */
function hdlcLink(input: Uint8Array): unknown {
  const isServer = ((input[0] ?? 0) & 1) === 1;
  const [own, peer] = isServer ? [SERVER, CLIENT] : [CLIENT, SERVER];
  let state: LinkState = createLink({ role: isServer ? 'server' : 'client', own, peer, maxMessageSize: 4096 });
  if (!isServer) state = stepLink(state, { type: 'connect' }).state;
  // A frame takes nine octets on the wire and two here.
  for (let at = 1, frames = 0; at < input.length && frames < MOST_FRAMES; frames++) {
    const size = (input[at] ?? 0) & 0x3f;
    const control = controlOf(input[at + 1] ?? 0) ?? { kind: 'ui' as const, pollFinal: false };
    const segmented = ((input[at] ?? 0) & 0x80) !== 0;
    const information = input.subarray(at + 2, at + 2 + size);
    state = stepLink(state, { type: 'frame', frame: { destination: own, source: peer, control, segmented, information } }).state;
    at += 2 + size;
  }
  return state;
}

/** An opening that receives the input in pieces, whose size is the first octet, and then nothing. */
function modeE(input: Uint8Array): unknown {
  const opening = openModeE();
  const size = 1 + (input[0] ?? 0);
  let at = 1;
  let step = opening.next(NOTHING);
  while (step.done !== true) {
    const from = at;
    if (step.value.type === 'receive') at += size;
    step = opening.next(input.subarray(from, at));
  }
  return step.value;
}

/** A packet grows by design, so only its size is retained. Compressing the content again must lead back to it. */
function v44(input: Uint8Array): number {
  const content = decompressV44(input, LARGEST_PDU);
  if (content.length <= MOST_AGAIN && !equalInConstantTime(decompressV44(compressV44(content), LARGEST_PDU), content))
    throw new Error('Compressed otherwise than decompressed');
  return content.length;
}

const ATTRIBUTES = COSEM_CLASSES.flatMap(({ attributes, methods }) => [
  ...Object.values(attributes).map(({ codec }) => codec),
  ...Object.values(methods).map(({ argument }) => argument),
]);

/** The first two octets select the codec of an attribute or of a method's argument. */
function attribute(input: Uint8Array): unknown {
  const codec = ATTRIBUTES[(((input[0] ?? 0) << 8) | (input[1] ?? 0)) % ATTRIBUTES.length];
  return codec === undefined ? undefined : decode(codec, input.subarray(2));
}

const forCodec = (codec: Codec<any>, hex: string): Uint8Array => {
  // any: codecs of all types
  const index = ATTRIBUTES.indexOf(codec);
  return Uint8Array.of(index >> 8, index & 0xff, ...fromHex(hex));
};
const withFirst = (hex: string): Uint8Array => Uint8Array.of(3, ...fromHex(hex));

/** Transport layers of messages, and their content as objects. */
export const LINK_TARGETS: Readonly<Record<string, Target>> = {
  hdlc: {
    run: hdlcStream,
    seeds: () => [withFirst(SNRM + UA + AARQ), withFirst(`${SNRM}7E7E00FF${AARQ}`)],
    bombs: () => [filled(AARQ), filled('7EA009'), filled('7EA7FF'), filled('7E')],
  },
  'hdlc-link': {
    run: hdlcLink,
    seeds: () => [
      withFirst('00 93 04 10 E6E600C0 00 31 05 32 E6E600C001'),
      Uint8Array.of(0, ...fromHex('00 73 84 10 E6E700C4 02 12 0102 00 53')),
    ],
  },
  mbus: {
    run: mbusStream,
    seeds: () => [withFirst(MBUS), withFirst(`E5${MBUS}00FF${MBUS}`)],
    bombs: () => [filled(MBUS), filled('68'), filled('68FFFF68'), filled('10'), filled('E5')],
  },
  announcement: {
    run: announcement,
    seeds: () => [fromHex(MBUS), fromHex('7EA0140341133E06E6E7000F000000010011073A497E'), fromHex('0001000100010005C401C10104')],
    bombs: () => [filled(MBUS), filled(AARQ), filled('68FFFF68')],
  },
  'mode-e': {
    run: modeE,
    seeds: () => [OPENING, `/?!\r\n${OPENING}`, '/ISk4\\2MT880\r\n'].map((text) => Uint8Array.of(7, ...withParity(text))),
    bombs: () => [filled('2F'), filled('00'), Uint8Array.of(255, ...filled('0D0A'))],
  },
  v44: {
    run: v44,
    seeds: () => [
      compressV44(fromHex(OBJECT.repeat(8))),
      fromHex('828486888A09F18A7600'),
      fromHex('00020406080A85C001'),
      Uint8Array.of(1, 2, 3),
    ],
    bombs: () => [filled('82'), filled('8A'), filled('8B02'), filled('01')],
  },
  'untagged-descriptors': {
    run: tagDescriptors,
    seeds: () => [fromHex(UNTAGGED + UNTAGGED_PAIR), fromHex(`0F0000000100 0202 1601 0102${UNTAGGED_PAIR.repeat(2)}`)],
    bombs: () => [filled(UNTAGGED_PAIR), bombOf('0F00000001000202 1601', UNTAGGED_PAIR)],
  },
  datagram: { run: decodeDatagram, seeds: () => [fromHex('0001000100010005C401C10104')] },
  'object-list': {
    run: (input) => typedObjectList(input),
    seeds: () => [fromHex(`0102${OBJECT}${OBJECT}`)],
    bombs: () => [bombOf('', OBJECT), bombOf('', PLAIN_OBJECT)],
  },
  classes: {
    run: attribute,
    seeds: () => [
      forCodec(activityCalendar.attributes.dayProfileActive.codec, '0101 0202 1101 0101 0203 090406000000 090600000A0064FF 120001'),
      forCodec(associationLn.attributes.objectList.codec, `0101${OBJECT}`),
      forCodec(imageTransfer.attributes.transferredBlocksStatus.codec, '0403E0'),
      forCodec(pushSetupV1.attributes.pushObjectList.codec, '0101 0205 120007 09060100630100FF 0F02 120000 0202 1600 00'),
      forCodec(clock.attributes.time.codec, '090C07EA0B150600000000000000'),
    ],
  },
};

const LARGEST = 65_536;

function filled(hex: string): Uint8Array {
  const pattern = fromHex(hex);
  return Uint8Array.from({ length: LARGEST }, (_, i) => pattern[i % pattern.length] ?? 0);
}
