import { z } from 'zod';
import { id, instant } from '../core/page.ts';
import { route } from '../core/route.ts';

/** A piece of bytes and what it means: offset and length into the text it annotates, in octets. */
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
  /** `down`: head-end to device. */
  direction: z.enum(['down', 'up']),
  /** The bytes on the wire, wrapper header included, in hex. */
  hex: z.string(),
  /** The APDU after deciphering, where there was a cipher. */
  plainHex: z.string().nullable(),
  /** What the wire bytes mean. */
  wire: z.array(decodedNode),
  /** What the plain APDU means; offsets are into `plainHex`. */
  plain: z.array(decodedNode).nullable(),
  /** Broken bytes: code, offset and field path. */
  error: z.string().nullable(),
});
export type TraceFrame = z.infer<typeof traceFrame>;

export const trace = {
  get: route({
    method: 'GET',
    path: '/trace/{id}',
    summary: 'The exact bytes of an exchange, deciphered and decoded; each look is in the audit log',
    allow: { page: '/system/debug/dcu-log-management', action: 'view' },
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
    errors: ['NOT_FOUND'],
  }),
};
