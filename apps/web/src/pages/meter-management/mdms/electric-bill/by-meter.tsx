import { to } from '@hes/contract/page/links.ts';
import { bill } from '@hes/contract/analysis/bill.ts';
import type { NodeKey } from '@hes/contract/asset/tree.ts';
import type { ResponseOf } from '@hes/contract/core/route.ts';
import { App, Button } from 'antd';
import { Calculator, ScanSearch } from 'lucide-react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { useApiMutation } from '#core/api/hooks.ts';
import { useMay } from '#core/api/may.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { Empty } from '#kit/basics/states.tsx';
import { Num } from '#kit/basics/text.tsx';
import { ListView } from '#kit/list/list-screen.tsx';
import { useList } from '#kit/list/use-list.ts';
import type { BillFrame } from './bill-frame.tsx';
import { texts } from './messages.ts';
import { besidePane, meterList, useSummary } from './meter-list.tsx';
import styles from './bill.module.css';

/** Reads missing values of a calculated period from the meters. */
function ReadMissing({ summary, node }: { summary: ResponseOf<typeof bill.summary>; node: NodeKey | undefined }) {
  const t = useMessages(texts);
  const may = useMay();
  // Notifications render outside of the router, where links do not work.
  const go = useNavigate();
  const { message, notification } = App.useApp();
  const order = useApiMutation(bill.readMissing, {
    success: ({ taskId, meters, left }) =>
      notification.success({
        title: t('reading', { count: meters }),
        description: (
          <>
            {left > 0 ? <p>{t('readingLeft', { count: left })}</p> : null}
            <p>{t('readingHint')}</p>
            <Button type="link" size="small" onClick={() => void go(to.onDemandReading({ task: taskId }))}>
              {t('openTask')}
            </Button>
          </>
        ),
      }),
    failure: (error) => void message.error(error.message, 0),
  });
  const { period, byStatus } = summary;
  if (period?.state !== 'calculated' || byStatus.missing + byStatus.estimated === 0 || !may(bill.readMissing)) return null;
  return (
    <Button
      icon={<ScanSearch size={14} aria-hidden="true" />}
      loading={order.isPending}
      onClick={() => order.mutate({ params: { id: period.id }, body: { node } })}
    >
      {t('readMissing')}
    </Button>
  );
}

/** Sums of the listed meters. */
function Sums({ of: { plus, minus, amount, currency } }: { of: ResponseOf<typeof bill.summary> }) {
  const t = useMessages(texts);
  return (
    <span className={styles['sums']}>
      <Calculator size={14} aria-hidden="true" />
      {t('sumPlus')} <Num value={plus} decimals={1} unit="kWh" strong />
      {minus > 0 ? (
        <>
          {t('sumMinus')} <Num value={minus} decimals={1} unit="kWh" strong />
        </>
      ) : null}
      {amount === null ? null : <Num value={amount} decimals={2} unit={currency ?? ''} strong />}
    </span>
  );
}

/** All meters of the period with their consumption and its basis. */
export function ByMeter({ head, bar, calculate }: BillFrame) {
  const t = useMessages(texts);
  const [search] = useSearchParams();
  const isOpen = search.has('sel');
  const list = useList(isOpen ? besidePane : meterList);
  const { from, to: last, node } = list.filter;
  const { data } = useSummary(list.filterOfCounts);
  const gaps = to.readings({ view: 'gaps', from, to: last, node });
  const empty = () => {
    if (data === undefined || list.isFiltered) return undefined;
    if (!data.hasReadings) return <Empty text={t('noReadings')} action={<Link to={gaps}>{t('openGaps')}</Link>} />;
    const isCalculated = data.period !== null && data.period.state !== 'open';
    return isCalculated ? undefined : <Empty text={t('notCalculated')} hint={t('notCalculatedHint')} action={calculate} />;
  };
  return (
    <ListView
      list={list}
      head={() => head}
      before={() => bar}
      filters={() => (
        <>
          {data ? <ReadMissing summary={data} node={node} /> : null}
          {data && data.total > 0 && !isOpen ? <Sums of={data} /> : null}
        </>
      )}
      empty={empty}
    />
  );
}
