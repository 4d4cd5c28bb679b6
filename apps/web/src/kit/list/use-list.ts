import type { QueryOf, ResponseOf, Route } from '@hes/contract/core/route.ts';
import type { Text } from '@hes/contract/core/text.ts';
import type { UseQueryResult } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { everyRow } from '#core/api/every-row.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay, useMe } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useReload } from '#core/api/use-reload.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { useTopics } from '#core/live/live.ts';
import { usePreferences } from '#core/theme/preferences.ts';
import type { Column } from '#kit/table/data-table.tsx';
import { useSelection, type Selection } from '#kit/table/selection.tsx';
import { useRowSteps } from '#core/keys/use-row-steps.ts';
import { useTableView, type TableView } from '#kit/table/table-view.ts';
import { refilter } from '#core/url/write-url.ts';
import { useTake, type Take } from '#kit/table/use-take.ts';
import { chosenWord, facetKeys } from './facet-words.ts';
import { isOffered, type Action, type OpenDialog } from './action.ts';
import { actionColumn, buttonColumn, hiddenTitle } from './row-menu.tsx';
import { useListUrl } from './use-list-url.ts';
import { useAct, type Send, type Start } from './use-act.tsx';
import { useShownRow } from './use-shown-row.ts';
import type { UrlWords } from './filters.tsx';
import type { FacetCounts, ListColumn, ListDeclaration, RowOf } from './list-declaration.ts';
import type { ListTools } from './list-parts.ts';
import { treeColumn, useListTree, type ListTree } from './list-tree.tsx';

interface Paged<Row> {
  items: Row[];
  total: number;
  totalIsExact: boolean;
  page: number;
  size: number;
}

/** A page of rows, with the other fields of the response. */
type Answer<R extends Route> = Paged<RowOf<R>> & Omit<ResponseOf<R>, keyof Paged<RowOf<R>>>;

/** State of a list page: address, rows, selection, arrangement and open dialog. */
export interface ListState<R extends Route> {
  declaration: ListDeclaration<R>;
  tools: ListTools;
  url: UrlWords;
  setUrl: (change: UrlWords) => void;
  /** Changes filters or sort order and returns to the first page. */
  filterBy: (change: UrlWords) => void;
  isFiltered: boolean;
  /** Why the list cannot be read with these filters. */
  fault: Text | undefined;
  /** Removes all filters, with another change of the address. */
  clearFilters: (change?: UrlWords) => void;
  /** The query of all filters, without page, size and sort. */
  filter: Partial<QueryOf<R>>;
  /** The same without the facet, which the counts of the facets are limited to. */
  filterOfCounts: Partial<QueryOf<R>>;
  counts: FacetCounts;
  /** The filters as words of a query string, for exports. */
  filterWords: Record<string, FilterWord>;
  query: UseQueryResult<Answer<R>>;
  /** Time of the oldest response shown: rows and counts. */
  updatedAt: number;
  rows: RowOf<R>[];
  /** The row whose details are open. */
  shown: string | undefined;
  show: (id: string | undefined) => void;
  tree: ListTree<RowOf<R>> | undefined;
  idOf: (row: RowOf<R>) => string;
  selection: Selection<RowOf<R>>;
  /** Actions that the user may apply to several rows. */
  batch: readonly BatchAction<RowOf<R>>[];
  take: Take<RowOf<R>>;
  view: TableView<RowOf<R>>;
  dialog: OpenDialog<RowOf<R>> | undefined;
  open: (dialog: OpenDialog<RowOf<R>> | undefined) => void;
  reload: () => void;
  /** After a change: closes the dialog, clears the selection, closes the pane of a row that is gone, and reads the list again. */
  changed: (gone?: readonly string[]) => void;
  /** Starts an action on rows. */
  act: (action: Action<RowOf<R>>, rows: readonly RowOf<R>[]) => void;
  send: Send<RowOf<R>>;
  start: Start<RowOf<R>>;
  /** Starts a batch action on the selected rows. */
  actOnSelected: (action: Action<RowOf<R>>, rows: readonly RowOf<R>[]) => void;
}

