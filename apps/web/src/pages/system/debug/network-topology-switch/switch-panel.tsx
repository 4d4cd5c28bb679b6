import { topologySwitch } from '@hes/contract/debug/topology-switch.ts';
import { topologySwitchExport } from '@hes/contract/transfer/orders.ts';
import { TOPOLOGY_SWITCH_TEXT, topologySwitchOperation, type TopologySwitchOperation } from '@hes/contract/states/topology.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Alert, Button, DatePicker, Select } from 'antd';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime, elapsed } from '#core/time/format.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { useReason } from '#domain/device-run/device-run.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import type { SwitchFigures, TopologySwitchRow } from '@hes/contract/debug/topology-switch.ts';
import { texts } from './messages.ts';
import { SWITCH_STATE } from './signs.ts';
import styles from './switch.module.css';

const POLL_MS = 5000;
const REASON_MAX = 256;
const OPERATIONS = topologySwitchOperation.options;
const range = (from: string | undefined, to: string | undefined) => (from && to ? { from, to } : {});
const isRisk = (operation: TopologySwitchOperation): boolean => operation !== 'report_on' && operation !== 'report_off';
/** The operation that undoes a change of media: the mode used before. */
const undoOf = ({ operation, state, before }: TopologySwitchRow): TopologySwitchOperation | undefined =>
  state === 'settled' && before?.mode !== undefined && before.mode !== operation ? before.mode : undefined;

const BLOCKING = [
  ['relay', 'kindRelay'],
  ['upgrade', 'kindUpgrade'],
  ['firmware', 'kindUpgrade'],
  ['topology_switch', 'kindSwitch'],
  ['station', 'kindStation'],
  ['archive', 'kindArchive'],
  ['discovery', 'kindDiscovery'],
] as const;
/** Distinct names of the blocking orders. */
const namesOf = (kinds: readonly string[]) => [
  ...new Set(BLOCKING.flatMap(([kind, name]) => (kinds.some((one) => one.startsWith(kind)) ? [name] : []))),
];

