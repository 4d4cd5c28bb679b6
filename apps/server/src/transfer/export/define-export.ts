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
/** A screen column that shows several values becomes several file columns. */
type ExportColumns<Row> = Record<string, ExportColumn<Row> | readonly ExportColumn<Row>[]>;

type RowOf<L extends Route> = ResponseOf<L> extends { items: (infer Row)[] } ? Row : never;
/** The part of a list response that the file uses. */
type Part<Row> = { items: Row[] };

export interface ExportKind<L extends Route, Row = RowOf<L>> {
  routes: ExportRoutes;
  /** The list that is exported, with its filters. */
  list: L;
  title: Text;
  /** Key columns of a row, an id first; `id` by default. A selection identifies rows by these values, joined by slashes. */
  key?: readonly [keyof RowOf<L> & string, ...(keyof RowOf<L> & string)[]];
  /** Keyed like the columns of the page, so that the file can follow the columns on the screen. */
  columns: ExportColumns<NoInfer<Row>>;
  /** One page of the list, as its route returns it; rows may contain further fields for the columns. */
  page: (call: { ctx: Context; user: User; query: ParsedQuery<L> }) => Promise<Part<Row>> | Part<Row>;
}

// any: only the columns of the same list read its rows.
export type AnyExport = Omit<ExportKind<Route>, 'key' | 'columns' | 'page'> & {
  key?: readonly string[];
  columns: ExportColumns<any>; // any: as above
  page: (call: { ctx: Context; user: User; query: any }) => unknown; // any: as above
};

const KINDS = new Map<string, AnyExport>();

export const nameOf = (kind: AnyExport): string => kind.routes.run.path.slice('/export/'.length);

/** Finds an export by name, because a job may have been ordered by a former process. */
export const findKind = (name: string): AnyExport | undefined => KINDS.get(name);

/** Declares the export of a list as CSV, JSON and XLSX. */
export function defineExport<const L extends Route, Row = RowOf<L>>(declared: ExportKind<L, Row>): AnyExport {
  const kind = declared as unknown as AnyExport; // as: erases the row type
  KINDS.set(nameOf(kind), kind);
  return kind;
}
