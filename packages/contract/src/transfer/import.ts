import { z } from 'zod';
import { fileAnswer, fileBody, sheetFormat } from '../core/file.ts';
import { id, idParams } from '../core/page.ts';
import type { Danger } from '../core/guard.ts';
import { route } from '../core/route.ts';

export const MAX_IMPORT_OCTETS = 20 * 1024 * 1024;
export const MAX_IMPORT_ROWS = 50_000;
/** Lines of a preview; the result file has all of them. */
export const PREVIEW_ROWS = 200;

/** `unchanged`: it says what is there already, and is not written again. */
export const importVerdict = z.enum(['new', 'update', 'unchanged', 'error']);
export type ImportVerdict = z.infer<typeof importVerdict>;

export const importLine = z.object({
  /** As a spreadsheet or an editor counts, the head is line 1. */
  line: z.number().int(),
  verdict: importVerdict,
  /** As they stand in the file, by the keys of the columns; secrets are dots. */
  cells: z.record(z.string(), z.string()),
  /** Why not; without a column it is about the whole line. */
  issues: z.array(z.object({ column: z.string().optional(), message: z.string() })),
});
export type ImportLine = z.infer<typeof importLine>;

export const importPreview = z.object({
  id,
  fileName: z.string(),
  columns: z.array(z.object({ key: z.string(), title: z.string() })),
  total: z.number().int(),
  new: z.number().int(),
  update: z.number().int(),
  unchanged: z.number().int(),
  errors: z.number().int(),
  /** True: the valid lines are in the database. */
  isDone: z.boolean(),
  /** The first lines that are wrong, then the first of the others. */
  rows: z.array(importLine),
});
export type ImportPreview = z.infer<typeof importPreview>;

/** The calls of one list that can be imported: `importOf('user', '/system/…')`. `endangers`: what its lines change. */
export const importOf = <const E extends string>(entity: E, page: string, endangers: Danger = 'nothing') => ({
  template: route({
    method: 'GET',
    path: `/import/${entity}/template`,
    summary: 'An empty list with its columns and one example',
    allow: { page, action: 'import' },
    query: z.object({ format: sheetFormat.default('xlsx') }),
    response: fileAnswer,
    answer: 'file',
    errors: ['VALIDATION'],
  }),
  preview: route({
    method: 'POST',
    path: `/import/${entity}`,
    summary: 'Judge each line of a CSV (UTF-8, GBK), XLSX or JSON file; nothing is changed yet',
    allow: { page, action: 'import' },
    endangers: 'nothing',
    query: z.object({
      name: z.string().trim().min(1).max(255),
      /** Of a part of a longer list: where its second line stands there. */
      firstLine: z.coerce.number().int().min(2).max(1_000_000_000).default(2),
    }),
    body: fileBody,
    bodyType: 'file',
    maxOctets: MAX_IMPORT_OCTETS,
    response: importPreview,
    errors: ['VALIDATION', 'FILE_UNREADABLE', 'FILE_TOO_LARGE', 'TOO_MANY_ROWS'],
  }),
  commit: route({
    method: 'POST',
    path: `/import/${entity}/{id}/commit`,
    summary: 'Import the lines that are still valid, all or none of them',
    allow: { page, action: 'import' },
    endangers,
    params: idParams,
    response: importPreview,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  result: route({
    method: 'GET',
    path: `/import/${entity}/{id}/result`,
    summary: 'Every line with its verdict',
    allow: { page, action: 'import' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
});
export type ImportRoutes = ReturnType<typeof importOf<string>>;
