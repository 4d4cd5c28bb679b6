import type { NodeKey } from '@hes/contract/asset/tree.ts';
import { reading, type Completeness } from '@hes/contract/reading/reading.ts';
import { useApiQuery } from '#core/api/hooks.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { clockTime } from '#core/time/format.ts';
import { figure, percent } from '#core/time/number.ts';
import type { Kind } from './data-kinds.ts';
import type { MeterFilter } from './filters.tsx';
import type { DayRange } from './range.ts';
import { texts } from './columns.tsx';
import { ByDcu } from './by-dcu.tsx';
import { toneOf } from './tone.ts';
import styles from './reading.module.css';

interface SummaryProps {
  kind: Kind;
  range: DayRange;
  target: { meterId?: string; node?: NodeKey };
  chosen: MeterFilter;
}

const PARTS = ['open', 'noData', 'lost', 'unlisted'] as const satisfies readonly (keyof Completeness['missing'])[];

/** Figures with the time they are from: expected, received, missing by state of the gap, rate, and a mark per day. */
export function Figures({ kind, range, target, chosen, figures }: SummaryProps & { figures: Completeness | undefined }) {
  const t = useMessages(texts);
  const days = figures?.items ?? [];
  const expected = days.reduce((sum, day) => sum + day.expected, 0);
  const got = days.reduce((sum, day) => sum + day.got, 0);
  const missing = Math.max(0, expected - got);
  const shown: [label: string, value: string, raw: number | undefined][] = [
    [t('expected'), figure(expected), expected],
    [t('got'), figure(got), got],
    [t('missing'), figure(missing), missing],
    [
      t('rate'),
      percent(Math.min(got, expected), expected) === undefined ? '—' : `${percent(Math.min(got, expected), expected)} %`,
      undefined,
    ],
  ];
  const parts = figures === undefined ? [] : PARTS.filter((part) => figures.missing[part] > 0);
  return (
    <div className={styles['summary']} role="group" aria-label={t('summary')} aria-live="polite">
      {shown.map(([label, value, raw]) => (
        <span key={label}>
          {label} <b data-value={raw}>{figures ? value : '—'}</b>
        </span>
      ))}
      {figures && parts.length > 0 ? (
        <span title={t('missingTip')}>
          {parts.map((part) => t(`missing_${part}`, { count: figure(figures.missing[part]) })).join(' · ')}
        </span>
      ) : null}
      {target.node?.startsWith('meter:') || target.meterId ? null : <ByDcu kind={kind} range={range} node={target.node} />}
      {figures ? (
        <span className={styles['asOf']}>
          {chosen.search === undefined && chosen.mode === undefined ? null : `${t('allMeters')} · `}
          {t('asOf', { time: clockTime(figures.asOf) })}
        </span>
      ) : null}
      <span className={styles['days']} aria-hidden="true">
        {days.length > 0 ? t('byDay') : null}
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

export function Summary(props: SummaryProps) {
  const { kind, range, target } = props;
  const query = useApiQuery(reading.completeness, { query: { ...range, ...target, profile: kind } });
  if (query.isError) return <p className={styles['summaryError']}>{query.error.message}</p>;
  return <Figures {...props} figures={query.data} />;
}
