import { supplier } from '@hes/contract/asset/supplier.ts';
import { id } from '@hes/contract/core/page.ts';
import { firmwareKey as routes, firmwareKeyBody, type FirmwareKeyRow } from '@hes/contract/upgrade/firmware.ts';
import { App, Button } from 'antd';
import { KeyRound, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useEveryRow } from '#shared/api/every-row.ts';
import { useApiMutation, useApiQuery } from '#shared/api/hooks.ts';
import { useMay } from '#shared/api/may.ts';
import { FormDrawer } from '#shared/form/form-drawer.tsx';
import { useForm } from '#shared/form/use-form.ts';
import { useModelName } from '#shared/i18n/model-name.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { ListFooter, ListPage, wholeList } from '#shared/table/list-page.tsx';
import { RowActions } from '#shared/table/row-actions.tsx';
import { dateTime } from '#shared/time/format.ts';
import { DangerDialog } from '#shared/ui/danger-dialog.tsx';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { CopyButton } from '#shared/ui/text.tsx';
import { RefreshButton } from '#shared/table/refresh-button.tsx';
import { formFields } from '#widgets/record-list/form-fields.tsx';
import { useReload } from '#widgets/record-list/record-list.tsx';
import { texts } from './messages.ts';
import styles from './upgrade.module.css';

const ICON = 14;
/** An empty key would delete the present one, which is a separate action. */
const KEY = firmwareKeyBody.extend({ supplierId: id, publicKey: firmwareKeyBody.shape.publicKey.min(1) });

/** Groups of eight characters, for comparing by voice. */
const grouped = (fingerprint: string): string => fingerprint.match(/.{1,8}/g)?.join(' ') ?? fingerprint;

interface KeyFormProps {
  row: FirmwareKeyRow | undefined;
  taken: ReadonlySet<string>;
  onDone: () => void;
  onClose: () => void;
}

function KeyForm({ row, taken, onDone, onClose }: KeyFormProps) {
  const t = useMessages(texts);
  const called = useModelName();
  const form = useForm({ supplierId: row?.supplierId ?? '', publicKey: '' });
  const suppliers = useEveryRow(supplier.list, {}, { enabled: row === undefined });
  const save = useApiMutation(routes.save, { success: onDone, failure: form.refuse });
  const labels = { supplierId: t('manufacturer'), publicKey: t('publicKey') };
  const field = formFields(form, labels);
  return (
    <FormDrawer
      record={`firmware-key/${row?.supplierId ?? 'new'}`}
      title={row ? t('replaceKeyOf', { name: called(row.supplierName) }) : t('addKey')}
      form={form}
      labels={labels}
      saving={save.isPending}
      onSave={() => {
        const body = form.check(KEY);
        if (body) save.mutate({ params: { id: body.supplierId }, body: { publicKey: body.publicKey } });
      }}
      onClose={onClose}
    >
      {row
        ? null
        : field.choice(
            'supplierId',
            (suppliers.data ?? []).filter((one) => !taken.has(one.id)).map((one) => ({ value: one.id, label: called(one.name) })),
            { required: true, wide: true },
          )}
      {field.text('publicKey', { required: true, wide: true, mono: true, rows: 8, help: t('publicKeyHelp') })}
    </FormDrawer>
  );
}

/** The suppliers whose firmware must be signed, and their public keys. */
export function KeysTab() {
  const t = useMessages(texts);
  const called = useModelName();
  const may = useMay();
  const { message } = App.useApp();
  const reload = useReload(routes.list);
  const query = useApiQuery(routes.list, {});
  const [asked, setAsked] = useState<{ kind: 'form' | 'take'; row: FirmwareKeyRow | undefined }>();
  const done = () => {
    setAsked(undefined);
    void message.success(t('saved'));
    reload();
  };
  const take = useApiMutation(routes.save, { success: done });
  const columns: Column<FirmwareKeyRow>[] = [
    { key: 'supplierName', title: t('manufacturer'), width: 220, cell: (row) => called(row.supplierName) },
    { key: 'algorithm', title: t('algorithm'), width: 160, cell: (row) => row.algorithm },
    {
      key: 'fingerprint',
      title: t('fingerprint'),
      mono: true,
      cell: (row) => (
        <span title={row.fingerprint}>
          {grouped(row.fingerprint)} <CopyButton text={row.fingerprint} />
        </span>
      ),
    },
    { key: 'updatedAt', title: t('updatedAt'), width: 170, cell: (row) => dateTime(row.updatedAt) },
    { key: 'updatedByName', title: t('updatedBy'), width: 140, cell: (row) => row.updatedByName ?? '—' },
    {
      key: 'actions',
      title: <span className="visually-hidden">{t('more')}</span>,
      width: 46,
      cell: (row) =>
        may(routes.save) ? (
          <RowActions
            label={t('actionsOf', { name: called(row.supplierName) })}
            items={[
              {
                key: 'replace',
                label: t('replaceKey'),
                icon: <KeyRound size={ICON} aria-hidden="true" />,
                onClick: () => setAsked({ kind: 'form', row }),
              },
              {
                key: 'take',
                label: t('takeKey'),
                danger: true,
                icon: <Trash2 size={ICON} aria-hidden="true" />,
                onClick: () => {
                  take.reset();
                  setAsked({ kind: 'take', row });
                },
              },
            ]}
          />
        ) : null,
    },
  ];
  const add = may(routes.save) ? (
    <Button type="primary" icon={<KeyRound size={15} aria-hidden="true" />} onClick={() => setAsked({ kind: 'form', row: undefined })}>
      {t('addKey')}
    </Button>
  ) : null;
  return (
    <>
      <ListPage
        title={t('keys')}
        purpose={t('keysPurpose')}
        actions={
          <>
            <RefreshButton busy={query.isFetching} onRefresh={reload} />
            {add}
          </>
        }
      >
        <Panel flush className={styles['list']} label={t('keys')}>
          <PanelState query={query} lines={6}>
            {(data) => (
              <>
                <DataTable<FirmwareKeyRow>
                  label={t('keys')}
                  columns={columns}
                  rows={data.items}
                  rowKey={(row) => row.supplierId}
                  rowName={(row) => called(row.supplierName)}
                  empty={<Empty text={t('noKeys')} hint={t('keysPurpose')} action={add} />}
                />
                <ListFooter page={wholeList(data.items)} updatedAt={query.dataUpdatedAt} />
              </>
            )}
          </PanelState>
        </Panel>
      </ListPage>
      {asked?.kind === 'form' ? (
        <KeyForm
          row={asked.row}
          taken={new Set(query.data?.items.map((row) => row.supplierId))}
          onDone={done}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
      {asked?.kind === 'take' && asked.row ? (
        <DangerDialog
          title={t('takeKeyOf', { name: called(asked.row.supplierName) })}
          effect={t('takeKeyHint')}
          action={t('takeKey')}
          about={`${asked.row.algorithm} ${asked.row.fingerprint.slice(0, 16)}…`}
          busy={take.isPending}
          failure={take.error?.message}
          onConfirm={() => asked.row && take.mutate({ params: { id: asked.row.supplierId }, body: { publicKey: '' } })}
          onClose={() => setAsked(undefined)}
        />
      ) : null}
    </>
  );
}
