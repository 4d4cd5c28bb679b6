import { bill } from '@hes/contract/analysis/bill.ts';
import { price } from '@hes/contract/analysis/price.ts';
import { App, Button, Progress, Segmented } from 'antd';
import { Calculator, Lock, Tags } from 'lucide-react';
import { useState } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { ListPage } from '#kit/page/list-page.tsx';
import { refilter, useUrlState } from '#core/url/url-state.ts';
import { dateTime, localDay, serverNow } from '#core/time/format.ts';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { Panel } from '#kit/basics/panel.tsx';
import { NodeTree } from '#domain/node-tree/node-tree.tsx';
import { AnomalyList } from '#domain/anomaly-list/anomaly-list.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ByMeter, useLines } from './by-meter.tsx';
import { ByTransformer } from './by-transformer.tsx';
import { LinePane } from './line-pane.tsx';
import { texts } from './messages.ts';
import { PeriodPicker } from './period-picker.tsx';
import { isTooLong, periodOf } from './period.ts';
import { PriceDrawer } from './price-drawer.tsx';
import { PERIOD } from './signs.ts';
import { Trend } from './trend.tsx';
import { useCalculation } from './use-calculation.ts';
import styles from './bill.module.css';

const FILTERS = { search: undefined, status: undefined, anomaly: undefined, class: undefined, decision: undefined };
const DEFAULTS = {
  page: '1',
  size: '20',
  sort: undefined,
  node: undefined,
  sel: undefined,
  tab: 'meters',
  kind: undefined,
  from: undefined,
  to: undefined,
  energy: 'total',
  view: 'chart',
  ...FILTERS,
};
const TABS = ['meters', 'balance', 'trend', 'anomalies'] as const;

export default function ElectricBillPage() {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [url, setUrl] = useUrlState(DEFAULTS);
  const [dialog, setDialog] = useState<'publish' | 'prices'>();
  const today = localDay(serverNow());
  const period = periodOf(url, today);
  const tab = TABS.find((word) => word === url.tab) ?? 'meters';
  const isLong = isTooLong(period);
  const summary = useApiQuery(bill.summary, { query: { from: period.from, to: period.to }, enabled: !isLong });
  const stored = summary.data?.period ?? undefined;
  const lines = useLines(period, url, tab === 'meters' && !isLong);
  const calculation = useCalculation(stored?.taskId);
  const publish = useApiMutation(bill.publish, {
    success: () => {
      setDialog(undefined);
      void message.success(t('published'));
      calculation.reload();
    },
  });
  const { running } = calculation;
  const isPublished = stored?.state === 'published';
  const mayCalculate = may(bill.calculate) && !isPublished && !isLong;
  const calculate = mayCalculate ? (
    <Button
      type="primary"
      icon={<Calculator size={15} aria-hidden="true" />}
      loading={calculation.isStarting || running !== undefined}
      // The summary tells whether the period is published and therefore locked.
      disabled={summary.data === undefined}
      onClick={() => calculation.start(period)}
    >
      {t(stored?.state === 'calculated' ? 'recalculate' : 'calculate')}
    </Button>
  ) : null;
  const tabProps = { period, url, setUrl };
  return (
    <div className={styles['page']}>
      <Panel className={styles['tree']} title={t('network')}>
        <NodeTree
          until="dcu"
          selected={url.node}
          onSelect={(chosen) => setUrl(refilter({ node: chosen.key === url.node ? undefined : chosen.key, sel: undefined }))}
        />
      </Panel>
      <ListPage
        title={t('title')}
        purpose={t('purpose')}
        actions={
          <>
            {may(price.save) ? (
              <Button icon={<Tags size={15} aria-hidden="true" />} onClick={() => setDialog('prices')}>
                {t('prices')}
              </Button>
            ) : null}
            {stored?.state === 'calculated' && may(bill.publish) && running === undefined ? (
              <Button icon={<Lock size={15} aria-hidden="true" />} onClick={() => setDialog('publish')}>
                {t('publish')}
              </Button>
            ) : null}
            {tab === 'meters' ? calculate : null}
          </>
        }
        pane={
          tab === 'meters' && url.sel && stored ? (
            <LinePane
              key={`${stored.id}/${url.sel}`}
              periodId={stored.id}
              meterId={url.sel}
              meterIds={lines.data?.items.map((line) => line.meterId) ?? []}
              onSelect={(sel) => setUrl({ sel })}
            />
          ) : undefined
        }
      >
        <Panel flush className={styles['list']} label={t('title')}>
          <div className={styles['head']}>
            <Segmented
              aria-label={t('view')}
              value={tab}
              options={TABS.map((value) => ({ value, label: t(value) }))}
              onChange={(next) => setUrl({ ...FILTERS, tab: next, page: undefined, sort: undefined, sel: undefined })}
            />
            <PeriodPicker period={period} onChange={({ kind, from, to }) => setUrl({ kind, from, to, page: undefined, sel: undefined })} />
            {tab === 'meters' && running ? (
              <span className={styles['progress']} role="status">
                <Progress
                  percent={running.total > 0 ? Math.floor((100 * running.done) / running.total) : 0}
                  size="small"
                  showInfo={false}
                />
                {t('calculating', { done: running.done, total: running.total })}
              </span>
            ) : tab === 'meters' && calculation.hasFailed ? (
              <span className={styles['error']} role="alert">
                {t('calculationFailed')}
              </span>
            ) : tab === 'meters' && stored ? (
              <span className={styles['stored']}>
                <StateOf tag sign={PERIOD[stored.state]} />
                {isPublished && stored.publishedAt
                  ? t('publishedBy', { at: dateTime(stored.publishedAt), name: stored.publishedByName ?? '—' })
                  : stored.calculatedAt
                    ? t('calculatedBy', { at: dateTime(stored.calculatedAt), name: stored.calculatedByName ?? '—' })
                    : null}
              </span>
            ) : null}
          </div>
          {isLong ? null : tab === 'meters' ? (
            <ByMeter {...tabProps} list={lines} calculate={calculate} />
          ) : tab === 'balance' ? (
            <ByTransformer {...tabProps} />
          ) : tab === 'trend' ? (
            <Trend {...tabProps} />
          ) : (
            <AnomalyList range={period} node={url.node} url={url} setUrl={setUrl} onChanged={calculation.reload} />
          )}
        </Panel>
      </ListPage>
      {dialog === 'prices' ? <PriceDrawer today={today} onClose={() => setDialog(undefined)} onDone={() => setDialog(undefined)} /> : null}
      {dialog === 'publish' && stored ? (
        <DangerDialog
          title={t('publishTitle', { from: period.from, to: period.to })}
          effect={t('publishEffect')}
          about={
            summary.data && summary.data.byStatus.missing > 0 ? t('publishMissing', { count: summary.data.byStatus.missing }) : undefined
          }
          action={t('publish')}
          busy={publish.isPending}
          failure={publish.error?.message}
          onConfirm={() => publish.mutate({ params: { id: stored.id }, body: { version: stored.version } })}
          onClose={() => {
            publish.reset();
            setDialog(undefined);
          }}
        />
      ) : null}
    </div>
  );
}
