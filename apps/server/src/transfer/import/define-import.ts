import type { Locale, Text, TextParams } from '@hes/contract/core/text.ts';
import type { ImportRoutes } from '@hes/contract/transfer/import.ts';
import type { z } from 'zod';
import type { Change } from '#db/changes.ts';
import type { Context, Db, Tx, Who } from '#db/context.ts';

/** One column of a list. The head of the file may name it by its key or by its label in either language. */
export interface ImportColumn {
  label: Text;
  /** Text of a cell, trimmed → value. An empty cell is `''`: `optionalCell` turns it into null. */
  schema: z.ZodType;
  /** Example value in the template. */
  example: string;
  /** The list is rejected without this column. */
  required?: boolean;
  /** Neither the preview nor the result shows its values. */
  secret?: boolean;
  /** False if the template omits the column. A file that has it gets an issue per line. */
  isOffered?: boolean;
}

export type ImportColumns = Record<string, ImportColumn>;
type RowOf<C extends ImportColumns> = { [K in keyof C]: z.output<C[K]['schema']> };

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
  /** Title of the list and name of the template. */
  title: Text;
  columns: C;
  /** Columns of another list. A file with one of them is rejected, because ignoring it would look like importing it. */
  elsewhere?: { columns: ImportColumns; reason: Text };
  /** Limit below `MAX_IMPORT_ROWS` for lists with expensive lines. */
  maxRows?: number;
  /** Columns in which a repeated text is an error. */
  unique: (keyof C & string)[];
  /**
   * Judges all readable lines in few queries: with the pool for the preview, and again in the transaction of the import, where
   * it may lock rows. Returns one judgement per row in the same order; `plan` goes to `write`.
   */
  judge(environment: ImportEnvironment, db: Db, rows: RowOf<C>[]): Promise<Judgement<P>[]>;
  /** Slow work without locks, before the transaction. */
  prepare?(environment: ImportEnvironment, rows: RowOf<C>[]): Promise<Q>;
  /** Writes the valid lines in the transaction of the import. Returns what every node must learn of. */
  write(environment: ImportEnvironment, tx: Tx, plans: P[], prepared: Q): Promise<Change[] | void>;
}

// any: the types of rows and plans are internal to each kind.
export type AnyImport = ImportKind<any, any, any>;

/** Declares a list, from which template, parser, preview and import derive. */
export const defineImport = <const C extends ImportColumns, P, Q = undefined>(kind: ImportKind<C, P, Q>): AnyImport => kind;
