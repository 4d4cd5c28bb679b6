import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { reading } from '@hes/contract/reading/reading.ts';
import { useApiQuery } from '#shared/api/hooks.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { figure, percent } from '#shared/time/number.ts';
import type { Kind } from './data-kinds.ts';
import type { DayRange } from './range.ts';
import { texts } from './columns.tsx';
import { ByDcu } from './by-dcu.tsx';
import { toneOf } from './tone.ts';
import styles from './reading.module.css';

interface SummaryProps {
  kind: Kind;
  range: DayRange;
  target: { meterId?: string; node?: NodeKey };
}

/** Expected, got, missing and the rate, with one mark a day. */
export function Summary({ kind, range, target }: SummaryProps) {
  const t = useMessages(texts);
  const query = useApiQuery(reading.completeness, { query: { ...range, ...target, profile: kind } });
  const days = query.data?.items ?? [];
  const expected = days.reduce((sum, day) => sum + day.expected, 0);
  const got = days.reduce((sum, day) => sum + day.got, 0);
  const figures: [label: string, value: string, raw: number | undefined][] = [
    [t('expected'), figure(expected), expected],
    [t('got'), figure(got), got],
    [t('missing'), figure(Math.max(0, expected - got)), expected - got],
    [t('rate'), percent(got, expected) === undefined ? '—' : `${percent(got, expected)} %`, undefined],
  ];
  if (query.isError) return <p className={styles['summaryError']}>{query.error.message}</p>;
  return (
    <div className={styles['summary']} role="group" aria-label={t('summary')} aria-live="polite">
      {figures.map(([label, value, raw]) => (
        <span key={label}>
          {label} <b data-value={raw}>{query.data ? value : '—'}</b>
        </span>
      ))}
      {target.node?.startsWith('meter:') || target.meterId ? null : <ByDcu kind={kind} range={range} node={target.node} />}
      <span className={styles['days']} aria-hidden="true">
        {days.map((day) => (
          <i
            key={day.day}
            title={t('dayTip', { day: day.day, got: day.got, expected: day.expected })}
            style={{ background: `var(--${toneOf(day.got, day.expected)}-solid)` }}
          />
        ))}
      </span>
    </div>
  );
}
