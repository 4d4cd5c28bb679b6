import { annotate, type AnnotatedNode } from '@hes/dlms/codec/annotate.ts';
import { wireFrame } from '@hes/dlms/framing/wire-frame.ts';
import { apduCodec, APDU_TAGS } from '@hes/dlms/xdlms/apdu.ts';
import type { KeptFrame } from './frames.ts';

const APDUS = new Set<string>([...Object.keys(APDU_TAGS), 'ciphered', 'generalGloCiphering', 'generalCiphering']);
const ASSOCIATION_CLASSES = new Set(['12', '15']);
const SECRET_ATTRIBUTE = '7';
/** Nothing of ours asks for answers in blocks: what comes in them is told unasked. */
const PUSH = /notification|generalBlockTransfer/i;
const FINE = new Set(['success', 'accepted', 'null']);

function* everyNode(nodes: readonly AnnotatedNode[]): Generator<AnnotatedNode> {
  for (const node of nodes) {
    yield node;
    yield* everyNode(node.children);
  }
}

const named = (nodes: readonly AnnotatedNode[], name: string): AnnotatedNode | undefined => {
  for (const node of everyNode(nodes)) if (node.name === name) return node;
  return undefined;
};

/** Where a password stands: in a request for an association with low security, and where the secret of one is set. */
function secretsIn(nodes: readonly AnnotatedNode[]): AnnotatedNode[] {
  const secrets: AnnotatedNode[] = [];
  const aarq = named(nodes, 'aarq');
  const password = aarq && named(aarq.children, 'authenticationValue');
  if (aarq && password && named(aarq.children, 'mechanism')?.value === 'low') secrets.push(password);
  const set = named(nodes, 'setRequest');
  const data = set && named(set.children, 'data');
  const isSecret =
    ASSOCIATION_CLASSES.has(named(set?.children ?? [], 'classId')?.value ?? '') &&
    named(set?.children ?? [], 'attributeId')?.value === SECRET_ATTRIBUTE;
  if (data && isSecret) secrets.push(data);
  return secrets;
}

/** The same octets, with zeros where a secret stood: its tag and length stay, so that the message still decodes. */
function blanked(octets: Uint8Array, nodes: readonly AnnotatedNode[]): Uint8Array {
  const secrets = secretsIn(nodes);
  if (secrets.length === 0) return octets;
  const copy = Uint8Array.from(octets);
  for (const { offset, length, value } of secrets) {
    const size = Math.min(length, (value?.replace(/^\w+ /, '').length ?? 0) / 2 || length);
    copy.fill(0, offset + length - size, offset + length);
  }
  return copy;
}

/** A frame without what must not be kept: passwords of associations. */
export function withoutSecrets(frame: KeptFrame): KeptFrame {
  const { plain } = frame;
  return {
    ...frame,
    octets: blanked(frame.octets, annotate(wireFrame, frame.octets).nodes),
    plain: plain === undefined ? undefined : blanked(plain, annotate(apduCodec, plain).nodes),
  };
}

export interface ExplainedFrame {
  /** As the standard names the APDU. */
  service: string;
  isPush: boolean;
  /** What a device said was wrong, or where the bytes broke; null: nothing. */
  result: string | null;
}

/** What a frame is, in two words. */
export function explainFrame({ octets, plain }: KeptFrame): ExplainedFrame {
  const { nodes, error } = plain === undefined ? annotate(wireFrame, octets) : annotate(apduCodec, plain);
  let service = 'unknown';
  for (const { name } of everyNode(nodes)) if (APDUS.has(name)) service = name;
  return { service, isPush: PUSH.test(service), result: error?.message ?? failureIn(service, nodes) };
}

function failureIn(service: string, nodes: readonly AnnotatedNode[]): string | null {
  if (service === 'exceptionResponse')
    return [named(nodes, 'stateError')?.value, named(nodes, 'serviceError')?.value].filter(Boolean).join(' · ');
  if (!/Response$|^aare$/.test(service)) return null;
  for (const { name, value, children } of everyNode(nodes))
    if (name === 'result' && children.length === 0 && value !== undefined && /^[a-z]\w+$/i.test(value) && !FINE.has(value)) return value;
  return null;
}
