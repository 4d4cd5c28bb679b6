import type { ParsedQuery, ResponseOf, Route } from '@hes/contract/core/route.ts';
import type { Locale, Text } from '@hes/contract/core/text.ts';
import type { ExportRoutes } from '@hes/contract/transfer/export.ts';
import type { Context, User } from '#platform/context.ts';
import type { Cell } from '#platform/spreadsheet/csv-write.ts';
import type { Zone } from '#platform/zone.ts';

/** One column of a file. `time`: the cell is an instant, written as local time with its offset beside it. */
export interface ExportColumn<Row> {
  label: Text;
  kind?: 'time';
  cell: (row: Row, locale: Locale, zone: Zone) => Cell | undefined;
}

type RowOf<L extends Route> = ResponseOf<L> extends { items: (infer Row)[] } ? Row : never;

export interface ExportKind<L extends Route> {
  routes: ExportRoutes;
  /** The list whose filters and rows these are. */
  list: L;
  title: Text;
  /** What tells one row from another, an id first; without it its `id`. A selection names its rows by these, with a slash between. */
  key?: readonly [keyof RowOf<L> & string, ...(keyof RowOf<L> & string)[]];
  /** By the keys of the columns of the page, so that a file has what the screen has. */
  columns: Record<string, ExportColumn<RowOf<L>>>;
  /** One page of the list, exactly as its own call answers it. */
  page: (call: { ctx: Context; user: User; query: ParsedQuery<L> }) => Promise<ResponseOf<L>> | ResponseOf<L>;
}

// any: the rows of a list are its own affair; they never leave its columns.
export type AnyExport = Omit<ExportKind<Route>, 'key' | 'columns' | 'page'> & {
  key?: readonly string[];
  columns: Record<string, ExportColumn<any>>; // any: as above
  page: (call: { ctx: Context; user: User; query: any }) => unknown; // any: as above
};

/** One declaration beside a list gives its export as CSV and XLSX. */
export const defineExport = <const L extends Route>(kind: ExportKind<L>): AnyExport => kind as unknown as AnyExport; // as: forgets what the rows are
