import type { PageWords } from '@hes/contract/page/links.ts';
import { Button, DatePicker, Segmented } from 'antd';
import dayjs from 'dayjs';
import { ChartLine, Grid3x3, History, Table2, Unplug } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { RefreshButton } from '#kit/page/refresh-button.tsx';
import { texts } from './columns.tsx';
import type { Kind } from './data-kinds.ts';
import { isTooLong, lastDays, lastYear, type DayRange } from './range.ts';
import styles from './reading.module.css';

type View = NonNullable<PageWords<'readings'>['view']>;

interface ToolbarProps {
  kind: Kind;
  range: DayRange;
  today: string;
  view: View;
  busy: boolean;
  onRange: (range: DayRange) => void;
  onView: (view: View) => void;
  /** Undefined without permission. */
  onRefill: (() => void) | undefined;
  /** Export and import buttons. */
  files: ReactNode;
  /** Undefined where the list has a button of its own. */
  onRefresh: (() => void) | undefined;
}

const FORMAT = 'YYYY-MM-DD';

export function Toolbar({ kind, range, today, view, busy, files, onRange, onView, onRefill, onRefresh }: ToolbarProps) {
  const t = useMessages(texts);
  const preset = (label: string, { from, to }: DayRange) => ({ label, value: [dayjs(from), dayjs(to)] as [dayjs.Dayjs, dayjs.Dayjs] }); // the picker wants a pair
  const yesterday = lastDays(today, 2).from;
  const byMonth = kind === 'monthly';
  const tooLong = isTooLong(range, kind);
  const rule = byMonth ? t('limitMonths') : tooLong ? t('rangeTooLong') : t('limit');
  return (
    <div className={styles['toolbar']}>
      <DatePicker.RangePicker
        allowClear={false}
        aria-label={t('range')}
        value={[dayjs(range.from), dayjs(range.to)]}
        picker={byMonth ? 'month' : 'date'}
        {...(tooLong ? { status: 'error' as const } : {})}
        presets={
          byMonth
            ? [preset(t('last12Months'), lastYear(today))]
            : [
                preset(t('today'), { from: today, to: today }),
                preset(t('yesterday'), { from: yesterday, to: yesterday }),
                preset(t('last7'), lastDays(today, 7)),
                preset(t('last31'), lastDays(today, 31)),
              ]
        }
        onChange={(dates) => {
          const [from, to] = dates ?? [];
          if (!from || !to) return;
          const [first, last] = byMonth ? [from.startOf('month'), to.endOf('month')] : [from, to];
          onRange({ from: first.format(FORMAT), to: last.format(FORMAT) });
        }}
      />
      {tooLong ? (
        <span className={styles['error']} role="alert">
          {rule}
        </span>
      ) : (
        <span className={styles['limit']}>{rule}</span>
      )}
      <span className={styles['space']} />
      <Segmented
        aria-label={t('view')}
        value={view}
        onChange={onView}
        options={[
          { value: 'table', label: t('table'), icon: <Table2 size={14} aria-hidden="true" /> },
          { value: 'chart', label: t('chart'), icon: <ChartLine size={14} aria-hidden="true" /> },
          { value: 'heat', label: t('heat'), icon: <Grid3x3 size={14} aria-hidden="true" /> },
          { value: 'gaps', label: t('gaps'), icon: <Unplug size={14} aria-hidden="true" /> },
        ]}
      />
      {onRefill ? (
        <Button icon={<History size={14} aria-hidden="true" />} onClick={onRefill}>
          {t('refill')}
        </Button>
      ) : null}
      {files}
      {onRefresh ? <RefreshButton busy={busy} onRefresh={onRefresh} /> : null}
    </div>
  );
}
