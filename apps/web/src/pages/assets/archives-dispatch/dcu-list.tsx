import { ANY_NOT_ONLINE_TEXT } from '@hes/contract/text/device-text.ts';
import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { archive, MAX_DCUS_PER_COMPARISON, type ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { archiveSummaryExport, bindingImport } from '@hes/contract/transfer/devices.ts';
import { App, Button, Switch } from 'antd';
import { GitCompareArrows } from 'lucide-react';
import { useMemo, useState } from 'react';
import { everyRow } from '#core/api/every-row.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { ListFooter } from '#kit/page/list-page.tsx';
import { chosenIn, SelectionBar, useSelection } from '#kit/table/selection.tsx';
import { useTake } from '#kit/table/use-take.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { someOf } from '#kit/basics/some-of.ts';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { ImportButton } from '#kit/import-drawer/import-drawer.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ONLINE } from '#domain/states/tables.ts';
import { texts } from './texts.ts';
import { useOrders } from './use-orders.ts';
import styles from './archives.module.css';

const POLL_MS = 30_000;

interface DcuListProps {
  node: NodeKey;
  name: string;
  onOpen: (dcuId: string) => void;
  onTask: (taskId: string) => void;
}

/** The DCUs under a level or transformer with the state of their archives. */
export function DcuList({ node, name, onOpen, onTask }: DcuListProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const { message } = App.useApp();
  const [mismatched, setMismatched] = useState(false);
  const [paging, setPaging] = useState({ page: '1', size: '100' });
  const filters = { node, ...(mismatched ? { mismatched: 'true' as const } : {}) };
  const query = useApiQuery(archive.summary, {
    query: { ...filters, ...paging },
    keep: true,
    refetchMs: POLL_MS,
  });
  const rows = useMemo(() => query.data?.items ?? [], [query.data]);
  const { compare } = useOrders(onTask);
  const selection = useSelection<ArchiveSummary>({ idOf: (row) => row.dcuId, filter: JSON.stringify(filters), rows });
  const take = useTake(selection, (most) => everyRow(archive.summary, filters, most));
  const start = (chosen: ArchiveSummary[]) => {
    const silent = chosen.filter((row) => row.onlineStatus !== 'online').map((row) => row.dcuSn);
    if (silent.length > 0) void message.warning(`${t('selectValid')} ${someOf(silent).join(', ')}: ${say(ANY_NOT_ONLINE_TEXT)}`);
    else compare.mutate({ body: { dcuIds: chosen.map((row) => row.dcuId) } });
  };
  const chosenCount = selection.isAll ? (query.data?.total ?? 0) : selection.chosen.size;
  const count = (value: number, tone: 'amber' | 'red') => (
    <span data-value={value} style={value > 0 ? { color: `var(--${tone}-fg)`, fontWeight: 600 } : {}}>
      {value}
    </span>
  );
  const columns: Column<ArchiveSummary>[] = [
    { key: 'sn', title: t('dcuSn'), width: 140, cell: (row) => <Sn sn={row.dcuSn} /> },
    { key: 'transformer', title: t('transformer'), width: 190, cell: (row) => row.transformerName ?? '—' },
    { key: 'online', title: t('onlineStatus'), width: 140, cell: (row) => <StateOf sign={ONLINE[row.onlineStatus]} /> },
    {
      key: 'bound',
      title: t('boundHere'),
      width: 100,
      align: 'right',
      value: (row) => row.bound,
      cell: (row) => <Num value={row.bound} />,
    },
    { key: 'dcu', title: t('inDcu'), width: 100, align: 'right', cell: (row) => <Num value={row.dcuEntries} /> },
    { key: 'pending', title: t('pending'), width: 110, align: 'right', cell: (row) => count(row.pending, 'amber') },
    { key: 'surplus', title: t('surplus'), width: 100, align: 'right', cell: (row) => count(row.surplus, 'red') },
    {
      key: 'compared',
      title: t('compared'),
      width: 160,
      cell: (row) => (row.comparedAt ? dateTime(row.comparedAt) : <span className={styles['dim']}>{t('neverCompared')}</span>),
    },
  ];
  return (
    <Panel
      flush
      className={styles['table']}
      title={t('dcus', { name })}
      extra={
        <span className={styles['batch']}>
          <Switch size="small" checked={mismatched} onChange={setMismatched} aria-label={t('onlyMismatched')} />
          {t('onlyMismatched')}
          <ExportButton routes={archiveSummaryExport} filter={filters} columns={columns} chosen={chosenIn(selection)} />
          <ImportButton routes={bindingImport} what={t('bindings')} onImported={() => void query.refetch()} />
          {may(archive.compare) ? (
            <Button
              icon={<GitCompareArrows size={15} aria-hidden="true" />}
              loading={compare.isPending}
              onClick={() => take(start, MAX_DCUS_PER_COMPARISON)}
            >
              {chosenCount > 0 ? t('compareCount', { count: chosenCount }) : t('compare')}
            </Button>
          ) : null}
        </span>
      }
    >
      <PanelState query={query} lines={12}>
        {(data) => (
          <>
            <DataTable
              label={t('dcus', { name })}
              columns={columns}
              rows={data.items}
              rowKey={(row) => row.dcuId}
              selection={may(archive.compare) ? selection : undefined}
              rowName={(row) => row.dcuSn}
              onSelect={(row) => onOpen(row.dcuId)}
              stale={query.isPlaceholderData}
              empty={mismatched ? <Empty text={t('noMatch')} /> : <Empty text={t('noSn')} hint={t('noSnHint')} />}
            />
            <ListFooter
              page={data}
              updatedAt={query.dataUpdatedAt}
              onPage={(page, size) => setPaging({ page, size })}
              batch={selection.isEmpty ? undefined : <SelectionBar selection={selection} total={data.total} />}
            />
          </>
        )}
      </PanelState>
    </Panel>
  );
}
