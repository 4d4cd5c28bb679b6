import { z } from 'zod';
import { fileAnswer, sheetFormat } from '../core/file.ts';
import { COUNT_LIMIT, id, idParams, instant, listOf } from '../core/page.ts';
import { route, type Route } from '../core/route.ts';

/** Longer lists are written in the background; `export.ready` tells when. */
export const MAX_EXPORT_AT_ONCE = 50_000;

/** Rows somebody chose: no more can be paged through. */
export const MAX_CHOSEN_ROWS = COUNT_LIMIT;

export const exportJob = z.object({
  id,
  list: z.string(),
  fileName: z.string(),
  state: z.enum(['running', 'ready', 'failed']),
  /** Lines written so far. */
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
  /** The filters and the order of the list, as they stand in its query string. */
  filter: z.record(z.string().max(64), z.string().max(4096)).default({}),
  /** Of what the filter finds only these rows, by the key of the list: an id, or an id and what tells its rows apart. */
  rows: z
    .array(z.string().regex(/^\d{1,18}(\/\w{1,64})?$/))
    .min(1)
    .max(MAX_CHOSEN_ROWS)
    .optional(),
  /** Keys of the wanted columns, in their order, with their words on the screen; without it all columns under their own words. */
  columns: columnOrder.optional(),
});

/** The export of a list behind its filter: whoever may see the list on its page and has the page's `export` right. */
export const exportOf = <const N extends string>(name: N, list: Route & { allow: { page: string } }) => ({
  run: route({
    method: 'POST',
    path: `/export/${name}`,
    summary: `Write "${list.summary}" behind a filter as CSV, XLSX or JSON`,
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
    summary: 'My exports of the last day, newest first',
    allow: 'signed-in',
    response: listOf(exportJob),
  }),
  file: route({
    method: 'GET',
    path: '/export/{id}/file',
    summary: 'The file of an export of mine',
    allow: 'signed-in',
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND', 'NOTHING_TO_DO'],
  }),
};
