import type { Route } from '@hes/contract/core/route.ts';
import type { ReactNode } from 'react';
import { ListDialog } from './list-dialog.tsx';
import type { ListDeclaration } from './list-declaration.ts';
import { ListFacets, ListFilters } from './list-filters.tsx';
import { ListActions, paneOf } from './list-screen.tsx';
import { ListTable } from './list-table.tsx';
import { useList, type ListState } from './use-list.ts';
import styles from './list.module.css';

interface ListTabProps<R extends Route> {
  list: ListDeclaration<R>;
  /** Controls in the line above the facets, before export and import. */
  head: (list: ListState<R>) => ReactNode;
  /** Above that line. */
  before?: (list: ListState<R>) => ReactNode;
  /** Why the list has no rows; undefined: the declared text. */
  empty?: (list: ListState<R>) => ReactNode;
}

/** A declared list within the panel of a page that has other tabs: its details stand in the same panel. */
export function ListTab<R extends Route>({ list: declaration, head, before, empty }: ListTabProps<R>) {
  const list = useList(declaration);
  const { facets, route, Pane } = declaration;
  return (
    <div className={styles['tab']} data-list={route.path} data-details={Pane !== undefined || undefined}>
      <div className={styles['tabMain']} data-part="list">
        {before?.(list)}
        <div className={styles['tabHead']}>
          {head(list)}
          <ListActions list={list} />
        </div>
        {facets ? <ListFacets list={list} facets={facets} /> : null}
        <ListFilters list={list} />
        <ListTable list={list} empty={empty?.(list)} />
      </div>
      {paneOf(list)}
      <ListDialog list={list} />
    </div>
  );
}
