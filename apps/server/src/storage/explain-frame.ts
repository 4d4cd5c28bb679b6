import { annotate, type AnnotatedNode } from '@hes/dlms/codec/annotate.ts';
import { messageOf, type CarriedMessage } from '@hes/dlms/framing/hdlc/message.ts';
import { DecodeError } from '@hes/dlms/codec/decode-error.ts';
import { annotateMessage, annotateWire, isHdlc } from '@hes/dlms/framing/annotate-wire.ts';
import { apduCodec, APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import type { KeptFrame } from './frames.ts';

const APDUS = new Set<string>([...Object.keys(APDU_TAGS), 'ciphered', 'generalGloCiphering', 'generalCiphering']);
const ASSOCIATION_CLASSES = new Set(['12', '15']);
const SECRET_ATTRIBUTE = '7';
/** The client requests no general block transfer, so a received one carries an unsolicited notification. */
const PUSH = /notification|generalBlockTransfer/i;
const SUCCESS_VALUES = new Set(['success', 'accepted', 'null']);

function* walkNodes(nodes: readonly AnnotatedNode[]): Generator<AnnotatedNode> {
  for (const node of nodes) {
    yield node;
    yield* walkNodes(node.children);
  }
}

const findNode = (nodes: readonly AnnotatedNode[], name: string): AnnotatedNode | undefined => {
  for (const node of walkNodes(nodes)) if (node.name === name) return node;
  return undefined;
};

/** Passwords in an AARQ with low-level security, and in a SET of an association's secret attribute. */
function findSecrets(nodes: readonly AnnotatedNode[]): AnnotatedNode[] {
  const secrets: AnnotatedNode[] = [];
  const aarq = findNode(nodes, 'aarq');
  const password = aarq && findNode(aarq.children, 'authenticationValue');
  if (aarq && password && findNode(aarq.children, 'mechanism')?.value === 'low') secrets.push(password);
  const set = findNode(nodes, 'setRequest');
  const data = set && findNode(set.children, 'data');
  const isSecret =
    ASSOCIATION_CLASSES.has(findNode(set?.children ?? [], 'classId')?.value ?? '') &&
    findNode(set?.children ?? [], 'attributeId')?.value === SECRET_ATTRIBUTE;
  if (data && isSecret) secrets.push(findNode(data.children, 'value') ?? data);
  return secrets;
}

/** Overwrites secrets by zeros and keeps their tags and lengths, so the message still decodes. */
function blankSecrets(octets: Uint8Array, nodes: readonly AnnotatedNode[]): Uint8Array {
  const secrets = findSecrets(nodes);
  if (secrets.length === 0) return octets;
  const copy = Uint8Array.from(octets);
  for (const { offset, length, value } of secrets) {
    const size = Math.min(length, (value?.replace(/^\w+ /, '').length ?? 0) / 2 || length);
    copy.fill(0, offset + length - size, offset + length);
  }
  return copy;
}

function messageIn(octets: Uint8Array): CarriedMessage | undefined {
  try {
    return messageOf(octets);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** The same in HDLC frames: a secret may span two segments, and retransmitted segments contain it again. */
function blankSegments(octets: Uint8Array): Uint8Array {
  const message = messageIn(octets);
  if (message === undefined) return octets;
  const blanked = blankSecrets(message.octets, annotateMessage(message).nodes);
  if (blanked === message.octets) return octets;
  const copy = Uint8Array.from(octets);
  for (const { informationFrom, informationTo } of message.others) copy.fill(0, informationFrom, informationTo);
  for (const [index, octet] of blanked.entries()) copy[message.positions[index] ?? 0] = octet;
  return copy;
}

/** Removes association passwords from a frame before it is stored. */
export function withoutSecrets(frame: KeptFrame): KeptFrame {
  const { plain } = frame;
  return {
    ...frame,
    octets: isHdlc(frame.octets) ? blankSegments(frame.octets) : blankSecrets(frame.octets, annotateWire(frame.octets).nodes),
    plain: plain === undefined ? undefined : blankSecrets(plain, annotate(apduCodec, plain).nodes),
  };
}

export interface ExplainedFrame {
  /** Name of the APDU in the standard. */
  service: string;
  isPush: boolean;
  /** Error reported by the device or by the decoder; null for none. */
  result: string | null;
}

/** Service and result of a frame, for the list of traces. */
export function explainFrame({ octets, plain }: KeptFrame): ExplainedFrame {
  const { nodes, error } = plain === undefined ? annotateWire(octets) : annotate(apduCodec, plain);
  // A frame that opens a link carries no APDU.
  let service = findNode(nodes, 'control')?.value?.split(' ')[0] ?? 'unknown';
  for (const { name } of walkNodes(nodes)) if (APDUS.has(name)) service = name;
  return { service, isPush: PUSH.test(service), result: error?.message ?? findFailure(service, nodes) };
}

function findFailure(service: string, nodes: readonly AnnotatedNode[]): string | null {
  if (service === 'exceptionResponse')
    return [findNode(nodes, 'stateError')?.value, findNode(nodes, 'serviceError')?.value].filter(Boolean).join(' · ');
  if (!/Response$|^aare$/.test(service)) return null;
  for (const { name, value, children } of walkNodes(nodes))
    if (name === 'result' && children.length === 0 && value !== undefined && /^[a-z]\w+$/i.test(value) && !SUCCESS_VALUES.has(value))
      return value;
  return null;
}
