import { z } from 'zod';
import { fileAnswer, fileBody, sheetFormat } from '../core/file.ts';
import { id, idParams } from '../core/page.ts';
import type { Danger } from '../core/guard.ts';
import type { PagePath } from '../page/paths.ts';
import { route } from '../core/route.ts';

export const MAX_IMPORT_OCTETS = 20 * 1024 * 1024;
export const MAX_IMPORT_ROWS = 50_000;
/** Maximum number of lines in a preview; the result file has all lines. */
export const PREVIEW_ROWS = 200;

/** `unchanged`: equal to the stored record and not written. */
export const importVerdict = z.enum(['new', 'update', 'unchanged', 'error']);
export type ImportVerdict = z.infer<typeof importVerdict>;

export const importLine = z.object({
  /** Line number as in a spreadsheet or editor; the header is line 1. */
  line: z.number().int(),
  verdict: importVerdict,
  /** Cells of the line by column key; secrets are masked. */
  cells: z.record(z.string(), z.string()),
  /** Faults of the line; one without a column concerns the whole line. */
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
  /** Whether the valid lines were imported. */
  isDone: z.boolean(),
  /** First invalid lines, then first valid ones. */
  rows: z.array(importLine),
});
export type ImportPreview = z.infer<typeof importPreview>;

/** Declares the calls of an import, as in `importOf('user', PAGE_PATH.users)`; `endangers` is the danger of its lines. */
export const importOf = <const E extends string>(entity: E, page: PagePath, endangers: Danger = 'nothing') => ({
  template: route({
    method: 'GET',
    path: `/import/${entity}/template`,
    summary: 'Template file of an import with its columns and one example',
    allow: { page, action: 'import' },
    query: z.object({ format: sheetFormat.default('xlsx') }),
    response: fileAnswer,
    answer: 'file',
    errors: ['VALIDATION'],
  }),
  preview: route({
    method: 'POST',
    path: `/import/${entity}`,
    summary: 'Validate each line of a CSV (UTF-8, GBK), XLSX or JSON file without importing it',
    allow: { page, action: 'import' },
    endangers: 'nothing',
    query: z.object({
      name: z.string().trim().min(1).max(255),
      /** For a part of a longer list: line number of its second line in the list. */
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
    summary: 'Import the valid lines in one transaction',
    allow: { page, action: 'import' },
    endangers,
    params: idParams,
    response: importPreview,
    errors: ['NOT_FOUND', 'NOTHING_TO_DO'],
  }),
  result: route({
    method: 'GET',
    path: `/import/${entity}/{id}/result`,
    summary: 'Result file with the verdict of each line',
    allow: { page, action: 'import' },
    params: idParams,
    response: fileAnswer,
    answer: 'file',
    errors: ['NOT_FOUND'],
  }),
});
export type ImportRoutes = ReturnType<typeof importOf<string>>;
