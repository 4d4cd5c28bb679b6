import { z } from 'zod';
import { id, instant } from '../core/page.ts';
import { route } from '../core/route.ts';
import { PAGE_PATH } from '../page/paths.ts';

/** Annotation of a range of octets, given by offset and length. */
export interface DecodedNode {
  name: string;
  offset: number;
  length: number;
  value?: string | undefined;
  children?: DecodedNode[] | undefined;
}
export const decodedNode: z.ZodType<DecodedNode> = z.lazy(() =>
  z.object({
    name: z.string(),
    offset: z.number().int(),
    length: z.number().int(),
    value: z.string().optional(),
    children: z.array(decodedNode).optional(),
  }),
);

export const traceFrame = z.object({
  at: instant,
  /** `down`: from the head-end to the device. */
  direction: z.enum(['down', 'up']),
  /** Octets on the wire in hex, including the wrapper header. */
  hex: z.string(),
  /** APDU after deciphering; null if it was not ciphered. */
  plainHex: z.string().nullable(),
  /** Annotations of the octets on the wire. */
  wire: z.array(decodedNode),
  /** Annotations of the plain APDU; offsets refer to `plainHex`. */
  plain: z.array(decodedNode).nullable(),
  /** Decoding error: code, offset and field path. */
  error: z.string().nullable(),
});
export type TraceFrame = z.infer<typeof traceFrame>;

export const trace = {
  get: route({
    method: 'GET',
    path: '/trace/{id}',
    summary: 'Frames of one dialogue, deciphered and decoded; each call is recorded in the audit log',
    allow: { page: PAGE_PATH.dcuLog, action: 'view' },
    params: z.object({ id: z.uuid() }),
    response: z.object({
      id: z.uuid(),
      at: instant,
      dcuId: id.nullable(),
      dcuSn: z.string().nullable(),
      meterId: id.nullable(),
      meterSn: z.string().nullable(),
      bytes: z.number().int(),
      durationMs: z.number().int(),
      frames: z.array(traceFrame),
    }),
    errors: ['NOT_FOUND', 'TRACE_NOT_KEPT', 'TRACE_EXPIRED'],
  }),
};
