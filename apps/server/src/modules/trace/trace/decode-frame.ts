import type { DecodedNode, TraceFrame } from '@hes/contract/trace/trace.ts';
import { annotate, type AnnotatedNode } from '@hes/dlms/codec/annotate.ts';
import { fromHex } from '@hes/dlms/codec/hex.ts';
import { wireFrame } from '@hes/dlms/framing/wire-frame.ts';
import { apduCodec } from '@hes/dlms/xdlms/apdu.ts';

/** A frame as the field engine keeps it. */
export interface StoredFrame {
  at: string;
  direction: 'down' | 'up';
  hex: string;
  plainHex: string | null;
}

const toNode = ({ name, offset, length, value, children }: AnnotatedNode): DecodedNode => ({
  name,
  offset,
  length,
  ...(value === undefined ? {} : { value }),
  ...(children.length === 0 ? {} : { children: children.map(toNode) }),
});

/** The bytes of a frame with the meaning of each: the wire as it was, and the APDU behind the cipher. */
export function decodeFrame(frame: StoredFrame): TraceFrame {
  const wire = annotate(wireFrame, fromHex(frame.hex));
  const plain = frame.plainHex === null ? undefined : annotate(apduCodec, fromHex(frame.plainHex));
  const error = plain?.error ?? wire.error;
  return {
    ...frame,
    wire: wire.nodes.map(toNode),
    plain: plain === undefined ? null : plain.nodes.map(toNode),
    error: error === undefined ? null : error.message,
  };
}
