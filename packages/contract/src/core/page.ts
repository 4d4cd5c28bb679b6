import { z } from 'zod';
import { RULES } from './rules.ts';

/** Ids are 64-bit integers and transferred as text. */
export const id = z.string().regex(/^\d{1,19}$/);
/** An instant, ISO 8601 with offset or Z. */
export const instant = z.iso.datetime({ offset: true });
/** A calendar day, YYYY-MM-DD. */
export const day = z.iso.date();
export const idParams = z.object({ id });

export const MAX_PAGE_SIZE = 500;
/** Totals up to this number are exact; beyond it the response has `totalIsExact: false`. */
export const COUNT_LIMIT = 10_000;

/** `page` and `size` of a list; `sort` is `field,asc` or `field,desc`. Pages are limited because the database visits all rows before a page. */
export const pageQuery = z
  .object({
    page: z.coerce.number().int().min(1).max(10_000).default(1),
    size: z.coerce.number().int().min(1).max(MAX_PAGE_SIZE).default(20),
    sort: z
      .string()
      .regex(/^\w+,(asc|desc)$/)
      .optional(),
  })
  .refine(({ page, size }) => (page - 1) * size <= COUNT_LIMIT, { path: ['page'], error: RULES.tooFar.en });

export const pageOf = <T extends z.ZodType>(row: T) =>
  z.object({
    items: z.array(row),
    total: z.number().int(),
    totalIsExact: z.boolean(),
    page: z.number().int(),
    size: z.number().int(),
  });

/** Cursor of a long list: rows with a larger id, in the order of ids. Page and sort order are then ignored, and rows are not counted. */
export const cursorQuery = { after: id.optional() };

/** A page of a list with a cursor. `next`: the value of `after` for the following rows; null if the call had no cursor. */
export const cursoredPageOf = <T extends z.ZodType>(row: T) => pageOf(row).extend({ next: id.nullable() });

/**
 * Cursor of a list whose rows have no id, in the form that `place` describes: `0` begins, afterwards the `next` of the answer before. Page and
 * sort order are then ignored, and rows are not counted.
 */
export const placeQuery = (place: RegExp) => ({
  after: z
    .string()
    .refine((text) => text === '0' || place.test(text), RULES.cursor.en)
    .optional(),
});

/** A page of a list with such a cursor. `next`: the value of `after` for the following rows; null if the call had no cursor. */
export const placedPageOf = <T extends z.ZodType>(row: T) => pageOf(row).extend({ next: z.string().nullable() });

export const listOf = <T extends z.ZodType>(row: T) => z.object({ items: z.array(row) });

export const taskRef = z.object({ taskId: id });

/** A list in a query string: `?a=1,2` or `?a=1&a=2`. */
export const csv = <T extends z.ZodType<unknown, string>>(item: T) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((value) => (Array.isArray(value) ? value : value.split(',')).filter((part) => part !== ''))
    .pipe(z.array(item));

export const MAX_RANGE_DAYS = 31;
/** Maximum duration of a number of local days, which have an extra hour when clocks go back. */
export const MAX_RANGE_MS = (MAX_RANGE_DAYS * 24 + 1) * 3_600_000;
