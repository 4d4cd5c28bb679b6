import { user as users, type UserRow } from '@hes/contract/manager/user.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { userExport, userImport } from '@hes/contract/transfer/lists.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button, Select } from 'antd';
import { Lock, Plus, ScrollText } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { everyRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay, useMe } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#shared/table/selection.tsx';
import { useTake } from '#shared/table/use-take.ts';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { stepThrough } from '#shared/table/step-through.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { FacetStrip } from '#widgets/facet-strip/facet-strip.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { ImportButton } from '#widgets/import-drawer/import-drawer.tsx';
import { USER, USER_ORDER, type UserState } from '#widgets/state-of/tables.ts';
import { columnsOf } from './columns.tsx';
import { DetailPane } from './detail-pane.tsx';
import { Dialogs } from './dialogs.tsx';
import { STATE_FILTER, texts } from './texts.ts';
import type { UserDialog } from './user-actions.tsx';
import styles from './user.module.css';

const DEFAULTS = {
  page: '1',
  size: '20',
  sort: 'username,asc',
  username: undefined,
  name: undefined,
  role: undefined,
  factor: undefined,
  state: undefined,
  sel: undefined,
};
const NO_FILTERS = { username: undefined, name: undefined, role: undefined, factor: undefined, state: undefined };
const FLAGS = ['true', 'false'] as const;
const POLL_MS = 60_000;

const isState = (word: string | undefined): word is UserState => USER_ORDER.some((state) => state === word);

function useFacets(filters: {
  username: string | undefined;
  name: string | undefined;
  roleId: string | undefined;
  hasSecondFactor: 'true' | 'false' | undefined;
}) {
  const count = (state?: UserState) => ({
    query: { ...filters, ...(state ? STATE_FILTER[state] : {}), size: 1 },
    keep: true,
    refetchMs: POLL_MS,
  });
  const all = useApiQuery(users.list, count());
  const active = useApiQuery(users.list, count('active'));
  const locked = useApiQuery(users.list, count('locked'));
  const mustChange = useApiQuery(users.list, count('must_change'));
  return { all: all.data?.total, counts: { active: active.data?.total, locked: locked.data?.total, must_change: mustChange.data?.total } };
}

