import type { Route } from '@hes/contract/core/route.ts';
import type { ReactNode } from 'react';
import { ListPage } from '#kit/page/list-page.tsx';
import type { Column } from '#kit/table/data-table.tsx';
import { chosenIn } from '#kit/table/selection.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { ImportButton } from '#kit/import-drawer/import-drawer.tsx';
import { AddButton } from './add-button.tsx';
import { ListDialog } from './list-dialog.tsx';
import { ListFacets, ListFilters } from './list-filters.tsx';
import type { ListDeclaration, ListImport, RowOf } from './list-declaration.ts';
import { ListTable } from './list-table.tsx';
import { RowButtons } from './row-menu.tsx';
import { useList, type ListState } from './use-list.ts';
import styles from './list.module.css';

/** Export, import and the button that adds a record. */
export function ListActions<R extends Route>({ list }: { list: ListState<R> }) {
  const { declaration, tools, url, selection, view } = list;
  const { say } = tools;
  const bound = ({ what, hint, ...others }: ListImport) => ({ ...others, what: say(what), ...(hint ? { hint: say(hint) } : {}) });
  return (
    <>
      {declaration.export ? (
        <ExportButton
          routes={declaration.export}
          filter={{ ...list.filterWords, sort: url['sort'] }}
          columns={view.columns.flatMap<string | Column<RowOf<R>>>(
            (column) => declaration.columns.find(({ key }) => key === column.key)?.inFiles ?? column,
          )}
          chosen={chosenIn(selection)}
        />
      ) : null}
      {declaration.import ? (
        <ImportButton lists={[declaration.import, ...(declaration.import.others ?? [])].map(bound)} onImported={list.reload} />
      ) : null}
      <AddButton list={list} />
    </>
  );
}

/** The details of the selected row; undefined while none is shown. */
export function paneOf<R extends Route>({ declaration, tools, rows, shown, show, idOf, reload, act }: ListState<R>): ReactNode {
  const { Pane, actions = [], isPaneOfRow = false } = declaration;
  if (Pane === undefined || shown === undefined || (isPaneOfRow && !rows.some((row) => idOf(row) === shown))) return undefined;
  return (
    <Pane
      key={shown}
      id={shown}
      rows={rows}
      select={show}
      buttonsOf={(row, options) => <RowButtons {...options} row={row} actions={actions} tools={tools} act={act} />}
      reload={reload}
    />
  );
}

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
  const { declaration, tools } = list;
  const { facets } = declaration;
  const { say } = tools;
  return (
    <ListPage
      title={title ?? say(declaration.title)}
      purpose={say(declaration.purpose)}
      listOf={declaration.route.path}
      hasDetails={declaration.Pane !== undefined}
      actions={
        <>
          {head?.(list)}
          <ListActions list={list} />
        </>
      }
      pane={paneOf(list)}
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
