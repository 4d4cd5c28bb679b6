import { RULES } from '@hes/contract/core/rules.ts';
import { role as roles, type RoleRow } from '@hes/contract/manager/role.ts';
import { roleName } from '@hes/contract/text/roles.ts';
import { roleExport } from '@hes/contract/transfer/lists.ts';
import { useQueryClient } from '@tanstack/react-query';
import { App, Button } from 'antd';
import { Download, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { failureText } from '#shared/api/errors.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter, ListPage } from '#shared/table/list-page.tsx';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { TextFilter } from '#shared/table/text-filter.tsx';
import { refilter, useUrlState } from '#shared/table/url-state.ts';
import { DangerDialog } from '#shared/ui/danger-dialog.tsx';
import { downloadCsv } from '#shared/ui/download-csv.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { columnsOf, type RoleDialog } from './columns.tsx';
import { roleMatrix } from './export-matrix.ts';
import { PermissionDrawer } from './permission-drawer.tsx';
import { RoleForm } from './role-form.tsx';
import { texts } from './texts.ts';
import styles from './role.module.css';

const DEFAULTS = { page: '1', size: '20', sort: 'code,asc', code: undefined, name: undefined };

interface DialogsProps {
  dialog: RoleDialog | undefined;
  onDialog: (dialog: RoleDialog | undefined) => void;
  onChanged: () => void;
}

function Dialogs({ dialog, onDialog, onChanged }: DialogsProps) {
  const t = useMessages(texts);
  const say = useSay();
  const { message } = App.useApp();
  const remove = useApiMutation(roles.remove, {
    success: () => {
      void message.success(t('removed'));
      onDialog(undefined);
      onChanged();
    },
  });
  const seal = useApiMutation(roles.seal, {
    success: () => {
      void message.success(t('sealed'));
      onDialog(undefined);
      onChanged();
    },
  });
  const close = () => {
    seal.reset();
    remove.reset();
    onDialog(undefined);
  };
  if (!dialog) return null;
  if (dialog.kind === 'add' || dialog.kind === 'edit')
    return (
      <RoleForm
        role={dialog.kind === 'edit' ? dialog.role : undefined}
        onDone={(role) => {
          void message.success(t('saved'));
          // A new role has no permissions: open them next.
          onDialog(dialog.kind === 'add' ? { kind: 'permissions', role } : undefined);
          onChanged();
        }}
        onClose={close}
      />
    );
  if (dialog.kind === 'permissions')
    return (
      <PermissionDrawer
        role={dialog.role}
        onDone={() => {
          onDialog(undefined);
          onChanged();
        }}
        onClose={close}
      />
    );
  if (dialog.kind === 'seal')
    return (
      <DangerDialog
        title={t('sealTitle', { name: say(roleName(dialog.role)) })}
        effect={t('sealEffect')}
        action={t('seal')}
        about={dialog.role.code}
        reason={{ label: t('sealReason'), max: 128, missing: say(RULES.reason) }}
        busy={seal.isPending}
        failure={seal.error?.message}
        onConfirm={(reason) => seal.mutate({ params: { id: dialog.role.id }, body: { reason } })}
        onClose={close}
      />
    );
  return (
    <DangerDialog
      title={t('removeTitle')}
      effect={t('removeEffect')}
      action={t('removeRole')}
      about={`${dialog.role.code} · ${say(roleName(dialog.role))}`}
      busy={remove.isPending}
      failure={remove.error?.message}
      onConfirm={() => remove.mutate({ params: { id: dialog.role.id } })}
      onClose={close}
    />
  );
}

export default function RoleManagement() {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const client = useQueryClient();
  const { message } = App.useApp();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<RoleDialog>();
  const filters = { code: url.code, name: url.name };
  const list = useApiQuery(roles.list, { query: { ...filters, page: url.page, size: url.size, sort: url.sort }, keep: true });
  const all = useMemo(() => columnsOf(t, say, setDialog), [t, say]);
  const view = useTableView('/system/system-management/role-management', all);
  const reload = () => void client.invalidateQueries({ predicate: ({ queryKey: [path] }) => String(path).startsWith(roles.list.path) });
  const saveMatrix = async () => {
    try {
      downloadCsv('roles', await roleMatrix(t, say, { ...filters, sort: url.sort }));
    } catch (error) {
      void message.error(failureText(error), 0);
    }
  };
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter({ code: undefined, name: undefined }))}>
      {t('clearFilters')}
    </Button>
  );
  return (
    <ListPage
      title={t('title')}
      purpose={t('purpose')}
      actions={
        <>
          <ExportButton routes={roleExport} filter={{ ...filters, sort: url.sort }} columns={view.columns} />
          {may(roles.permission) ? (
            <Button icon={<Download size={15} aria-hidden="true" />} onClick={() => void saveMatrix()}>
              {t('matrixCsv')}
            </Button>
          ) : null}
          {may(roles.create) ? (
            <Button type="primary" icon={<Plus size={15} aria-hidden="true" />} onClick={() => setDialog({ kind: 'add' })}>
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
              <TableTools view={view} />
              <RefreshButton busy={list.isFetching} onRefresh={reload} />
            </>
          }
        >
          <TextFilter label={t('code')} value={url.code} onChange={(code) => setUrl(refilter({ code }))} />
          <TextFilter label={t('name')} value={url.name} onChange={(name) => setUrl(refilter({ name }))} />
          {(url.code ?? url.name) ? clear : null}
        </FilterBar>
        <PanelState query={list} lines={12}>
          {(data) => (
            <>
              <DataTable<RoleRow>
                label={t('title')}
                columns={view.columns}
                density={view.density}
                rows={data.items}
                rowKey={(row) => row.id}
                onSelect={(role) => setDialog({ kind: 'permissions', role })}
                sort={url.sort}
                onSort={(sort) => setUrl(refilter({ sort }))}
                stale={list.isPlaceholderData}
                empty={<Empty text={t('noRoles')} action={clear} />}
              />
              <ListFooter page={data} updatedAt={list.dataUpdatedAt} onPage={(page, size) => setUrl({ page, size })} />
            </>
          )}
        </PanelState>
      </Panel>
      <Dialogs dialog={dialog} onDialog={setDialog} onChanged={reload} />
    </ListPage>
  );
}
