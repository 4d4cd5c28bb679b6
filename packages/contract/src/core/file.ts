import { z } from 'zod';
import { RULES } from './rules.ts';

/** A file as the body of a call: its bytes, sent as `application/octet-stream`. */
export const fileBody = z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length > 0, RULES.emptyFile.en);

/** A file too large to be held in memory: `bodyType: 'stream'`. Browsers hand in the `File`, the server takes it piece by piece. */
export const fileStream = z
  .custom<object>((value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value)
  .transform((value) => value as AsyncIterable<Uint8Array>); // as: looked at above; HTTP gives octets

/** A file as an answer. `content` is text, bytes or a stream of bytes; on the wire there is nothing but the file. */
export const fileAnswer = z.object({ name: z.string(), type: z.string(), content: z.unknown() });
export type FileAnswer = z.infer<typeof fileAnswer>;

export const SHEET_FORMATS = ['csv', 'xlsx', 'json'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];
export const sheetFormat = z.enum(SHEET_FORMATS);
