import { z } from 'zod';
import { ApiError } from '#platform/api-error.ts';

const snapshot = z.string().regex(/^\d{1,20}:\d{1,20}:(?:\d{1,20}(?:,\d{1,20})*)?$/);
const position = z.string().regex(/^\d{1,19}$/);

/**
 * Position in the outbox. A snapshot names the transactions that a reader has seen completely; between two snapshots it reads by ids. Short
 * names, because programs send it with every call.
 */
const cursorShape = z
  .object({
    /** Epoch of the kind. */
    e: z.number().int(),
    /** Snapshot through which everything was read; absent: of the first window only rows from `i` on are wanted. */
    s: snapshot.optional(),
    /** Snapshot of the window that is being read; absent: the next read opens one. */
    w: snapshot.optional(),
    /** First id of the window that was not read completely, and the number of its entries that were read. */
    i: position.optional(),
    n: z.number().int().min(0).default(0),
    /** No row from before this instant is missing; epoch milliseconds. */
    t: z.number().int(),
  })
  .refine(({ s, w }) => s !== undefined || w !== undefined);
export type Cursor = z.output<typeof cursorShape>;

export const writeCursor = (cursor: Cursor): string => Buffer.from(JSON.stringify(cursor)).toString('base64url');

/** Throws `VALIDATION` for a text that is no cursor. */
export function readCursor(text: string): Cursor {
  let content: unknown;
  try {
    content = JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    throw new ApiError('VALIDATION', {}, 'after');
  }
  const parsed = cursorShape.safeParse(content);
  if (!parsed.success) throw new ApiError('VALIDATION', {}, 'after');
  return parsed.data;
}
