import { gap } from '@hes/contract/reading/gap.ts';
import { isFreeze, reading } from '@hes/contract/reading/reading.ts';
import { completenessExport, dailyExport, manualReadingImport, profileExport } from '@hes/contract/transfer/readings.ts';
import { PAGE_WORDS, to } from '@hes/contract/page/links.ts';
import { Button, Drawer, Tabs } from 'antd';
import { PencilLine } from 'lucide-react';
import { useCallback, useState } from 'react';
import { Link } from 'react-router';
import { useMay } from '#core/api/may.ts';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { useTopic } from '#core/live/live.ts';
import { DataTable } from '#kit/table/data-table.tsx';
import { ListFooter } from '#kit/page/list-page.tsx';
import { refilter } from '#core/url/write-url.ts';
import { useUrl } from '#core/url/use-url.ts';
import { localDay, serverNow } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { ExportButton } from '#kit/export-button/export-button.tsx';
import { Frames } from '#domain/frames/frames.tsx';
import { ImportButton } from '#kit/import-drawer/import-drawer.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { ChartView } from './chart-view.tsx';
import { columnsOf, texts } from './columns.tsx';
import { Corrections } from './corrections.tsx';
import { useRowState } from './row-state.ts';
import { isDaily, KINDS, rowKey, traceKey, traceOf, type Row } from './data-kinds.ts';
import { Filters, meterFilterOf } from './filters.tsx';
import { GapView } from './gap-view.tsx';
import { kindOf, targetOf, type Target } from './place.ts';
import { ManualForm } from './manual-form.tsx';
import { MeterHeat } from './meter-heat.tsx';
import { RefillDrawer } from './refill-drawer.tsx';
import { isTooLong, rangeOf, type DayRange } from './range.ts';
import { Summary } from './summary.tsx';
import { TargetLine } from './target-line.tsx';
import { Toolbar } from './toolbar.tsx';
import { useReadings } from './use-readings.ts';
import { ValueActions } from './value-actions.tsx';
import styles from './reading.module.css';

const DEFAULTS = { tab: 'daily', view: 'table', page: '1', size: '100' } as const;

