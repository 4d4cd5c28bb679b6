import { z } from 'zod';
import { fileAnswer, sheetFormat } from '../core/file.ts';
import { COUNT_LIMIT, id, idParams, instant, listOf } from '../core/page.ts';
import type { PagePath } from '../page/paths.ts';
import { route, type Route } from '../core/route.ts';

/** Exports with more rows, or that take longer than 15 s, end after the response; the live message `export.ready` announces the end. */
export const MAX_EXPORT_AT_ONCE = 50_000;

/** Maximum number of selected rows, equal to the number of rows that can be paged through. */
export const MAX_CHOSEN_ROWS = COUNT_LIMIT;

export const exportJob = z.object({
  id,
  list: z.string(),
  fileName: z.string(),
  state: z.enum(['running', 'ready', 'failed']),
  /** Number of rows written so far. */
  rows: z.number().int(),
  octets: z.number().int(),
  createdAt: instant,
});
export type ExportJob = z.infer<typeof exportJob>;

const MAX_HEADING = 120;
const columnKey = z.string().max(64);
const columnOrder = z.array(z.union([columnKey, z.object({ key: columnKey, title: z.string().min(1).max(MAX_HEADING) })])).max(200);
export type ColumnOrder = z.infer<typeof columnOrder>;

export const exportOrder = z.object({
  format: sheetFormat,
  /** Filters and sort order of the list, as in its query string. */
  filter: z.record(z.string().max(64), z.string().max(4096)).default({}),
  /** Restricts the export to these rows, given by the row keys of the list. */
  rows: z
    .array(z.string().regex(/^\d{1,18}(\/\w{1,64})?$/))
    .min(1)
    .max(MAX_CHOSEN_ROWS)
    .optional(),
  /** Keys of the columns in output order, with their headings; by default all columns with their standard headings. */
  columns: columnOrder.optional(),
});

/** Declares the export of a list; it needs the right to see the list and the right `export` on its page. */
export const exportOf = <const N extends string>(name: N, list: Route & { allow: { page: PagePath } }) => ({
  run: route({
    method: 'POST',
    path: `/export/${name}`,
    summary: `Export as CSV, XLSX or JSON: ${list.summary}`,
    allow: { page: list.allow.page, action: 'export' },
    endangers: 'nothing',
    body: exportOrder,
    response: exportJob,
    errors: ['VALIDATION', 'RATE_LIMIT'],
  }),
});
export type ExportRoutes = ReturnType<typeof exportOf<string>>;

export const exportFile = {
  list: route({
    method: 'GET',
    path: '/export',
    summary: 'My exports of the last 24 hours, newest first',
    allow: 'signed-in',
    response: listOf(exportJob),
  }),
  file: route({
    method: 'GET',
    path: '/export/{id}/file',
    summary: 'File of one of my exports',
    allow: 'signed-in',
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO'],
  }),
};
