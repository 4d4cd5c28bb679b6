import type { Locale, Text, TextParams } from '@hes/contract/core/text.ts';
import type { ImportRoutes } from '@hes/contract/transfer/import.ts';
import type { z } from 'zod';
import type { Context, Db, Tx, Who } from '#db/context.ts';

/** One column of a list. The head of the file may name it by its key or by its label in either language. */
export interface ImportColumn {
  label: Text;
  /** Text of a cell, trimmed → value. An empty cell is `''`: `optionalCell` turns it into null. */
  schema: z.ZodType;
  /** What the template shows. */
  example: string;
  /** Without it the list cannot be read. */
  required?: boolean;
  /** Never shown again, neither in the preview nor in the result. */
  secret?: boolean;
  /** False: the template leaves it out, and a file that has it is told at each line why it is not taken. */
  isOffered?: boolean;
}

export type ImportColumns = Record<string, ImportColumn>;
export type RowOf<C extends ImportColumns> = { [K in keyof C]: z.output<C[K]['schema']> };

/** Why a line cannot be imported; without a column it is about the whole line. */
export interface LineIssue {
  column?: string;
  text: Text;
  params?: TextParams;
}

export type Judgement<P> = { verdict: 'new' | 'update'; plan: P } | { verdict: 'unchanged' } | { verdict: 'error'; issues: LineIssue[] };

export interface ImportEnvironment {
  ctx: Context;
  who: Who;
  locale: Locale;
  now: Date;
}

export interface ImportKind<C extends ImportColumns, P, Q> {
  routes: ImportRoutes;
  /** What the list is called: name of the template. */
  title: Text;
  columns: C;
  /** Columns that belong into another list. A file that has one is refused: to pass over it would look like taking it. */
  elsewhere?: { columns: ImportColumns; reason: Text };
  /** Fewer than `MAX_IMPORT_ROWS` when a line is costly. */
  maxRows?: number;
  /** The second line with the same text here is an error. */
  unique: (keyof C & string)[];
  /**
   * Judges all readable lines at once, with as few queries as that takes: over the pool for the preview, and again in the
   * transaction of the import, where it may take locks. One judgement per row, in order; `plan` is handed to `write`.
   */
  judge(environment: ImportEnvironment, db: Db, rows: RowOf<C>[]): Promise<Judgement<P>[]>;
  /** Slow work that needs no lock, before the transaction begins. */
  prepare?(environment: ImportEnvironment, rows: RowOf<C>[]): Promise<Q>;
  /** Writes the valid lines in the one transaction of the import. What it returns is run after it: to tell who has to know. */
  write(environment: ImportEnvironment, tx: Tx, plans: P[], prepared: Q): Promise<(() => void) | void>;
}

// any: what the rows and plans of a kind are, only the kind knows; they never leave it.
export type AnyImport = ImportKind<any, any, any>;

/** One declaration of a list gives its template, parser, verdicts and import. */
export const defineImport = <const C extends ImportColumns, P, Q = undefined>(kind: ImportKind<C, P, Q>): AnyImport => kind;