export default function AutoMeterReadingPage() {
  const t = useMessages(texts);
  const say = useSay();
  const [url, setUrl] = useUrl(PAGE_WORDS.readings, DEFAULTS);
  useTopic('reading');
  const kind = url.tab;
  const today = localDay(serverNow());
  const range = rangeOf(url, today, kind);
  const target = targetOf(url.node);
  const chosen = meterFilterOf(url);
  const chart = url.view === 'chart';
  const chartable = target?.meterId !== undefined;
  const tooLong = isTooLong(range, kind);
  const { query, rows } = useReadings({
    kind,
    range,
    chosen,
    quality: url.quality,
    reading: url.reading,
    target: tooLong ? undefined : target,
    page: url.page,
    size: url.size,
    whole: chart && chartable,
  });
  const opened = rows.find((row) => traceKey(row) === url.trace);
  const stateOf = useRowState();
  const columns = columnsOf(kind, t, say, stateOf);
  const may = useMay();
  const [refilling, setRefilling] = useState<{ range: DayRange; target: Target }>();
  const [isEntering, setEntering] = useState(false);
  const refillOnly = (row: Row) => {
    const day = isDaily(row) ? row.freezeDate : localDay(Date.parse(row.ts));
    setUrl({ trace: undefined });
    setRefilling({ range: { from: day, to: day }, target: { meterId: row.meterId } });
  };
  const { refetch } = query;
  const reload = useCallback(() => void refetch(), [refetch]);
  const files = target ? (
    <>
      {target.meterId !== undefined && may(reading.enter) ? (
        <Button icon={<PencilLine size={14} aria-hidden="true" />} onClick={() => setEntering(true)}>
          {t('enterReading')}
        </Button>
      ) : null}
      <ImportButton lists={[{ routes: manualReadingImport, what: t('manualReadings') }]} onImported={reload} />
      {url.view === 'gaps' ? null : url.view === 'heat' ? (
        <ExportButton
          routes={completenessExport}
          filter={{ ...range, ...target, ...chosen, profile: kind, onlyGaps: url.only === 'gaps' || undefined }}
        />
      ) : isFreeze(kind) ? (
        <ExportButton
          routes={dailyExport}
          filter={{ ...range, ...target, ...chosen, profile: kind, quality: url.quality, reading: url.reading }}
          columns={[...columns, 'why', 'marks']}
        />
      ) : (
        <ExportButton
          routes={profileExport}
          filter={{ ...range, ...target, ...chosen, profile: kind, quality: url.quality, reading: url.reading }}
          columns={[...columns, 'why', 'triedAt', 'marks']}
        />
      )}
    </>
  ) : null;
  const paging = { page: url.page, size: url.size, onPage: (page: string, size: string) => setUrl({ page, size }) };

  const nothing = <Empty text={t('nothing')} hint={t('nothingHint')} action={<Link to={to.plans({ type: kind })}>{t('toPlans')}</Link>} />;
  const body = () => {
    if (!target) return <Empty kind="choose" text={t('selectNode')} hint={t('selectNodeHint')} />;
    if (tooLong) return <Empty text={t('rangeTooLong')} />;
    if (url.view === 'heat')
      return (
        <MeterHeat
          {...{ kind, range, target, chosen, ...paging }}
          onlyGaps={url.only === 'gaps'}
          onOnlyGaps={(only) => setUrl(refilter({ only: only ? 'gaps' : undefined }))}
          onOpen={(meterId, day) => setUrl(refilter({ node: `meter:${meterId}`, from: day, to: day, view: 'table' }))}
        />
      );
    if (url.view === 'gaps') return <GapView {...{ kind, range, target }} />;
    if (chart && !chartable) return <Empty text={t('oneMeter')} hint={t('oneMeterHint')} />;
    return (
      <PanelState query={query} lines={14} isEmpty={(data) => data.items.length === 0} empty={nothing}>
        {(data) =>
          chart ? (
            <div className={styles['chart']}>
              <ChartView kind={kind} rows={rows} />
            </div>
          ) : (
            <>
              <DataTable
                label={t(kind)}
                columns={columns}
                rows={rows}
                rowKey={rowKey}
                stale={query.isPlaceholderData}
                onSelect={(row) => setUrl({ trace: traceKey(row) })}
                empty={nothing}
              />
              <ListFooter page={data} updatedAt={query.dataUpdatedAt} onPage={paging.onPage} />
            </>
          )
        }
      </PanelState>
    );
  };

  return (
    <div className={styles['page']}>
      <Panel title={t('nodes')} className={styles['tree']}>
        <NodeTree opens="transformer" selected={url.node} onSelect={(node) => setUrl(refilter({ node: node.key }))} />
      </Panel>
      <Panel flush label={t('title')} className={styles['main']}>
        <Tabs
          className={styles['tabs'] ?? ''}
          aria-label={t('profiles')}
          activeKey={kind}
          items={KINDS.map((key) => ({ key, label: t(key) }))}
          onChange={(key) => {
            const tab = kindOf(key);
            // The range of months and that of days are not interchangeable.
            const isOther = (tab === 'monthly') !== (kind === 'monthly');
            setUrl(refilter({ tab, quality: undefined, ...(isOther ? { from: undefined, to: undefined } : {}) }));
          }}
        />
        <Toolbar
          kind={kind}
          range={range}
          today={today}
          view={url.view}
          busy={query.isFetching}
          onRange={({ from, to: last }) => setUrl(refilter({ from, to: last }))}
          onView={(view) => setUrl(refilter({ view }))}
          onRefill={target && !tooLong && may(gap.refill) ? () => setRefilling({ range, target }) : undefined}
          files={files}
          onRefresh={url.view === 'gaps' ? undefined : reload}
        />
        {target && !tooLong && url.view !== 'gaps' ? (
          <Filters url={url} isOneMeter={target.meterId !== undefined} onChange={setUrl} />
        ) : null}
        {target?.meterId ? <TargetLine meterId={target.meterId} /> : null}
        {target && !tooLong && url.view !== 'gaps' ? <Summary {...{ kind, range, target, chosen }} /> : null}
        <div className={styles['body']}>{body()}</div>
      </Panel>
      {refilling ? <RefillDrawer {...{ kind, chosen }} {...refilling} onClose={() => setRefilling(undefined)} onDone={reload} /> : null}
      {isEntering && target?.meterId ? (
        <ManualForm
          meterId={target.meterId}
          day={range.to < today ? range.to : today}
          onClose={() => setEntering(false)}
          onDone={() => {
            setEntering(false);
            reload();
          }}
        />
      ) : null}
      <Drawer
        open={url.trace !== undefined}
        size={780}
        title={t('framesOf')}
        extra={
          opened ? (
            <ValueActions
              kind={kind}
              row={opened}
              range={range}
              onRefill={opened.gap !== null && may(gap.refill) ? () => refillOnly(opened) : undefined}
            />
          ) : null
        }
        onClose={() => setUrl({ trace: undefined })}
        destroyOnHidden
      >
        {opened ? <Corrections kind={kind} row={opened} /> : null}
        <Frames traceId={traceOf(url.trace)} />
      </Drawer>
    </div>
  );
}
