import type { ParsedQuery, ResponseOf, Route } from '@hes/contract/core/route.ts';
import type { Locale, Text } from '@hes/contract/core/text.ts';
import type { Unit } from '@hes/contract/core/unit.ts';
import type { ExportRoutes } from '@hes/contract/transfer/export.ts';
import type { Context, User } from '#db/context.ts';
import type { Cell } from '#platform/spreadsheet/csv-write.ts';
import type { Zone } from '@hes/contract/schedule/zone.ts';

interface Named {
  label: Text;
}

/** An instant, written as local time with its UTC offset in the next column. */
interface TimeColumn<Row> extends Named {
  kind: 'time';
  unit?: never;
  cell: (row: Row, locale: Locale, zone: Zone) => string | null | undefined;
}

/** A measured number in `unit`, which the heading names. Without a value the cell is empty. */
interface MeasuredColumn<Row> extends Named {
  kind?: never;
  unit: Unit;
  cell: (row: Row, locale: Locale, zone: Zone) => number | null | undefined;
}

/** A text, a count or a ratio. */
interface PlainColumn<Row> extends Named {
  kind?: never;
  unit?: never;
  cell: (row: Row, locale: Locale, zone: Zone) => Cell | undefined;
}

export type ExportColumn<Row> = TimeColumn<Row> | MeasuredColumn<Row> | PlainColumn<Row>;
/** Several, where one column of the screen shows several values. */
type ExportColumns<Row> = Record<string, ExportColumn<Row> | readonly ExportColumn<Row>[]>;

type RowOf<L extends Route> = ResponseOf<L> extends { items: (infer Row)[] } ? Row : never;
/** What a file takes from the answer of a list. */
type Part<Row> = { items: Row[] };

export interface ExportKind<L extends Route, Row = RowOf<L>> {
  routes: ExportRoutes;
  /** The list whose filters and rows these are. */
  list: L;
  title: Text;
  /** What tells one row from another, an id first; without it its `id`. A selection names its rows by these, with a slash between. */
  key?: readonly [keyof RowOf<L> & string, ...(keyof RowOf<L> & string)[]];
  /** By the keys of the columns of the page, so that a file has what the screen has. */
  columns: ExportColumns<NoInfer<Row>>;
  /** One page of the list as its own call answers it; a row may hold more that a column needs. */
  page: (call: { ctx: Context; user: User; query: ParsedQuery<L> }) => Promise<Part<Row>> | Part<Row>;
}

// any: the rows of a list are its own affair; they never leave its columns.
export type AnyExport = Omit<ExportKind<Route>, 'key' | 'columns' | 'page'> & {
  key?: readonly string[];
  columns: ExportColumns<any>; // any: as above
  page: (call: { ctx: Context; user: User; query: any }) => unknown; // any: as above
};

const KINDS = new Map<string, AnyExport>();

export const nameOf = (kind: AnyExport): string => kind.routes.run.path.slice('/export/'.length);

/** The export of a list by its name: a job names its list, and may be of a process before this one. */
export const findKind = (name: string): AnyExport | undefined => KINDS.get(name);

/** One declaration beside a list gives its export as CSV and XLSX. */
export function defineExport<const L extends Route, Row = RowOf<L>>(declared: ExportKind<L, Row>): AnyExport {
  const kind = declared as unknown as AnyExport; // as: forgets what the rows are
  KINDS.set(nameOf(kind), kind);
  return kind;
}
