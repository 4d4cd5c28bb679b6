import type { QueryOf, ResponseOf, Route } from '@hes/contract/core/route.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { PagePath } from '@hes/contract/page/paths.ts';
import type { ExportRoutes } from '@hes/contract/transfer/export.ts';
import type { ImportRoutes } from '@hes/contract/transfer/import.ts';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { AfterImport } from '#kit/import-drawer/import-drawer.tsx';
import type { Answered } from '#core/api/one-moment.ts';
import type { Column } from '#kit/table/data-table.tsx';
import type { Sign } from '#kit/state/sign.ts';
import type { Action } from './action.ts';
import type { Filter, UrlWords } from './filters.tsx';
import type { FormProps, ListTools, PaneProps, Part } from './list-parts.ts';
import type { TreeDeclaration } from './list-tree.tsx';

/** A row of the paged list of a route. */
export type RowOf<R extends Route> = ResponseOf<R> extends { items: (infer Row)[] } ? Row : never;

/** A column of a declared list: as in tables, with its title in all languages. */
export interface ListColumn<Row> extends Omit<Column<Row>, 'title' | 'hint' | 'cell' | 'words'> {
  title: Text;
  /** The heading is for screen readers only, as of columns of buttons. */
  hasHiddenTitle?: boolean;
  /** Keys of the columns that a file has instead of this one. */
  inFiles?: readonly string[];
  hint?: Text;
  /** False: the column is left out under these filters. */
  isShown?: (url: UrlWords) => boolean;
  cell?: (row: Row, tools: ListTools) => ReactNode;
  /** Actions of the row as buttons in the cell, for users who have the right to them. */
  buttons?: readonly Action<Row>[];
  words?: (row: Row, tools: ListTools) => string | null | undefined;
}

/** The main filter of a list, as buttons with counts above the others. Its word stands in the address under `key`. */
export interface Facets<R extends Route, Word extends string = string> {
  key: string;
  /** Words that stand under another key instead, as that key and its value. */
  elsewhere?: Partial<Record<Word, readonly [key: string, value: string]>>;
  label: Text;
  all: Text;
  words: readonly Word[];
  /** Words that are shown only while they have rows or are chosen. */
  rare?: readonly Word[];
  signs: Readonly<Record<Word, Sign>>;
  toQuery(word: Word): Partial<QueryOf<R>>;
  /** Reads the number of rows of each word under the other filters. */
  useCounts: (query: Partial<QueryOf<R>>) => FacetCounts<Word>;
}

export interface FacetCounts<Word extends string = string> {
  total: number | undefined;
  /** False: the server stopped counting at its limit. */
  isExact?: boolean | undefined;
  counts: Partial<Record<Word, number | undefined>>;
  /** Signs that depend on settings, instead of the declared ones. */
  signs?: Readonly<Record<Word, Sign>>;
  /** The queries of these counts, which are read again when they are older than the list. */
  queries: readonly Answered[];
}

/** An import of a list from a file. */
export interface ListImport {
  routes: ImportRoutes;
  what: Text;
  hint?: Text;
  /** The step that follows the import, shown beside its result. */
  Next?: Part<AfterImport>;
}

/** A list page: its route, filters, columns, actions and parts. `ListScreen` shows it; `useList` and the parts serve pages of another shape. */
export interface ListDeclaration<R extends Route> {
  route: R;
  /** Path of the page. The user's arrangement of columns and the saved views are stored under it and `at`. */
  path: PagePath;
  /** Words in the address of one of several lists of a page, such as `{ tab: 'log' }`. */
  at?: Readonly<Record<string, string>>;
  title: Text;
  purpose: Text;
  /** Accessible name of the table; absent: the title. */
  label?: Text;
  /** Identifier of rows without the field `id`. */
  rowId?: (row: RowOf<R>) => string;
  /** Name of a row in dialogs and accessible labels. */
  rowName: (row: RowOf<R>, tools: ListTools) => string;
  /** Sort order of the page as delivered, such as `name,asc`. */
  sort?: string;
  size?: string;
  refetchMs?: number;
  /** The list is read again at that interval only while it has such a row, such as one that waits for a device. */
  isAwaited?: (row: RowOf<R>) => boolean;
  /** Path of the routes that are read again after a change, usually that of the list. */
  reloads?: string;
  /** Topics of live messages that change the list. */
  topics?: readonly string[];
  filters: readonly Filter<Partial<QueryOf<R>>>[];
  facets?: Facets<R>;
  columns: readonly ListColumn<RowOf<R>>[];
  actions?: readonly Action<RowOf<R>>[];
  /** Rows that no batch action is offered for are selectable as well, for the export of selected rows. */
  isEveryRowSelectable?: boolean;
  add?: { label: Text; icon?: LucideIcon; right: Pick<Route, 'allow'>; Form: Part<FormProps<RowOf<R>>>; done?: Text };
  export?: ExportRoutes;
  /** `others` are offered by the same button. */
  import?: ListImport & { others?: readonly ListImport[] };
  /** A click on a row starts this action of the list, which has no pane. */
  onRow?: Action<RowOf<R>>;
  /** The details of the selected row, to the right of the list. */
  Pane?: Part<PaneProps<RowOf<R>>>;
  /** The pane shows the values of the row, so that it is open only while the list has the row. */
  isPaneOfRow?: boolean;
  /** The details of the first row are open from the beginning in a wide window: short lists of records leave most of it empty. */
  opensFirst?: boolean;
  /** Text of the list without any row and without filters. */
  empty: Text;
  emptyHint?: Text | ((tools: ListTools) => string | undefined);
  /** The server sends the whole list at once. */
  isWhole?: boolean;
  tree?: TreeDeclaration<RowOf<R>>;
}

/** Rows without the field `id` must declare their identifier. */
type RowId<R extends Route> = RowOf<R> extends { id: string } ? unknown : { rowId: (row: RowOf<R>) => string };

/** Declares a list page; the rows, filters and rights follow from its route. */
export const defineList = <R extends Route>(declaration: ListDeclaration<R> & RowId<R>): ListDeclaration<R> => declaration;
