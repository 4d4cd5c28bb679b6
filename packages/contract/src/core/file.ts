import { z } from 'zod';
import { RULES } from './rules.ts';

/** A file as request body: raw bytes, sent as `application/octet-stream`. */
export const fileBody = z.custom<Uint8Array>((value) => value instanceof Uint8Array && value.length > 0, RULES.emptyFile.en);

/** A file too large for memory, with `bodyType: 'stream'`: browsers pass the `File`, and the server reads a stream. */
export const fileStream = z
  .custom<object>((value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value)
  .transform((value) => value as AsyncIterable<Uint8Array>); // as: checked above; HTTP yields octets

/** A file as response. `content` is text, bytes or a stream of bytes; the response body is the content alone. */
export const fileAnswer = z.object({ name: z.string(), type: z.string(), content: z.unknown() });
export type FileAnswer = z.infer<typeof fileAnswer>;

export const SHEET_FORMATS = ['csv', 'xlsx', 'json'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];
export const sheetFormat = z.enum(SHEET_FORMATS);