/** Binds the cells of declared columns to the language and the rights of the user. */
const columnsOf = <Row>(columns: readonly ListColumn<Row>[], tools: ListTools): Column<Row>[] =>
  columns.map(({ title, hint, cell, words, buttons: _buttons, inFiles: _, isShown: _isShown, hasHiddenTitle = false, ...column }) => ({
    ...column,
    title: hasHiddenTitle ? hiddenTitle(tools.say(title)) : tools.say(title),
    ...(hint ? { hint: tools.say(hint) } : {}),
    ...(cell ? { cell: (row: Row) => cell(row, tools) } : {}),
    ...(words ? { words: (row: Row) => words(row, tools) } : {}),
  }));

function useTools(): ListTools {
  const say = useSay();
  const may = useMay();
  const { data: me } = useMe();
  const locale = usePreferences((state) => state.locale);
  return useMemo(() => ({ say, locale, may, me, siblingsOf: noSiblings }), [say, locale, may, me]);
}

/** Declared columns, which must be a module constant, for a table that is not a list. */
export function useDeclaredColumns<Row>(columns: readonly ListColumn<Row>[]): Column<Row>[] {
  const tools = useTools();
  return useMemo(() => columnsOf(columns, tools), [columns, tools]);
}

type FilterWord = string | number | boolean | readonly string[] | undefined;
export type BatchAction<Row> = Action<Row> & { batch: NonNullable<Action<Row>['batch']> };

const isBatch = <Row>(action: Action<Row>): action is BatchAction<Row> => action.batch !== undefined;

/** Rows are selectable when some action may be applied to several of them. */
const batchActions = <Row>(actions: readonly Action<Row>[] | undefined, may: ListTools['may']): readonly BatchAction<Row>[] =>
  (actions ?? []).filter(isBatch).filter((action) => may(action.right));

/** The filters in the address. The declaration must be a module constant. */
function useFilters<R extends Route>({ filters, facets, sort, size = '20' }: ListDeclaration<R>) {
  const [keys, scopes] = useMemo(() => {
    const keysOf = (isScope: boolean) => filters.filter((filter) => (filter.isScope ?? false) === isScope).flatMap((filter) => filter.keys);
    return [[...keysOf(false), ...(facets ? facetKeys(facets) : [])], keysOf(true)];
  }, [filters, facets]);
  const defaults = useMemo(() => {
    const none = Object.fromEntries([...keys, ...scopes].map((key) => [key, undefined]));
    return { ...none, page: '1', size, sort, sel: undefined } as Record<string, string | undefined>;
  }, [keys, scopes, size, sort]);
  const [url, setUrl] = useListUrl(defaults);
  const filterOfCounts = useMemo(
    () => Object.assign({}, ...filters.map((filter) => filter.toQuery(url))) as Partial<QueryOf<R>>, // as: each filter gives parts of the query
    [filters, url],
  );
  const word = facets && chosenWord(facets, url);
  const filter = useMemo(
    () => (facets === undefined || word === undefined ? filterOfCounts : { ...filterOfCounts, ...facets.toQuery(word) }),
    [facets, filterOfCounts, word],
  );
  return { url, setUrl, keys, scopes, filter, filterOfCounts };
}

