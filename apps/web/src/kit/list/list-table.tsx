import type { Route } from '@hes/contract/core/route.ts';
import type { KeyboardEvent, ReactNode } from 'react';
import { common } from '#core/i18n/common.messages.ts';
import { useSay } from '#core/i18n/use-messages.ts';
import { isShortcut } from '#core/keys/shortcuts.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { ListFooter, wholeList } from '#kit/page/list-page.tsx';
import { SelectionBar } from '#kit/table/selection.tsx';
import { refilter } from '#core/url/write-url.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { offersOf } from './action.ts';
import { BatchButton } from './batch-button.tsx';
import { ClearFilters } from './list-filters.tsx';
import type { RowOf } from './list-declaration.ts';
import { AddButton } from './add-button.tsx';
import type { ListState } from './use-list.ts';

/** Why a list has no rows, with the step that ends it. */
export function NoRows<R extends Route>({ list }: { list: ListState<R> }) {
  const say = useSay();
  const { empty, emptyHint, add } = list.declaration;
  const own = typeof emptyHint === 'function' ? emptyHint(list.tools) : emptyHint && say(emptyHint);
  const hint = own ?? (add !== undefined && !list.tools.may(add.right) ? say(common.noRightToAdd) : undefined);
  if (list.isFiltered) return <Empty text={say(common.noMatch)} action={<ClearFilters list={list} />} />;
  return <Empty text={say(empty)} hint={hint} action={<AddButton list={list} />} />;
}

/** The batch actions of a list for its selected rows. */
function BatchBar<R extends Route>({ list, total }: { list: ListState<R>; total: number }) {
  const actions = list.batch.filter(({ batch }) => !batch.isOnPage);
  return (
    <SelectionBar selection={list.selection} total={total}>
      {actions.map((action) => (
        <BatchButton key={action.key} list={list} action={action} isSmall />
      ))}
    </SelectionBar>
  );
}

/** Table and footer of a list, with its four states: loading, error, empty, rows. */
export function ListTable<R extends Route>({ list, empty }: { list: ListState<R>; empty?: ReactNode }) {
  const { declaration, query, rows, selection, tools, view, url, batch, idOf, tree, shown, show } = list;
  const { Pane, onRow, actions = [], isWhole = false } = declaration;
  const withKeys = actions.filter(({ shortcut }) => shortcut !== undefined);
  const onRowKey = (row: RowOf<R>, event: KeyboardEvent) => {
    const pressed = offersOf(withKeys, row, tools).find(({ action }) => action.shortcut && isShortcut(action.shortcut, event));
    if (pressed === undefined) return;
    event.preventDefault();
    // A key that is held down starts the action once: its next order would refer to the row as it was before.
    if (pressed.refusal === undefined && !event.repeat) list.act(pressed.action, [row]);
  };
  const title = tools.say(declaration.label ?? declaration.title);
  return (
    <PanelState query={query} lines={14}>
      {(data) => (
        <>
          <DataTable<RowOf<R>>
            label={title}
            columns={view.columns}
            density={view.density}
            selection={batch.length > 0 ? selection : undefined}
            rowName={(row) => declaration.rowName(row, tools)}
            rows={rows}
            rowKey={idOf}
            selected={shown}
            {...(Pane ? { onSelect: (row: RowOf<R>) => show(idOf(row) === url['sel'] ? undefined : idOf(row)) } : {})}
            {...(onRow && tools.may(onRow.right) ? { onSelect: (row: RowOf<R>) => list.act(onRow, [row]) } : {})}
            {...(tree ? { tree } : {})}
            {...(withKeys.length > 0 ? { onRowKey } : {})}
            sort={url['sort']}
            onSort={(sort) => list.setUrl(refilter({ sort }))}
            stale={query.isPlaceholderData}
            empty={empty ?? <NoRows list={list} />}
          />
          <ListFooter
            page={isWhole ? wholeList(rows) : data}
            updatedAt={list.updatedAt}
            {...(isWhole ? {} : { onPage: (page: string, size: string) => list.setUrl({ page, size }) })}
            batch={selection.isEmpty ? undefined : <BatchBar list={list} total={isWhole ? rows.length : data.total} />}
          />
        </>
      )}
    </PanelState>
  );
}