export default function UserManagement() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const me = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const { message } = App.useApp();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<UserDialog>();
  const [toLock, setToLock] = useState<UserRow[]>([]);

  const state = isState(url.state) ? url.state : undefined;
  const hasSecondFactor = FLAGS.find((flag) => flag === url.factor);
  const text = { username: url.username, name: url.name, roleId: url.role, hasSecondFactor };
  const filters = { ...text, ...(state ? STATE_FILTER[state] : {}) };
  const list = useApiQuery(users.list, {
    query: { ...filters, page: url.page, size: url.size, sort: url.sort },
    keep: true,
    refetchMs: POLL_MS,
  });
  const facets = useFacets(text);
  const roles = useApiQuery(users.roles);
  const rows = useMemo(() => list.data?.items ?? [], [list.data]);
  const myId = me.data?.id;
  const selection = useSelection<UserRow>({
    idOf: (row) => row.id,
    filter: JSON.stringify(filters),
    mayChoose: (row) => row.id !== myId,
    rows,
  });
  const take = useTake(selection, (most) => everyRow(users.list, filters, most));
  const all = useMemo(() => columnsOf({ t, say, myId, onDialog: setDialog }), [t, say, myId]);
  const view = useTableView('/system/system-management/user-management', all);
  useEffect(() => (dialog ? undefined : stepThrough(rows, url.sel, (sel) => setUrl({ sel }))), [rows, url.sel, setUrl, dialog]);

  const reload = () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(users.list.path) });
  const unlock = useApiMutation(users.lock, {
    success: () => {
      void message.success(t('unlocked'));
      reload();
    },
    failure: (error) => void message.error(error.message, 0),
  });
  const open = (next: UserDialog) => {
    if (next.kind === 'unlock') unlock.mutate({ params: { id: next.user.id }, body: { lock: false } });
    else setDialog(next);
  };
  const lockChosen = (found: UserRow[]) => {
    setToLock(found.filter((row) => !row.lock));
    setDialog({ kind: 'lock-many' });
  };
  const isFiltered = [url.username, url.name, url.role, url.factor, url.state].some((value) => value !== undefined);
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter(NO_FILTERS))}>
      {t('clearFilters')}
    </Button>
  );

  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          <Button icon={<ScrollText size={15} aria-hidden="true" />} onClick={() => void navigate('/system/system-management/audit')}>
            {t('auditLog')}
          </Button>
          <ExportButton routes={userExport} filter={{ ...filters, sort: url.sort }} columns={view.columns} chosen={chosenIn(selection)} />
          <ImportButton routes={userImport} what={t('users')} onImported={reload} />
          {may(users.create) ? (
            <Button type="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'add' })}>
              {t('add')}
            </Button>
          ) : null}
        </>
      }
      pane={
        url.sel ? (
          <DetailPane key={url.sel} id={url.sel} rows={rows} myId={myId} onSelect={(sel) => setUrl({ sel })} onDialog={open} />
        ) : undefined
      }
    >
      <Panel flush className={styles['list']} label={t('title')}>
        <FacetStrip
          label={t('state')}
          all={t('allUsers')}
          total={facets.all}
          facets={USER_ORDER.map((key) => ({ key, sign: USER[key], count: facets.counts[key] }))}
          selected={state}
          onSelect={(value) => setUrl(refilter({ state: value }))}
        />
        <FilterBar
          tools={
            <>
              <TableTools view={view} />
              <RefreshButton busy={list.isFetching} onRefresh={reload} />
            </>
          }
        >
          <TextFilter label={t('username')} value={url.username} onChange={(username) => setUrl(refilter({ username }))} />
          <TextFilter label={t('name')} value={url.name} onChange={(name) => setUrl(refilter({ name }))} />
          <Select
            allowClear
            className={styles['select'] ?? ''}
            placeholder={t('role')}
            aria-label={t('role')}
            value={url.role}
            options={(roles.data?.items ?? []).map((role) => ({ value: role.id, label: say(roleName(role)) }))}
            onChange={(role) => setUrl(refilter({ role }))}
          />
          <Select
            allowClear
            className={styles['select'] ?? ''}
            placeholder={t('secondFactor')}
            aria-label={t('secondFactor')}
            value={hasSecondFactor}
            options={[
              { value: 'true', label: t('withFactor') },
              { value: 'false', label: t('withoutFactor') },
            ]}
            onChange={(factor) => setUrl(refilter({ factor }))}
          />
          {isFiltered ? clear : null}
        </FilterBar>
        <PanelState query={list} lines={14}>
          {(data) => (
            <>
              <DataTable<UserRow>
                label={t('title')}
                columns={view.columns}
                density={view.density}
                selection={may(users.lock) ? selection : undefined}
                rowName={(row) => row.username}
                rows={data.items}
                rowKey={(row) => row.id}
                selected={url.sel}
                onSelect={(row) => setUrl({ sel: row.id === url.sel ? undefined : row.id })}
                sort={url.sort}
                onSort={(sort) => setUrl(refilter({ sort }))}
                stale={list.isPlaceholderData}
                empty={<Empty text={t('noUsers')} action={clear} />}
              />
              <ListFooter
                page={data}
                updatedAt={list.dataUpdatedAt}
                onPage={(page, size) => setUrl({ page, size })}
                batch={
                  selection.isEmpty ? undefined : (
                    <SelectionBar selection={selection} total={data.total}>
                      <Button size="small" icon={<Lock size={13} aria-hidden="true" />} onClick={() => take(lockChosen)}>
                        {t('lock')}
                      </Button>
                    </SelectionBar>
                  )
                }
              />
            </>
          )}
        </PanelState>
      </Panel>
      <Dialogs
        dialog={dialog}
        chosen={toLock}
        onClose={() => setDialog(undefined)}
        onChanged={(removed) => {
          setDialog(undefined);
          selection.clear();
          if (removed !== undefined && removed === url.sel) setUrl({ sel: undefined });
          reload();
        }}
      />
    </ListPage>
  );
}
