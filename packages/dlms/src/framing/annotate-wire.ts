import { annotate, type AnnotatedNode } from '../codec/annotate.ts';
import type { Codec } from '../codec/codec.ts';
import { DecodeError } from '../codec/decode-error.ts';
import { toHex } from '../codec/hex.ts';
import type { HdlcAddress } from './hdlc/address.ts';
import type { HdlcControl } from './hdlc/control.ts';
import { FLAG } from './hdlc/frame.ts';
import { LLC_SIZE } from './hdlc/llc.ts';
import { framesOf, messageOf, type CarriedMessage, type FrameParts } from './hdlc/message.ts';
import { parametersOf } from './hdlc/parameters.ts';
import { annotateMbusFrame } from './annotate-mbus.ts';
import { mbusLengthAt } from './mbus/frame.ts';
import { mbusFramesOf, mbusPayloadOf } from './mbus/parts.ts';
import { readPayload, wireFrame } from './wire-frame.ts';
import { WRAPPER_HEADER_SIZE } from './wrapper.ts';

export interface AnnotatedWire {
  nodes: AnnotatedNode[];
  error?: DecodeError;
}

export const isHdlc = (octets: Uint8Array): boolean => octets[0] === FLAG;
export const isMbus = (octets: Uint8Array): boolean => mbusLengthAt(octets, 0) !== undefined;

/** The message that wrapper, HDLC or M-Bus frames carry, with its gateway header. Empty when they carry none. */
export function payloadOnWire(octets: Uint8Array): Uint8Array {
  const isFramed = isHdlc(octets);
  if (!isFramed && !isMbus(octets)) return octets.subarray(WRAPPER_HEADER_SIZE);
  try {
    if (!isFramed) return mbusPayloadOf(octets).octets;
    return messageOf(octets).octets.subarray(LLC_SIZE);
  } catch (error) {
    if (error instanceof DecodeError) return new Uint8Array(0);
    throw error;
  }
}

/**
 * Explains octets of the wire: a wrapper frame, or the HDLC or M-Bus frames of one message, whose APDU is decoded across its segments. Offsets
 * are those in `octets`; a field that begins in one segment and ends in another one includes the headers between them.
 */
export function annotateWire(octets: Uint8Array): AnnotatedWire {
  if (isMbus(octets)) return annotateMbus(octets);
  if (!isHdlc(octets)) return annotate(wireFrame, octets);
  try {
    const frames = framesOf(octets);
    const nodes = frames.map((frame) => nodeOf(octets, frame));
    const message = messageOf(octets, frames);
    if (message.octets.length === 0) return { nodes };
    const { nodes: inside, error } = annotateMessage(message);
    return { nodes: [...nodes, ...inside.map((node) => moved(node, message))], ...(error === undefined ? {} : { error }) };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { nodes: [], error };
  }
}

function annotateMbus(octets: Uint8Array): AnnotatedWire {
  try {
    const frames = mbusFramesOf(octets);
    const nodes = frames.map(annotateMbusFrame);
    const message = mbusPayloadOf(octets, frames);
    if (message.octets.length === 0) return { nodes };
    const { nodes: inside, error } = annotate(mbusMessage, message.octets);
    return { nodes: [...nodes, ...inside.map((node) => moved(node, message))], ...(error === undefined ? {} : { error }) };
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    return { nodes: [], error };
  }
}

const mbusMessage: Codec<object> = {
  read: readPayload,
  write: () => {
    throw new Error('mbusMessage is for reading; encodeMbusMessage writes');
  },
};

/** Explains the joined segments of a message; offsets are those in `message.octets`. */
export const annotateMessage = ({ octets }: Pick<CarriedMessage, 'octets'>): AnnotatedWire => annotate(hdlcMessage, octets);

const hdlcMessage: Codec<object> = {
  read: (input) => {
    input.field('llc', () => toHex(input.bytes(Math.min(LLC_SIZE, input.left))));
    return readPayload(input);
  },
  write: () => {
    throw new Error('hdlcMessage is for reading; HDLC links write');
  },
};

/** A field of the message, at its place in the frames. */
function moved({ offset, length, children, ...node }: AnnotatedNode, message: Pick<CarriedMessage, 'positions'>): AnnotatedNode {
  const from = message.positions[offset] ?? message.positions.at(-1) ?? 0;
  const to = length === 0 ? from : (message.positions[offset + length - 1] ?? from) + 1;
  return { ...node, offset: from, length: to - from, children: children.map((child) => moved(child, message)) };
}

function nodeOf(octets: Uint8Array, frame: FrameParts): AnnotatedNode {
  const { from, to, destination, source, sourceAt, controlAt, control, informationFrom, informationTo } = frame;
  const field = (name: string, at: number, end: number, value: string): AnnotatedNode => ({
    name,
    offset: at,
    length: end - at,
    value,
    children: [],
  });
  const information = octets.subarray(informationFrom, informationTo);
  const isLinkSetUp = control.kind === 'snrm' || control.kind === 'ua';
  const parts = [
    field('destination', sourceAt - destination.size, sourceAt, addressText(destination)),
    field('source', sourceAt, controlAt, addressText(source)),
    field('control', controlAt, controlAt + 1, controlText(control)),
  ];
  if (information.length > 0)
    parts.push(
      field(
        isLinkSetUp ? 'parameters' : 'information',
        informationFrom,
        informationTo,
        isLinkSetUp ? parametersText(information) : toHex(information),
      ),
    );
  return { name: 'hdlc', offset: from, length: to - from, children: parts };
}

const addressText = ({ upper, lower }: HdlcAddress): string => (lower === undefined ? String(upper) : `${upper}/${lower}`);

function controlText(control: HdlcControl): string {
  const numbers = [
    'sendSequence' in control ? `N(S)=${control.sendSequence}` : '',
    'receiveSequence' in control ? `N(R)=${control.receiveSequence}` : '',
    control.pollFinal ? 'P/F' : '',
  ];
  return [control.kind, ...numbers].filter((part) => part !== '').join(' ');
}

function parametersText(information: Uint8Array): string {
  const parameters = parametersOf(information);
  return parameters === undefined
    ? toHex(information)
    : Object.entries(parameters)
        .map(([name, value]) => `${name}=${value}`)
        .join(' ');
}
