import { bill } from '@hes/contract/analysis/bill.ts';
import { price } from '@hes/contract/analysis/price.ts';
import { App, Button, Progress, Segmented } from 'antd';
import { Calculator, Lock, Tags } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useApiMutation, useApiQuery } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime, localDay, serverNow } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { DangerDialog } from '#kit/dialog/danger-dialog.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { texts } from './messages.ts';
import { isTooLong, type Period } from './period.ts';
import { PeriodPicker } from './period-picker.tsx';
import { PriceDrawer } from './price-drawer.tsx';
import { PERIOD } from './signs.ts';
import { useCalculation } from './use-calculation.ts';
import styles from './bill.module.css';

const TABS = ['meters', 'balance', 'trend', 'anomalies'] as const;
type Tab = (typeof TABS)[number];

/** What all tabs have: actions in the title line, and the bar with tabs and period. */
export interface BillFrame {
  head: ReactNode;
  bar: ReactNode;
  /** Starts the calculation; absent where the user may not, or the period is published. */
  calculate: ReactNode;
}

interface FrameProps {
  tab: Tab;
  period: Period;
  onTab: (tab: Tab) => void;
  onPeriod: (period: Period) => void;
}

export function useBillFrame({ tab, period, onTab, onPeriod }: FrameProps): BillFrame {
  const t = useMessages(texts);
  const may = useMay();
  const { message } = App.useApp();
  const [dialog, setDialog] = useState<'publish' | 'prices'>();
  const today = localDay(serverNow());
  const isLong = isTooLong(period);
  const summary = useApiQuery(bill.summary, { query: { from: period.from, to: period.to }, enabled: !isLong });
  const stored = summary.data?.period ?? undefined;
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
  const head = (
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
    </>
  );
  const bar = (
    <Panel flush className={styles['bar']}>
      <div className={styles['head']}>
        <Segmented aria-label={t('view')} value={tab} options={TABS.map((value) => ({ value, label: t(value) }))} onChange={onTab} />
        <PeriodPicker period={period} onChange={onPeriod} />
        {tab === 'meters' && running ? (
          <span className={styles['progress']} role="status">
            <Progress percent={running.total > 0 ? Math.floor((100 * running.done) / running.total) : 0} size="small" showInfo={false} />
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
    </Panel>
  );
  return { head, bar, calculate };
}
