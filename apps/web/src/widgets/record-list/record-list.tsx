import { ERRORS } from '@hes/contract/core/errors.ts';
import type { Route } from '@hes/contract/core/route.ts';
import type { ExportRoutes } from '@hes/contract/transfer/export.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { Button, type MenuProps } from 'antd';
import { Plus, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#shared/table/selection.tsx';
import { useTake } from '#shared/table/use-take.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { RowActions } from '#shared/table/row-actions.tsx';
import { stepThrough } from '#shared/table/step-through.ts';
import { refilter } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { texts } from './messages.ts';
import { RemoveRecords } from './remove-records.tsx';
import styles from './record-list.module.css';

type Items = NonNullable<MenuProps['items']>;

interface Paged<Row> {
  items: Row[];
  total: number;
  totalIsExact: boolean;
  page: number;
  size: number;
}

/** The query parameters that all such lists have. */
interface RecordUrl {
  page: string | undefined;
  size: string | undefined;
  sort: string | undefined;
  sel: string | undefined;
}

export interface RecordListProps<Row extends { id: string }> {
  title: string;
  purpose: string;
  routes: { list: Route; create: Route; remove: Route };
  query: UseQueryResult<Paged<Row>>;
  /** Time of the oldest response on the page; without it, that of the list. */
  updatedAt?: number;
  url: RecordUrl;
  setUrl: (change: Partial<RecordUrl>) => void;
  nameOf: (row: Row) => string;
  columns: Column<Row>[];
  /** Routes that export the list as a file. */
  exportRoutes: ExportRoutes;
  /** The current filters of the list. */
  filter: Record<string, string | undefined>;
  /** Path of the page; the arrangement of columns is stored under it. */
  path: string;
  filters: ReactNode;
  isFiltered: boolean;
  onClear: () => void;
  /** Text when the list has no records at all. */
  empty: string;
  addLabel: string;
  onAdd: () => void;
  /** Actions in addition to export and add. */
  /** Other lists of the same page, as tabs in the title line. */
  tabs?: ReactNode;
  actions?: ReactNode;
  /** Above the filters. */
  facets?: ReactNode;
  /** Menu entries of a row; Delete is added. */
  itemsOf: (row: Row) => Items;
  /** Details pane of the selected row. */
  pane: (id: string, rows: Row[]) => ReactNode;
  /** All rows that match the filter, across all pages. */
  everyRow: () => Promise<Row[]>;
  /** Actions for the selected rows; Delete is added. `take` passes the rows to the action. */
  batch?: (take: (then: (rows: Row[]) => void) => void) => ReactNode;
  /** Replaces the table, such as by a map. */
  instead?: ReactNode;
  /** A dialog is open and handles the keys. */
  isBusy: boolean;
}

/** Invalidates all queries under the path of a list. */
export function useReload(list: Route): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(list.path) });
}

/** A list of records that users edit by forms: filters, selection, export, deletion. The page passes its special parts as props. */
export function RecordList<Row extends { id: string; isBuiltin?: boolean }>(props: RecordListProps<Row>) {
  const { title, purpose, routes, query, url, setUrl, nameOf, columns, filter } = props;
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const reload = useReload(routes.list);
  const rows = useMemo(() => query.data?.items ?? [], [query.data]);
  const selection = useSelection<Row>({ idOf: (row) => row.id, filter: JSON.stringify(filter), rows });
  const [removing, setRemoving] = useState<Row[]>();
  const isOpen = props.isBusy || removing !== undefined;
  useEffect(() => (isOpen ? undefined : stepThrough(rows, url.sel, (sel) => setUrl({ sel }))), [rows, url.sel, setUrl, isOpen]);

  const itemsOf = (row: Row): Items => [
    ...props.itemsOf(row),
    ...(may(routes.remove)
      ? [
          {
            key: 'delete',
            label: t('remove'),
            danger: true,
            disabled: row.isBuiltin ?? false,
            title: row.isBuiltin ? say(ERRORS.BUILT_IN_ENTRY) : '',
            icon: <Trash2 size={14} aria-hidden="true" />,
            onClick: () => setRemoving([row]),
          },
        ]
      : []),
  ];
  const isSelectable = may(routes.remove) || props.batch !== undefined;
  const all: Column<Row>[] = [
    ...columns,
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 46,
      cell: (row) => <RowActions label={t('actions', { name: nameOf(row) })} items={itemsOf(row)} />,
    },
  ];
  const view = useTableView(props.path, all);
  const take = useTake(selection, props.everyRow);
  const clear = (
    <Button type="link" onClick={props.onClear}>
      {t('clearFilters')}
    </Button>
  );
  const add = may(routes.create) ? (
    <Button type="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={props.onAdd}>
      {props.addLabel}
    </Button>
  ) : null;

  return (
    <ListPage
      title={title}
      purpose={purpose}
      actions={
        <>
          {props.tabs}
          <ExportButton
            routes={props.exportRoutes}
            filter={{ ...filter, sort: url.sort }}
            columns={view.columns}
            chosen={chosenIn(selection)}
          />
          {props.actions}
          {add}
        </>
      }
      pane={url.sel ? props.pane(url.sel, rows) : undefined}
    >
      <Panel flush className={styles['list']} label={title}>
        {props.facets}
        <FilterBar
          tools={
            <>
              <TableTools view={view} />
              <RefreshButton busy={query.isFetching} onRefresh={reload} />
            </>
          }
        >
          {props.filters}
          {props.isFiltered ? clear : null}
        </FilterBar>
        {props.instead ?? (
          <PanelState query={query} lines={14}>
            {(data) => (
              <>
                <DataTable<Row>
                  label={title}
                  columns={view.columns}
                  density={view.density}
                  selection={isSelectable ? selection : undefined}
                  rowName={nameOf}
                  rows={data.items}
                  rowKey={(row) => row.id}
                  selected={url.sel}
                  onSelect={(row) => setUrl({ sel: row.id === url.sel ? undefined : row.id })}
                  sort={url.sort}
                  onSort={(sort) => setUrl(refilter({ sort }))}
                  stale={query.isPlaceholderData}
                  empty={<Empty text={props.isFiltered ? t('noMatch') : props.empty} action={props.isFiltered ? clear : add} />}
                />
                <ListFooter
                  page={data}
                  updatedAt={props.updatedAt ?? query.dataUpdatedAt}
                  onPage={(page, size) => setUrl({ page, size })}
                  batch={
                    selection.isEmpty ? undefined : (
                      <SelectionBar selection={selection} total={data.total}>
                        {props.batch?.(take)}
                        {may(routes.remove) ? (
                          <Button size="small" danger icon={<Trash2 size={13} aria-hidden="true" />} onClick={() => take(setRemoving)}>
                            {t('remove')}
                          </Button>
                        ) : null}
                      </SelectionBar>
                    )
                  }
                />
              </>
            )}
          </PanelState>
        )}
      </Panel>
      {removing ? (
        <RemoveRecords
          route={routes.remove}
          records={removing.map((row) => ({ id: row.id, name: nameOf(row) }))}
          onClose={() => setRemoving(undefined)}
          onDone={(removed) => {
            setRemoving(undefined);
            selection.clear();
            if (url.sel !== undefined && removed.includes(url.sel)) setUrl({ sel: undefined });
            reload();
          }}
        />
      ) : null}
    </ListPage>
  );
}
