import { relay, type RelayCommandRow } from '@hes/contract/action/relay.ts';
import { REASONS } from '@hes/contract/core/outcome.ts';
import type { Text } from '@hes/contract/core/text.ts';
import { relayLogExport } from '@hes/contract/transfer/orders.ts';
import { RELAY_COMMAND_TEXT, RELAY_OPERATION_TEXT, relayCommandState } from '@hes/contract/action/relay-rules.ts';
import { Select } from 'antd';
import { useMemo } from 'react';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages, useSay } from '#shared/i18n/use-messages.ts';
import { DataTable, type Column } from '#shared/table/data-table.tsx';
import { FilterBar, ListFooter } from '#shared/table/list-page.tsx';
import { TableTools } from '#shared/table/table-tools.tsx';
import { useTableView } from '#shared/table/table-view.ts';
import { dateTime } from '#shared/time/format.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { Num, Sn } from '#shared/ui/text.tsx';
import { ExportButton } from '#widgets/export-button/export-button.tsx';
import { StateOf } from '#widgets/state-of/state-of.tsx';
import { texts, type T } from './messages.ts';
import { COMMAND } from './signs.ts';
import styles from './relay.module.css';

const POLL_MS = 15_000;

function reasonOf(code: string | null, say: (text: Text) => string): string {
  const known = code !== null && code in REASONS ? REASONS[code as keyof typeof REASONS] : undefined; // checked by `in`
  return known ? say(known) : (code ?? '—');
}

function logColumns(t: T, say: (text: Text) => string): Column<RelayCommandRow>[] {
  return [
    { key: 'createdAt', title: t('requestedAt'), width: 168, cell: (row) => dateTime(row.createdAt) },
    { key: 'sn', title: t('meterSn'), width: 148, cell: (row) => <Sn sn={row.sn} /> },
    { key: 'customerNo', title: t('customerNo'), width: 108, mono: true, cell: (row) => row.customerNo ?? '—' },
    { key: 'customer', title: t('customer'), width: 128, cell: (row) => row.customerName ?? '—' },
    { key: 'dcu', title: t('dcu'), width: 138, cell: (row) => (row.dcuSn === null ? '—' : <Sn sn={row.dcuSn} />) },
    { key: 'operation', title: t('operation'), width: 122, cell: (row) => say(RELAY_OPERATION_TEXT[row.operation]) },
    { key: 'state', title: t('status'), width: 116, cell: (row) => <StateOf sign={COMMAND[row.state]} /> },
    { key: 'result', title: t('result'), cell: (row) => reasonOf(row.reasonCode, say) },
    { key: 'sentAt', title: t('sent'), width: 168, cell: (row) => (row.sentAt ? dateTime(row.sentAt) : '—') },
    { key: 'before', title: t('before'), width: 106, align: 'right', cell: (row) => <Num value={row.powerBeforeW} unit="W" /> },
    { key: 'after', title: t('after'), width: 100, align: 'right', cell: (row) => <Num value={row.powerAfterW} unit="W" /> },
    { key: 'requestedBy', title: t('requestedBy'), width: 116, cell: (row) => row.requestedByName ?? '—' },
    { key: 'approvedBy', title: t('decidedBy'), width: 112, cell: (row) => row.approvedByName ?? '—' },
    { key: 'reason', title: t('reason'), width: 130, cell: (row) => row.reason },
    { key: 'workOrder', title: t('workOrder'), width: 100, mono: true, cell: (row) => row.workOrder },
  ];
}

/** All relay commands with requester, approver and confirmation by read-back. */
export function CommandLog({
  page,
  size,
  state,
  onState,
  onPage,
  onOpen,
}: {
  page: string | undefined;
  size: string | undefined;
  state: string | undefined;
  onState: (state: string | undefined) => void;
  onPage: (page: string, size: string) => void;
  onOpen: (taskId: string) => void;
}) {
  const t = useMessages(texts);
  const say = useSay();
  const list = useApiQuery(relay.log, { query: { page, size, state }, keep: true, refetchMs: POLL_MS });
  const all = useMemo(() => logColumns(t, say), [t, say]);
  const view = useTableView('/action/relay-control/log', all);
  return (
    <Panel flush className={styles['list']} label={t('log')}>
      <FilterBar tools={<TableTools view={view} />}>
        <Select
          allowClear
          className={styles['commandState'] ?? ''}
          placeholder={t('status')}
          aria-label={t('status')}
          value={state ?? null}
          options={relayCommandState.options.map((value) => ({ value, label: say(RELAY_COMMAND_TEXT[value]) }))}
          onChange={(value: string | null) => onState(value ?? undefined)}
        />
        <ExportButton routes={relayLogExport} filter={{ state }} columns={view.columns} />
      </FilterBar>
      <PanelState query={list} lines={12}>
        {(data) => (
          <>
            <DataTable<RelayCommandRow>
              label={t('log')}
              columns={view.columns}
              density={view.density}
              rows={data.items}
              rowKey={(row) => row.id}
              onSelect={(row) => onOpen(row.taskId)}
              empty={<Empty text={t('noCommands')} />}
            />
            <ListFooter page={data} updatedAt={list.dataUpdatedAt} onPage={onPage} />
          </>
        )}
      </PanelState>
    </Panel>
  );
}