/** State and operations of a declared list. */
export function useList<R extends Route>(declaration: ListDeclaration<R>): ListState<R> {
  type Row = RowOf<R>;
  const {
    route,
    path,
    at,
    filters,
    actions,
    refetchMs = false,
    isAwaited,
    topics = NO_TOPICS,
    reloads = route.path,
    isWhole = false,
    isEveryRowSelectable = false,
    rowId: idOf = ownId,
    opensFirst = false,
  } = declaration;
  const common = useTools();
  useTopics(topics);
  const { url, setUrl, keys, scopes, filter, filterOfCounts } = useFilters(declaration);
  const [dialog, open] = useState<OpenDialog<Row>>();
  const fault = filters.map((one) => one.fault?.(url)).find((one) => one !== undefined);
  const paged = { ...filter, page: url['page'], size: url['size'], sort: url['sort'] } as QueryOf<R>; // as: every paged list takes these three
  const asked = isWhole ? (filter as QueryOf<R>) : paged; // as: a whole list has filters only
  const query = useApiQuery(route, {
    query: asked,
    keep: scopes as (keyof QueryOf<R> & string)[],
    refetchMs: isAwaited ? (data) => ((data as Answer<R> | undefined)?.items.some(isAwaited) ? refetchMs : false) : refetchMs, // as: as below
    enabled: fault === undefined,
  }) as unknown as UseQueryResult<Answer<R>>; // as: declared lists are paged, and scopes are parts of the query
  const { useCounts = useNoCounts } = declaration.facets ?? {};
  const counts = useCounts(filterOfCounts);
  const updatedAt = useOneMoment(query, ...counts.queries);
  const isFiltered = keys.some((key) => url[key] !== undefined);
  const items = useMemo(() => query.data?.items ?? [], [query.data]);
  const tree = useListTree<Row>({ declared: declaration.tree, items, idOf, url, isFiltered });
  const rows = tree?.rows ?? items;
  const tools = useMemo(() => (tree ? { ...common, siblingsOf: tree.siblingsOf } : common), [common, tree]);
  const batch = useMemo(() => batchActions(actions, tools.may), [actions, tools]);
  const mayChoose = useCallback(
    (row: Row) => isEveryRowSelectable || batch.some((action) => isOffered(action, row, tools)),
    [isEveryRowSelectable, batch, tools],
  );
  const selection = useSelection<Row>({ idOf, filter: JSON.stringify(filter), mayChoose, rows });
  const take = useTake<Row>(selection, (most) => everyRow(route, filter as QueryOf<R>, most) as unknown as Promise<Row[]>); // as: the rows of that list
  const sel = url['sel'];
  const reload = useReload({ path: reloads });
  const changed = (gone: readonly string[] = []) => {
    open(undefined);
    selection.clear();
    if (sel !== undefined && gone.includes(sel)) setUrl({ sel: undefined });
    reload();
  };
  const { act, actOnSelected, send, start } = useAct<Row>({ tools, idOf, rowName: declaration.rowName, open, setUrl, onDone: changed });
  const hidden = declaration.columns.flatMap(({ key, isShown }) => (isShown?.(url) === false ? [key] : [])).join(' ');
  const all = useMemo(() => {
    const parts = { tools, rowName: declaration.rowName, act };
    const declared = declaration.columns.filter(({ key }) => !hidden.split(' ').includes(key));
    const columns = columnsOf<Row>(declared, tools).map((column, at) => {
      const { buttons } = declared[at] ?? {};
      if (tree && at === 0) return treeColumn(column, tree, parts);
      return buttons ? buttonColumn(column, { ...parts, actions: buttons }) : column;
    });
    return actions === undefined ? columns : [...columns, actionColumn({ ...parts, actions })];
  }, [declaration, actions, tools, tree, act, hidden]);
  const view = useTableView(at === undefined ? path : `${path}?${new URLSearchParams(at)}`, all);
  const ids = rows.map(idOf);
  const { shown, show } = useShownRow(sel, (next) => setUrl({ sel: next }), { ids, opensFirst });
  useRowSteps({ ids, selected: shown, select: show, isOff: dialog !== undefined });
  return {
    declaration,
    tools,
    url,
    setUrl,
    filterBy: (change) => setUrl(refilter(change)),
    isFiltered,
    fault,
    clearFilters: (change = {}) => setUrl(refilter({ ...Object.fromEntries(keys.map((key) => [key, undefined])), ...change })),
    filter,
    filterOfCounts,
    counts,
    filterWords: filter as Record<string, FilterWord>, // as: parts of a query string
    query,
    updatedAt,
    rows,
    shown,
    show,
    tree,
    idOf,
    selection,
    batch,
    take,
    view,
    dialog,
    open,
    reload,
    changed,
    act,
    send,
    start,
    actOnSelected,
  };
}

const NO_COUNTS: FacetCounts = { total: undefined, counts: {}, queries: [] };
const useNoCounts = (): FacetCounts => NO_COUNTS;
const ownId = (row: unknown): string => (row as { id: string }).id; // as: `defineList` demands `rowId` of other rows
const noSiblings = (): readonly string[] => [];
const NO_TOPICS: readonly string[] = [];
