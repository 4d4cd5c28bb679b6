import { archive, type ArchiveRow, type ArchiveSummary } from '@hes/contract/asset/archive.ts';
import { bindState, diffKind, distributionState } from '@hes/contract/states/archive.ts';
import { communicationMode } from '@hes/contract/states/device.ts';
import { BIND_TEXT, DISTRIBUTION_TEXT } from '@hes/contract/states/archive.ts';
import { archiveExport } from '@hes/contract/transfer/devices.ts';
import { Button, Select } from 'antd';
import { useEffect, useMemo } from 'react';
import { everyRow } from '#core/api/every-row.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useOneMoment } from '#core/api/one-moment.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { FilterBar, ListFooter } from '#kit/page/list-page.tsx';
import { SelectionBar, useSelection } from '#kit/table/selection.tsx';
import { useRowSteps } from '#core/keys/use-row-steps.ts';
import { TableTools } from '#kit/table/table-tools.tsx';
import { useTableView } from '#kit/table/table-view.ts';
import { useTake } from '#kit/table/use-take.ts';
import { TextFilter } from '#kit/list/text-filter.tsx';
import { refilter } from '#core/url/url-state.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { FacetStrip } from '#kit/page/facet-strip.tsx';
import { DIFF, DIFF_ORDER } from '#domain/states/tables.ts';
import { ArchiveActions, type ArchiveDialog } from './archive-actions.tsx';
import { columnsOf } from './columns.tsx';
import { rowKey, texts } from './texts.ts';
import type { ArchiveUrl } from './url.ts';
import styles from './archives.module.css';

const POLL_MS = 60_000;

interface DcuArchiveProps {
  summary: ArchiveSummary;
  /** The query that returned the summary. */
  counts: Parameters<typeof useOneMoment>[1];
  why: string | undefined;
  url: ArchiveUrl;
  setUrl: (change: Partial<ArchiveUrl>) => void;
  onRows: (rows: ArchiveRow[]) => void;
  onDialog: (dialog: ArchiveDialog) => void;
  onTask: (taskId: string) => void;
}

/** The archive of the head-end, that of the DCU, and the discovered meters, compared row by row. */
export function DcuArchive({ summary, counts, why, url, setUrl, onRows, onDialog, onTask }: DcuArchiveProps) {
  const t = useMessages(texts);
  const say = useSay();
  const may = useMay();
  const kind = diffKind.safeParse(url.diff).data;
  const filters = {
    dcuId: summary.dcuId,
    sn: url.sn,
    diff: kind,
    bindState: url.bind,
    dispatchState: url.dispatch,
    distributionState: url.distribution,
    communicationMode: url.mode,
  };
  const query = useApiQuery(archive.list, { query: { ...filters, page: url.page, size: url.size }, keep: true, refetchMs: POLL_MS });
  const updatedAt = useOneMoment(query, counts);
  const rows = useMemo(() => query.data?.items ?? [], [query.data]);
  useEffect(() => onRows(rows), [rows, onRows]);
  useRowSteps({ ids: rows.map(rowKey), selected: url.sel, select: (sel) => setUrl({ sel }) });
  const selection = useSelection<ArchiveRow>({ idOf: rowKey, filter: JSON.stringify(filters), rows });
  const take = useTake(selection, (most) => everyRow(archive.list, filters, most));
  const all = useMemo(() => columnsOf(t), [t]);
  const view = useTableView('/assets/archives-dispatch', all);
  const isFiltered = [url.sn, url.diff, url.bind, url.dispatch, url.distribution, url.mode].some((value) => value !== undefined);
  const clear = () =>
    setUrl(refilter({ sn: undefined, diff: undefined, bind: undefined, dispatch: undefined, distribution: undefined, mode: undefined }));
  // Before the first comparison the number of differences is unknown, not zero.
  const isCompared = summary.comparedAt !== null;
  const total = isCompared ? Object.values(summary.diff).reduce((sum, count) => sum + count, 0) : undefined;
  const select = (key: 'bind' | 'distribution' | 'mode', label: string, options: { value: string; label: string }[]) => (
    <Select
      allowClear
      className={styles['select'] ?? ''}
      placeholder={label}
      aria-label={label}
      value={url[key]}
      options={options}
      onChange={(value: string | undefined) => setUrl(refilter({ [key]: value }))}
    />
  );
  const chosen = selection.isAll ? [] : [...selection.chosen.values()];
  return (
    <Panel flush className={styles['table']} label={t('archive')}>
      <FacetStrip
        label={t('difference')}
        all={t('allRows')}
        total={total}
        facets={DIFF_ORDER.filter((key) => key === 'same' || key === 'hes_only' || (summary.diff[key] ?? 0) > 0 || key === kind).map(
          (key) => ({
            key,
            sign: DIFF[key],
            count: isCompared ? (summary.diff[key] ?? 0) : undefined,
          }),
        )}
        selected={kind}
        onSelect={(diff) => setUrl(refilter({ diff }))}
      />
      <ArchiveActions summary={summary} take={take} why={why} onDialog={onDialog} onTask={onTask} />
      <FilterBar
        tools={
          <>
            <ExportButton
              routes={archiveExport}
              filter={filters}
              columns={view.columns}
              chosen={chosen.map((row) => `${row.dcuId}/${row.sn}`)}
            />
            <TableTools view={view} />
            <RefreshButton busy={query.isFetching} onRefresh={() => void query.refetch()} />
          </>
        }
      >
        <TextFilter label={t('sn')} width={170} value={url.sn} onChange={(sn) => setUrl(refilter({ sn }))} />
        {select(
          'bind',
          t('bindState'),
          bindState.options.map((value) => ({ value, label: say(BIND_TEXT[value]) })),
        )}
        {select(
          'distribution',
          t('distribution'),
          distributionState.options.map((value) => ({ value, label: say(DISTRIBUTION_TEXT[value]) })),
        )}
        {select(
          'mode',
          t('mode'),
          communicationMode.options.map((value) => ({ value, label: t(value) })),
        )}
        {isFiltered ? (
          <Button type="link" onClick={clear}>
            {t('clearFilters')}
          </Button>
        ) : null}
      </FilterBar>
      <PanelState query={query} lines={12}>
        {(data) => (
          <>
            <DataTable
              label={t('archive')}
              columns={view.columns}
              density={view.density}
              selection={may(archive.bind) ? selection : undefined}
              rowName={(row) => row.sn}
              rows={data.items}
              rowKey={rowKey}
              selected={url.sel}
              onSelect={(row) => setUrl({ sel: rowKey(row) === url.sel ? undefined : rowKey(row) })}
              stale={query.isPlaceholderData}
              empty={isFiltered ? <Empty text={t('noMatch')} /> : <Empty text={t('noSn')} hint={t('noRowsHint')} />}
            />
            <ListFooter
              page={data}
              updatedAt={updatedAt}
              onPage={(page, size) => setUrl({ page, size })}
              batch={selection.isEmpty ? undefined : <SelectionBar selection={selection} total={data.total} />}
            />
          </>
        )}
      </PanelState>
    </Panel>
  );
}
