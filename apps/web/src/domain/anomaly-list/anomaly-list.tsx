import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { anomaly, type AnomalyRow } from '@hes/contract/analysis/anomaly.ts';
import { anomalyExport } from '@hes/contract/transfer/orders.ts';
import { App, Button, Select } from 'antd';
import { Check, Gauge, SlidersHorizontal, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable, type Column } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter } from '#kit/page/list-page.tsx';
import { RowActions } from '#kit/table/row-actions.tsx';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter } from '#core/url/url-state.ts';
import { dateTime } from '#core/time/format.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Num, Sn } from '#kit/basics/text.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { LimitDrawer } from '#domain/meter-limits/limit-drawer.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { ANOMALY, ANOMALY_ORDER, DECISION } from '#domain/states/anomaly-tables.ts';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import styles from './anomaly-list.module.css';

const REASON_MAX = 256;
/** Ignores a sort key in the address that belongs to another tab of the page. */
const sortOf = (sort: string | undefined): string => (sort && /^(day|sn|value),/.test(sort) ? sort : 'day,desc');
const STATES = ['found', 'confirmed', 'dismissed'] as const;

interface AnomalyUrl {
  page: string | undefined;
  size: string | undefined;
  sort: string | undefined;
  search: string | undefined;
  anomaly: string | undefined;
  decision: string | undefined;
}

interface Props {
  range: { from: string; to: string };
  /** Limits the list to meters under this node; undefined: all. */
  node: NodeKey | undefined;
  url: AnomalyUrl;
  setUrl: (change: Partial<AnomalyUrl>) => void;
  onChanged?: () => void;
}

