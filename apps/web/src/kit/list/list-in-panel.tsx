import type { Route } from '@hes/contract/core/route.ts';
import type { ReactNode } from 'react';
import { ListDialog } from './list-dialog.tsx';
import { ListExport } from './list-export.tsx';
import { ListFacets, ListFilters } from './list-filters.tsx';
import { ListTable } from './list-table.tsx';
import type { ListState } from './use-list.ts';
import styles from './list.module.css';

interface ListInPanelProps<R extends Route> {
  list: ListState<R>;
  /** Controls before the declared filters. */
  above?: ReactNode;
  /** Why the list has no rows, with the step that ends it; undefined: the declared text. */
  empty?: ReactNode;
}

/** A list within the panel of a page that has other views: facets, filters with export, table and dialogs. */
export function ListInPanel<R extends Route>({ list, above, empty }: ListInPanelProps<R>) {
  const { facets, route } = list.declaration;
  return (
    <div className={styles['inPanel']} data-list={route.path}>
      <div className={styles['inPanel']} data-part="list">
        {facets ? <ListFacets list={list} facets={facets} /> : null}
        {above}
        <ListFilters list={list}>
          <ListExport list={list} />
        </ListFilters>
        <ListTable list={list} empty={empty} />
      </div>
      <ListDialog list={list} />
    </div>
  );
}