/** Orders that change a network, and their results. */
export function SwitchPanel({ dcuId, sn }: { dcuId: string; sn: string }) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const reasonOf = useReason();
  const client = useQueryClient();
  const [asked, setAsked] = useState<TopologySwitchOperation>();
  const preview = useApiQuery(topologySwitch.preview, { params: { dcuId }, refetchMs: POLL_MS });
  const [shown, setShown] = useState<{ operation?: string; from?: string; to?: string }>({});
  const list = useApiQuery(topologySwitch.list, { query: { dcuId, size: 50, ...shown }, refetchMs: POLL_MS });
  const order = useApiMutation(topologySwitch.order, {
    success: () => {
      setAsked(undefined);
      for (const path of [topologySwitch.preview.path, topologySwitch.list.path]) void client.invalidateQueries({ queryKey: [path] });
    },
  });
  const count = preview.data?.meters ?? 0;
  const blockedBy = preview.data?.blockedBy ?? [];
  const figures = (of: SwitchFigures | null): string =>
    of === null
      ? '—'
      : [of.nodes, of.meanLevel, `${of.successPct ?? '—'} %`, ...(of.mode === undefined ? [] : [say(TOPOLOGY_SWITCH_TEXT[of.mode])])].join(
          ' · ',
        );
  return (
    <>
      <Panel title={t('networkSwitch')}>
        <p className={styles['dim']}>{t('risk', { count })}</p>
        {blockedBy.length > 0 ? (
          <Alert
            type="warning"
            showIcon
            title={t('blocked', {
              kinds: namesOf(blockedBy)
                .map((name) => t(name))
                .join(', '),
            })}
          />
        ) : null}
        {may(topologySwitch.order) ? (
          <div className={styles['orders']}>
            {OPERATIONS.map((operation) => (
              <Button key={operation} danger={isRisk(operation)} disabled={blockedBy.length > 0} onClick={() => setAsked(operation)}>
                {say(TOPOLOGY_SWITCH_TEXT[operation])}
              </Button>
            ))}
          </div>
        ) : null}
        <p className={styles['dim']}>{t('noParent')}</p>
      </Panel>
      <Panel
        title={t('log')}
        flush
        className={styles['log']}
        extra={
          <span className={styles['filters']}>
            <Select
              allowClear
              size="small"
              placeholder={t('operation')}
              aria-label={t('operation')}
              options={OPERATIONS.map((value) => ({ value, label: say(TOPOLOGY_SWITCH_TEXT[value]) }))}
              onChange={(operation: string | null) =>
                setShown(({ from, to }) => ({ ...range(from, to), ...(operation ? { operation } : {}) }))
              }
            />
            <DatePicker.RangePicker
              size="small"
              aria-label={t('time')}
              onChange={(dates) =>
                setShown(({ operation }) => ({
                  ...range(dates?.[0]?.startOf('day').toISOString(), dates?.[1]?.endOf('day').toISOString()),
                  ...(operation ? { operation } : {}),
                }))
              }
            />
            <ExportButton small routes={topologySwitchExport} filter={{ dcuId, ...shown }} />
          </span>
        }
      >
        <PanelState query={list}>
          {({ items }) => (
            <DataTable
              label={t('log')}
              rows={items}
              rowKey={(row) => row.id}
              empty={<Empty text={t('noLog')} />}
              columns={[
                { key: 'time', title: t('time'), width: 170, cell: (row) => dateTime(row.startedAt) },
                { key: 'operation', title: t('operation'), width: 170, cell: (row) => say(TOPOLOGY_SWITCH_TEXT[row.operation]) },
                { key: 'state', title: t('state'), width: 130, cell: (row) => <StateOf sign={SWITCH_STATE[row.state]} /> },
                {
                  key: 'before',
                  title: `${t('before')} (${t('stations')} · ${t('meanLevel')} · ${t('success')})`,
                  width: 220,
                  cell: (row) => figures(row.before),
                },
                {
                  key: 'after',
                  title: t('after'),
                  width: 150,
                  cell: (row) => (row.after === null ? (reasonOf(row.reasonCode) ?? '—') : figures(row.after)),
                },
                {
                  key: 'duration',
                  title: t('duration'),
                  width: 100,
                  align: 'right',
                  cell: (row) => (row.endedAt === null ? '—' : elapsed(Date.parse(row.endedAt) - Date.parse(row.startedAt))),
                },
                { key: 'operator', title: t('operator'), width: 130, cell: (row) => row.startedByName ?? '—' },
                { key: 'reason', title: t('reason'), cell: (row) => row.reason },
                {
                  key: 'actions',
                  title: <span className="visually-hidden">{t('repeat')}</span>,
                  width: 130,
                  cell: (row) => {
                    const undo = undoOf(row);
                    const again = (operation: TopologySwitchOperation, text: string) => (
                      <Button size="small" type="link" disabled={blockedBy.length > 0} onClick={() => setAsked(operation)}>
                        {text}
                      </Button>
                    );
                    return may(topologySwitch.order) ? (
                      <>
                        {again(row.operation, t('repeat'))}
                        {undo === undefined ? null : again(undo, t('undo'))}
                      </>
                    ) : null;
                  },
                },
              ]}
            />
          )}
        </PanelState>
      </Panel>
      {asked === undefined ? null : (
        <DangerDialog
          title={say(TOPOLOGY_SWITCH_TEXT[asked])}
          effect={t(asked.startsWith('mode_') ? 'modeEffect' : isRisk(asked) ? 'rebuildEffect' : 'smallEffect', { sn, count })}
          action={say(TOPOLOGY_SWITCH_TEXT[asked])}
          reason={{ label: t('reason'), max: REASON_MAX, missing: t('reasonMissing') }}
          busy={order.isPending}
          failure={order.error?.message}
          onConfirm={(reason) => order.mutate({ body: { dcuId, operation: asked, reason } })}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  );
}
