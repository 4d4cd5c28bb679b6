import type { anomaly } from '@hes/contract/analysis/anomaly.ts';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import type { ListDeclaration } from '#kit/list/list-declaration.ts';
import { ListDialog } from '#kit/list/list-dialog.tsx';
import { ListFacets, ListFilters } from '#kit/list/list-filters.tsx';
import { ListTable } from '#kit/list/list-table.tsx';
import { useList } from '#kit/list/use-list.ts';
import { anomalyParts } from './anomaly-parts.tsx';

/** The list within the panel of a page that has other tabs. */
export function AnomalyList({ declaration }: { declaration: ListDeclaration<typeof anomaly.list> }) {
  const list = useList(declaration);
  return (
    <>
      <ListFacets list={list} facets={anomalyParts.facets} />
      <ListFilters list={list}>
        <ExportButton routes={anomalyParts.export} filter={{ ...list.filterWords, sort: list.url['sort'] }} columns={list.view.columns} />
      </ListFilters>
      <ListTable list={list} />
      <ListDialog list={list} />
    </>
  );
}
