import type { Route } from '@hes/contract/core/route.ts';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import type { Column } from '#kit/table/data-table.tsx';
import { chosenIn } from '#kit/table/selection.tsx';
import type { RowOf } from './list-declaration.ts';
import type { ListState } from './use-list.ts';

/** The button that exports a list with its filters, order and columns; renders nothing without a declared export. */
export function ListExport<R extends Route>({ list }: { list: ListState<R> }) {
  const { declaration, view, url, selection } = list;
  if (declaration.export === undefined) return null;
  return (
    <ExportButton
      routes={declaration.export}
      filter={{ ...list.filterWords, sort: url['sort'] }}
      columns={view.columns.flatMap<string | Column<RowOf<R>>>(
        (column) => declaration.columns.find(({ key }) => key === column.key)?.inFiles ?? column,
      )}
      chosen={chosenIn(selection)}
    />
  );
}
