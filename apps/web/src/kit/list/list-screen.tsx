import type { Route } from '@hes/contract/core/route.ts';
import type { ReactNode } from 'react';
import { ListPage } from '#kit/page/list-page.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { ImportButton } from '#kit/import-drawer/import-drawer.tsx';
import { AddButton } from './add-button.tsx';
import { ListDialog } from './list-dialog.tsx';
import { ListExport } from './list-export.tsx';
import { ListFacets, ListFilters } from './list-filters.tsx';
import type { ListDeclaration, ListImport } from './list-declaration.ts';
import { ListTable } from './list-table.tsx';
import { RowButtons } from './row-menu.tsx';
import { useList, type ListState } from './use-list.ts';
import styles from './list.module.css';

interface ListScreenProps<R extends Route> {
  list: ListDeclaration<R>;
  /** Instead of the declared title, such as the name of the object whose rows are listed. */
  title?: string | undefined;
  /** Controls in the title line before export and import. */
  head?: (list: ListState<R>) => ReactNode;
  /** Above the panel of the list. */
  before?: (list: ListState<R>) => ReactNode;
  /** To the left of the panel of the list. */
  beside?: (list: ListState<R>) => ReactNode;
  /** Below the panel of the list. */
  after?: (list: ListState<R>) => ReactNode;
  /** Between the facets and the filters. */
  above?: (list: ListState<R>) => ReactNode;
  /** Controls after the declared filters. */
  filters?: (list: ListState<R>) => ReactNode;
  /** Why the list has no rows, with the step that ends it; undefined: the declared text. */
  empty?: (list: ListState<R>) => ReactNode;
  /** Replaces the table, such as by a map; undefined: the table. */
  instead?: (list: ListState<R>) => ReactNode;
}

/** The page of a declared list. */
export function ListScreen<R extends Route>({ list: declaration, ...parts }: ListScreenProps<R>) {
  return <ListView list={useList(declaration)} {...parts} />;
}

/** The same for a page that has called `useList` itself. */
export function ListView<R extends Route>({
  list,
  head,
  title,
  before,
  beside,
  after,
  above,
  filters,
  empty,
  instead,
}: Omit<ListScreenProps<R>, 'list'> & { list: ListState<R> }) {
  const { declaration, tools, url, rows, act } = list;
  const { Pane, facets, actions = [], isPaneOfRow = false } = declaration;
  const sel = url['sel'];
  const { say } = tools;
  const bound = ({ routes, what, hint }: ListImport) => ({ routes, what: say(what), ...(hint ? { hint: say(hint) } : {}) });
  return (
    <ListPage
      title={title ?? say(declaration.title)}
      purpose={say(declaration.purpose)}
      listOf={declaration.route.path}
      hasDetails={Pane !== undefined}
      actions={
        <>
          {head?.(list)}
          <ListExport list={list} />
          {declaration.import ? (
            <ImportButton {...bound(declaration.import)} others={declaration.import.others?.map(bound) ?? []} onImported={list.reload} />
          ) : null}
          <AddButton list={list} />
        </>
      }
      pane={
        Pane && sel !== undefined && (!isPaneOfRow || rows.some((row) => list.idOf(row) === sel)) ? (
          <Pane
            key={sel}
            id={sel}
            rows={rows}
            select={(next) => list.setUrl({ sel: next })}
            buttonsOf={(row, options) => <RowButtons {...options} row={row} actions={actions} tools={tools} act={act} />}
            reload={list.reload}
          />
        ) : undefined
      }
    >
      {before?.(list)}
      <div className={styles['row']} data-part="list" data-beside={beside !== undefined}>
        {beside?.(list)}
        <Panel flush label={say(declaration.label ?? declaration.title)}>
          {facets ? <ListFacets list={list} facets={facets} /> : null}
          {above?.(list)}
          <ListFilters list={list}>{filters?.(list)}</ListFilters>
          {instead?.(list) ?? <ListTable list={list} empty={empty?.(list)} />}
        </Panel>
      </div>
      {after?.(list)}
      <ListDialog list={list} />
    </ListPage>
  );
}
