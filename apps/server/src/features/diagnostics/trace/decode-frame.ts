import type { DecodedNode, TraceFrame } from '@hes/contract/trace/trace.ts';
import { annotate, type AnnotatedNode } from '@hes/dlms/codec/annotate.ts';
import { toHex } from '@hes/dlms/codec/hex.ts';
import { annotateWire } from '@hes/dlms/framing/annotate-wire.ts';
import { apduCodec } from '@hes/dlms/xdlms/apdu.ts';
import type { KeptFrame } from '#storage/frames.ts';

const toNode = ({ name, offset, length, value, children }: AnnotatedNode): DecodedNode => ({
  name,
  offset,
  length,
  ...(value === undefined ? {} : { value }),
  ...(children.length === 0 ? {} : { children: children.map(toNode) }),
});

/** Decodes a frame as sent, and its deciphered APDU, with the meaning of each byte. */
export function decodeFrame({ at, direction, octets, plain }: KeptFrame): TraceFrame {
  const wire = annotateWire(octets);
  const apdu = plain === undefined ? undefined : annotate(apduCodec, plain);
  const error = apdu?.error ?? wire.error;
  return {
    at: new Date(at).toISOString(),
    direction,
    hex: toHex(octets),
    plainHex: plain === undefined ? null : toHex(plain),
    wire: wire.nodes.map(toNode),
    plain: apdu === undefined ? null : apdu.nodes.map(toNode),
    error: error === undefined ? null : error.message,
  };
}
