import { ACTION_TEXT } from '@hes/contract/core/action-text.ts';
import { module as routes, type ModuleRow } from '@hes/contract/manager/module.ts';
import { to } from '@hes/contract/page/links.ts';
import { App, Button, Select } from 'antd';
import { ChevronsDownUp, ChevronsUpDown, Download, Plus, SlidersHorizontal } from 'lucide-react';
import { useMemo, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useReload } from '#core/api/use-reload.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { FilterBar, ListPage } from '#kit/page/list-page.tsx';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { useUrlState } from '#core/url/url-state.ts';
import { downloadCsv } from '#core/files/download-csv.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { columnsOf, type ModuleDialog } from './columns.tsx';
import { Dialogs } from './dialogs.tsx';
import { MenuFile } from './menu-file.tsx';
import { texts } from './texts.ts';
import { stepOf, treeRows, type Place, type TreeRow } from './tree-rows.ts';
import styles from './module.module.css';

const DEFAULTS = { search: undefined, visible: undefined };
const NOTHING: ReadonlySet<string> = new Set();
const NO_ROWS: ModuleRow[] = [];

/** A predicate for the filters of the address; undefined without filters. */
function wantedBy(search: string | undefined, visible: string | undefined): ((module: ModuleRow) => boolean) | undefined {
  if (search === undefined && visible === undefined) return undefined;
  const word = search?.toLowerCase() ?? '';
  return (module) =>
    `${module.nameEn} ${module.nameZh} ${module.path}`.toLowerCase().includes(word) &&
    (visible === undefined || module.visible === (visible === 'true'));
}

export default function ModuleManagement() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [closed, setClosed] = useState(NOTHING);
  const [dialog, setDialog] = useState<ModuleDialog>();
  const list = useApiQuery(routes.list);
  const modules = list.data?.items ?? NO_ROWS;
  const reload = useReload(routes.list);
  const order = useApiMutation(routes.move, { success: reload, failure: (error) => void message.error(error.message, 0) });

  const rows = useMemo(() => treeRows(modules, closed, wantedBy(url.search, url.visible)), [modules, closed, url]);
  const mayMove = may(routes.move);
  const toggle = (id: string) =>
    setClosed((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const move = (module: ModuleRow, place: Place | undefined) => {
    if (place && !order.isPending) order.mutate({ params: { id: module.id }, body: { ...place, version: module.version } });
  };
  const step = (module: ModuleRow, by: -1 | 1) => move(module, stepOf(modules, module.id, by));
  const columns = columnsOf(t, say, mayMove, { onToggle: toggle, onStep: step, onDialog: setDialog });

  const tree = {
    levelOf: ({ depth }: TreeRow) => depth + 1,
    isOpen: ({ hasChildren, isOpen }: TreeRow) => (hasChildren ? isOpen : undefined),
    onToggle: ({ module }: TreeRow) => toggle(module.id),
  };
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const id = event.target instanceof HTMLTableRowElement ? event.target.dataset['row'] : undefined;
    const row = rows.find(({ module }) => module.id === id);
    if (!row) return;
    if (event.altKey && mayMove && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      // Prevents the table from moving to the next row.
      event.preventDefault();
      event.stopPropagation();
      step(row.module, event.key === 'ArrowUp' ? -1 : 1);
    }
  };
  const exportAll = () =>
    downloadCsv('modules', [
      [t('nameEn'), t('nameZh'), t('path'), t('icon'), t('type'), t('actionCodes'), t('visible'), t('protection'), t('sort')],
      ...rows.map(({ module }) => [
        module.nameEn,
        module.nameZh,
        module.path,
        module.icon,
        t(module.type),
        module.actions.map((action) => say(ACTION_TEXT[action])).join(', '),
        t(module.visible ? 'shown' : 'hidden'),
        module.isFixed ? t('fixed') : null,
        module.sort,
      ]),
    ]);
  const groups = modules.filter((module) => module.type === 'group');
  const clear = (
    <Button type="link" onClick={() => setUrl({ search: undefined, visible: undefined })}>
      {t('clearFilters')}
    </Button>
  );

  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          <Button icon={<SlidersHorizontal size={15} aria-hidden="true" />} onClick={() => void navigate(to.settings())}>
            {t('settings')}
          </Button>
          <Button icon={<Download size={15} aria-hidden="true" />} onClick={exportAll}>
            {t('exportCsv')}
          </Button>
          <MenuFile onChanged={reload} />
          {may(routes.create) ? (
            <Button type="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'add', parentId: null })}>
              {t('add')}
            </Button>
          ) : null}
        </>
      }
    >
      <Panel flush className={styles['list']} label={t('title')}>
        <FilterBar
          tools={
            <>
              <Button type="text" icon={<ChevronsUpDown size={15} aria-hidden="true" />} onClick={() => setClosed(NOTHING)}>
                {t('expandAll')}
              </Button>
              <Button
                type="text"
                icon={<ChevronsDownUp size={15} aria-hidden="true" />}
                onClick={() => setClosed(new Set(groups.map((group) => group.id)))}
              >
                {t('collapseAll')}
              </Button>
              <RefreshButton busy={list.isFetching} onRefresh={reload} />
            </>
          }
        >
          <TextFilter label={t('searchHint')} value={url.search} onChange={(search) => setUrl({ search })} width={260} />
          <Select
            allowClear
            className={styles['select'] ?? ''}
            placeholder={t('visible')}
            aria-label={t('visible')}
            value={url.visible}
            options={[
              { value: 'true', label: t('shown') },
              { value: 'false', label: t('hidden') },
            ]}
            onChange={(visible) => setUrl({ visible })}
          />
          {(url.search ?? url.visible) ? clear : null}
        </FilterBar>
        <PanelState query={list} lines={14}>
          {() => (
            <>
              <div className={styles['tableBox']} role="presentation" onKeyDownCapture={onKeyDown}>
                <DataTable<TreeRow>
                  label={t('title')}
                  columns={columns}
                  rows={rows}
                  rowKey={(row) => row.module.id}
                  onSelect={(row) => (may(routes.update) ? setDialog({ kind: 'edit', module: row.module }) : undefined)}
                  tree={tree}
                  stale={order.isPending}
                  empty={<Empty text={t('noModules')} action={clear} />}
                />
              </div>
              <footer className={styles['footer']}>
                <span>{t('count', { groups: groups.length, pages: modules.length - groups.length })}</span>
                {mayMove ? <span>{t('keysHint')}</span> : null}
              </footer>
            </>
          )}
        </PanelState>
      </Panel>
      <Dialogs dialog={dialog} modules={modules} onClose={() => setDialog(undefined)} onChanged={reload} />
    </ListPage>
  );
}
