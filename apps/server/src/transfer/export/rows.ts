import { say, type Locale } from '@hes/contract/core/text.ts';
import { headed, offsetHeading, offsetText } from '@hes/contract/core/unit.ts';
import type { ColumnOrder } from '@hes/contract/transfer/export.ts';
import type { ExportCursor } from '#db/paging.ts';
import { isOver } from '#db/export-cursor.ts';
import { parse } from '#http/issues.ts';
import type { Context, User } from '#db/context.ts';
import type { Cell } from '#platform/spreadsheet/csv-write.ts';
import { Zone } from '@hes/contract/schedule/zone.ts';
import type { AnyExport, ExportColumn } from './define-export.ts';

/** Rows per query; above the maximum page size, because each query has a fixed cost. */
const PART_SIZE = 5000;

/** `2026-11-21 20:00:00` and `+08:00` */
function timeCells(zone: Zone, cell: Cell | undefined): [Cell, Cell] {
  if (typeof cell !== 'string' || Number.isNaN(Date.parse(cell))) return [null, null];
  const at = Date.parse(cell);
  return [zone.dateTime(at), offsetText(zone.offsetMs(at))];
}

/** A column with its heading in the file. */
interface FileColumn {
  heading: string;
  column: ExportColumn<unknown>;
}

/** The ordered columns, with headings of the console if given. Keys without file columns, such as buttons, are skipped. */
function selectColumns(kind: AnyExport, order: ColumnOrder | undefined, locale: Locale): FileColumn[] {
  const named = (column: ExportColumn<unknown>, title?: string): FileColumn => ({
    heading: headed(title ?? say(column.label, locale), column.unit),
    column,
  });
  const chosen = (order ?? []).flatMap((each) => {
    const { key, title } = typeof each === 'string' ? { key: each, title: undefined } : each;
    const columns = [kind.columns[key] ?? []].flat();
    // A screen column with several values becomes several file columns; each heading appends its label to that of the screen.
    return columns.map((column) => named(column, columns.length > 1 && title ? `${title}: ${say(column.label, locale)}` : title));
  });
  return chosen.length > 0
    ? chosen
    : Object.values(kind.columns)
        .flat()
        .map((column) => named(column));
}

const keyOf = ({ key = ['id'] }: AnyExport, row: unknown): string =>
  key.map((name) => String((row as Record<string, unknown>)[name])).join('/'); // as: a row is an object

interface RowsOptions {
  user: User;
  locale: Locale;
  filter: Record<string, string>;
  columns: ColumnOrder | undefined;
  /** Restricts the filtered rows to these keys. */
  only?: readonly string[] | undefined;
  /** Called after each part with its number of rows. */
  onRows: (count: number) => void;
  partSize?: number;
}

/** Yields heading and rows of a filtered list, as its route would return them to the same user. */
export async function* rowsOf(kind: AnyExport, ctx: Context, options: RowsOptions): AsyncGenerator<Cell[]> {
  const { user, locale, filter, only, onRows, partSize: size = PART_SIZE } = options;
  const columns = selectColumns(kind, options.columns, locale);
  const zone = new Zone(ctx.settings.timeZone);
  yield columns.flatMap(({ heading, column }) => (column.kind === 'time' ? [heading, offsetHeading(heading, locale)] : [heading]));
  const asked = kind.list.query && (parse(kind.list.query, filter, locale) as object); // as: a query is an object
  const cursor: ExportCursor = { at: 0, only };
  const chosen = only && new Set(only);
  for (let page = 1; ; page++) {
    const query = asked && { ...asked, page, size, cursor };
    const { items } = (await kind.page({ ctx, user, query })) as { items: unknown[] }; // as: every list has items
    // Lists without keys also return rows outside the selection.
    const rows = chosen ? items.filter((row) => chosen.has(keyOf(kind, row))) : items;
    for (const row of rows)
      yield columns.flatMap(({ column: { kind: type, cell } }) =>
        type === 'time' ? timeCells(zone, cell(row, locale, zone)) : [cell(row, locale, zone) ?? null],
      );
    onRows(rows.length);
    cursor.last = items.at(-1);
    // A list without pages returns all rows at once.
    if (asked === undefined || !('page' in asked) || isOver(cursor, items.length, size)) return;
  }
}
