import type { PeriodKind } from '@hes/contract/states/bill.ts';
import { DatePicker, Segmented } from 'antd';
import dayjs from 'dayjs';
import { useMessages } from '#core/i18n/use-messages.ts';
import { texts } from './messages.ts';
import { changeKind, isTooLong, monthOf, type Period } from './period.ts';
import styles from './bill.module.css';

const FORMAT = 'YYYY-MM-DD';
const KINDS: PeriodKind[] = ['day', 'month', 'custom'];

/** A day, a month, or up to 31 days. */
export function PeriodPicker({ period, onChange }: { period: Period; onChange: (period: Period) => void }) {
  const t = useMessages(texts);
  const { kind, from, to } = period;
  return (
    <span className={styles['period']}>
      <Segmented
        aria-label={t('period')}
        value={kind}
        options={KINDS.map((value) => ({ value, label: t(value) }))}
        onChange={(next) => onChange(changeKind(period, next))}
      />
      {kind === 'custom' ? (
        <DatePicker.RangePicker
          allowClear={false}
          aria-label={t('period')}
          value={[dayjs(from), dayjs(to)]}
          {...(isTooLong(period) ? { status: 'error' as const } : {})}
          onChange={(dates) => {
            const [first, last] = dates ?? [];
            if (first && last) onChange({ kind, from: first.format(FORMAT), to: last.format(FORMAT) });
          }}
        />
      ) : (
        <DatePicker
          allowClear={false}
          aria-label={t(kind)}
          picker={kind === 'month' ? 'month' : 'date'}
          value={dayjs(from)}
          onChange={(date) => {
            const day = dayjs(date).format(FORMAT);
            onChange(kind === 'month' ? { kind, ...monthOf(day) } : { kind, from: day, to: day });
          }}
        />
      )}
      {isTooLong(period) ? (
        <span className={styles['error']} role="alert">
          {t('rangeTooLong')}
        </span>
      ) : null}
    </span>
  );
}
