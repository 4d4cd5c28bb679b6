import { archive, type ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { meter, type AssetRow } from '@hes/contract/asset/meter.ts';
import { recordedPhase } from '@hes/contract/states/device.ts';
import { Alert, App, Checkbox, Modal, Pagination, Select } from 'antd';
import { useMemo, useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useReload } from '#core/api/use-reload.ts';
import { Model } from '#domain/models/model.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { useSelection } from '#kit/table/selection.tsx';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { INVENTORY } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import styles from './archives.module.css';

const WIDTH = 860;
const PAGE_SIZE = 50;

/** Binds meters of the inventory to a DCU; meters that are already bound cannot be chosen. */
export function BindDialog({ summary, onDone, onClose }: { summary: ArchiveSummary; onDone: () => void; onClose: () => void }) {
  const t = useMessages(texts);
  const { message } = App.useApp();
  const reload = useReload(archive.list);
  const [search, setSearch] = useState<string>();
  const [onlyUnbound, setOnlyUnbound] = useState(true);
  const [page, setPage] = useState(1);
  const [phase, setPhase] = useState<string>();
  /** The refusal of one selection; any other selection clears it. */
  const [refused, setRefused] = useState<{ of: ReadonlyMap<string, AssetRow>; text: string }>();
  const query = useApiQuery(meter.assets, {
    query: { search, page, size: PAGE_SIZE, ...(onlyUnbound ? { bound: 'false' as const } : {}) },
    keep: true,
  });
  const rows = useMemo(() => query.data?.items ?? [], [query.data]);
  // Rows stay selected from one search to the next.
  const selection = useSelection<AssetRow>({ idOf: (row) => row.id, filter: summary.dcuId, rows });
  const { chosen } = selection;
  const refuse = (text: string) => setRefused({ of: chosen, text });
  const refusal = refused?.of === chosen ? refused.text : undefined;
  const order = useApiMutation(archive.bind, {
    success: ({ items }) => {
      void message.success(t('bound', { count: items.length }));
      reload();
      onDone();
    },
    failure: (error) => refuse(error.message),
  });
  const bind = () => {
    const meters = [...chosen.values()];
    const taken = meters.filter((row) => row.dcuId !== null);
    if (meters.length === 0) refuse(t('selectData'));
    else if (taken.length > 0) refuse(`${t('alreadyBound')} ${taken.map((row) => `${row.sn} (${row.dcuSn ?? ''})`).join(', ')}`);
    else
      order.mutate({
        body: { dcuId: summary.dcuId, meterIds: meters.map((row) => row.id), phase: recordedPhase.safeParse(phase).data },
      });
  };
  const columns: Column<AssetRow>[] = [
    { key: 'sn', title: t('sn'), width: 150, cell: (row) => <Sn sn={row.sn} /> },
    { key: 'type', title: t('meterType'), width: 190, cell: (row) => <Model name={row.meterTypeName} /> },
    { key: 'mode', title: t('mode'), width: 80, cell: (row) => t(row.communicationMode) },
    { key: 'inventory', title: t('inventoryState'), width: 140, cell: (row) => <StateOf sign={INVENTORY[row.inventoryState]} /> },
    { key: 'transformer', title: t('transformer'), cell: (row) => row.transformerName ?? '—' },
    { key: 'dcu', title: t('boundTo'), width: 130, cell: (row) => (row.dcuSn ? <Sn sn={row.dcuSn} /> : '—') },
  ];
  return (
    <Modal
      open
      centered
      width={WIDTH}
      title={t('bindTitle', { sn: summary.dcuSn })}
      okText={t('bindCount', { count: chosen.size })}
      cancelText={t('cancel')}
      confirmLoading={order.isPending}
      onOk={bind}
      onCancel={onClose}
    >
      <p className={styles['dim']}>{t('bindHint')}</p>
      <div className={styles['pickBar']}>
        <TextFilter
          label={t('searchMeters')}
          value={search}
          onChange={(value) => {
            setSearch(value);
            setPage(1);
          }}
        />
        <Checkbox
          checked={onlyUnbound}
          onChange={(event) => {
            setOnlyUnbound(event.target.checked);
            setPage(1);
          }}
        >
          {t('unboundOnly')}
        </Checkbox>
        <span className={styles['space']} />
        <Select
          allowClear
          className={styles['select'] ?? ''}
          aria-label={t('phase')}
          placeholder={`${t('phase')}: ${t('asRecorded')}`}
          value={phase}
          options={recordedPhase.options.filter((value) => value !== 'unknown').map((value) => ({ value, label: value.toUpperCase() }))}
          onChange={setPhase}
        />
      </div>
      <div className={styles['pickTable']}>
        <PanelState query={query} lines={8}>
          {(data) => (
            <DataTable
              label={t('meters')}
              columns={columns}
              rows={data.items}
              rowKey={(row) => row.id}
              selection={selection}
              rowName={(row) => row.sn}
              stale={query.isPlaceholderData}
              empty={<Empty text={t('noMatch')} />}
            />
          )}
        </PanelState>
      </div>
      <div className={styles['pickBar']}>
        {refusal === undefined ? null : <Alert type="error" showIcon role="alert" title={refusal} />}
        <span className={styles['space']} />
        <Pagination size="small" simple current={page} pageSize={PAGE_SIZE} total={query.data?.total ?? 0} onChange={setPage} />
      </div>
    </Modal>
  );
}