/** Days with unusual values, and the decisions of users about them. */
export function AnomalyList({ range, node, url, setUrl, onChanged }: Props) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const go = useNavigate();
  const { message } = App.useApp();
  const [dismissing, setDismissing] = useState<AnomalyRow>();
  const [limited, setLimited] = useState<string>();
  const filters = { ...range, node, search: url.search, state: url.decision };
  const list = useApiQuery(anomaly.list, {
    query: { ...filters, type: url.anomaly, page: url.page, size: url.size, sort: sortOf(url.sort) },
    keep: true,
  });
  const summary = useApiQuery(anomaly.summary, { query: filters, keep: true });
  const updatedAt = useOneMoment(list, summary);
  const decide = useApiMutation(anomaly.decide, {
    success: () => {
      setDismissing(undefined);
      void message.success(t('decisionSaved'));
      void Promise.all([list.refetch(), summary.refetch()]);
      onChanged?.();
    },
    failure: (error) => (dismissing ? undefined : void message.error(error.message, 0)),
  });
  const mayDecide = may(anomaly.decide);
  const columns = useMemo<Column<AnomalyRow>[]>(() => {
    const all: Column<AnomalyRow>[] = [
      { key: 'day', title: t('day'), width: 104, sort: 'day', cell: (row) => row.day },
      { key: 'sn', title: t('sn'), width: 140, sort: 'sn', cell: (row) => <Sn sn={row.sn} /> },
      { key: 'type', title: t('type'), width: 160, cell: (row) => <StateOf sign={ANOMALY[row.type]} /> },
      {
        key: 'value',
        title: `${t('value')} (kWh)`,
        width: 110,
        align: 'right',
        sort: 'value',
        value: (row) => row.value,
        cell: (row) => <Num value={row.value} decimals={2} strong />,
      },
      {
        key: 'reference',
        title: `${t('reference')} (kWh)`,
        width: 150,
        align: 'right',
        cell: (row) => <Num value={row.reference} decimals={2} />,
      },
      { key: 'state', title: t('state'), width: 124, cell: (row) => <StateOf sign={DECISION[row.state]} /> },
      { key: 'reason', title: t('reason'), width: 180, cell: (row) => <span title={row.reason ?? undefined}>{row.reason ?? '—'}</span> },
      {
        key: 'decided',
        title: t('decided'),
        low: true,
        width: 130,
        cell: (row) => (row.decidedAt ? <span title={dateTime(row.decidedAt)}>{row.decidedByName ?? '—'}</span> : '—'),
      },
      { key: 'customer', title: t('customer'), width: 130, cell: (row) => row.customerName ?? '—' },
      { key: 'transformer', title: t('transformer'), width: 160, low: true, cell: (row) => row.transformerName ?? '—' },
    ];
    if (!mayDecide) return all;
    const { mutate } = decide;
    return [
      ...all,
      {
        key: 'actions',
        title: <span className="visually-hidden">{t('state')}</span>,
        width: 46,
        cell: (row) => (
          <RowActions
            label={t('actions', { name: `${row.sn} ${row.day}` })}
            items={[
              ...(row.state === 'confirmed'
                ? []
                : [
                    {
                      key: 'confirm',
                      label: t('confirm'),
                      icon: <Check size={14} aria-hidden="true" />,
                      onClick: () => mutate({ body: { meterId: row.meterId, day: row.day, state: 'confirmed', version: row.version } }),
                    },
                  ]),
              ...(row.state === 'dismissed'
                ? []
                : [{ key: 'dismiss', label: t('dismiss'), icon: <X size={14} aria-hidden="true" />, onClick: () => setDismissing(row) }]),
              {
                key: 'readings',
                label: t('readings'),
                icon: <Gauge size={14} aria-hidden="true" />,
                onClick: () =>
                  void go(`/meter/auto-meter-reading?node=meter:${row.meterId}&from=${row.day}&to=${row.day}&tab=lpa&view=chart`),
              },
              {
                key: 'limits',
                label: t('limits'),
                icon: <SlidersHorizontal size={14} aria-hidden="true" />,
                onClick: () => setLimited(row.meterId),
              },
            ]}
          />
        ),
      },
    ];
    // eslint-disable-next-line react-hooks/exhaustive-deps -- mutate is stable, and so is what go does
  }, [t, mayDecide]);
  const isFiltered = [url.search, url.anomaly, url.decision].some((value) => value !== undefined);
  const clear = (
    <Button type="link" onClick={() => setUrl(refilter({ search: undefined, anomaly: undefined, decision: undefined }))}>
      {t('clearFilters')}
    </Button>
  );
  const byType = summary.data?.byType;
  return (
    <>
      <FacetStrip
        label={t('anomaly')}
        all={t('allLines')}
        total={byType && Object.values(byType).reduce((total, count) => total + count, 0)}
        facets={ANOMALY_ORDER.map((key) => ({ key, sign: ANOMALY[key], count: byType?.[key] }))}
        selected={url.anomaly}
        onSelect={(key) => setUrl(refilter({ anomaly: key }))}
      />
      <FilterBar
        tools={
          <>
            <ExportButton routes={anomalyExport} filter={{ ...filters, type: url.anomaly, sort: sortOf(url.sort) }} columns={columns} />
            <RefreshButton busy={list.isFetching} onRefresh={() => void Promise.all([list.refetch(), summary.refetch()])} />
          </>
        }
      >
        <TextFilter label={t('search')} value={url.search} onChange={(search) => setUrl(refilter({ search }))} />
        <Select
          allowClear
          className={styles['choice'] ?? ''}
          placeholder={t('state')}
          aria-label={t('state')}
          value={url.decision}
          options={STATES.map((value) => ({ value, label: say(DECISION[value].text) }))}
          onChange={(decision) => setUrl(refilter({ decision }))}
        />
        {isFiltered ? clear : null}
      </FilterBar>
      <PanelState query={list} lines={12}>
        {(page) => (
          <>
            <DataTable<AnomalyRow>
              label={t('anomalies')}
              columns={columns}
              rows={page.items}
              rowKey={(row) => `${row.meterId}/${row.day}`}
              rowName={(row) => `${row.sn} ${row.day}`}
              sort={sortOf(url.sort)}
              onSort={(sort) => setUrl(refilter({ sort }))}
              stale={list.isPlaceholderData}
              empty={<Empty text={isFiltered ? t('noMatch') : t('noAnomaly')} action={isFiltered ? clear : undefined} />}
            />
            <ListFooter page={page} updatedAt={updatedAt} onPage={(next, size) => setUrl({ page: next, size })} />
          </>
        )}
      </PanelState>
      {limited ? <LimitDrawer meterId={limited} onClose={() => setLimited(undefined)} onDone={() => setLimited(undefined)} /> : null}
      {dismissing ? (
        <DangerDialog
          title={t('dismissTitle', { sn: dismissing.sn, day: dismissing.day })}
          effect={t('dismissEffect')}
          action={t('dismiss')}
          reason={{ label: t('reason'), max: REASON_MAX, missing: t('reasonMissing') }}
          busy={decide.isPending}
          failure={decide.error?.message}
          onConfirm={(reason) =>
            decide.mutate({
              body: { meterId: dismissing.meterId, day: dismissing.day, state: 'dismissed', reason, version: dismissing.version },
            })
          }
          onClose={() => setDismissing(undefined)}
        />
      ) : null}
    </>
  );
}
