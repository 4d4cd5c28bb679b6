import type { ResponseOf } from '@hes/contract/core/route.ts';
import type { event } from '@hes/contract/event/event.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure, percent } from '#core/time/number.ts';
import { LEVEL } from '#domain/states/event-tables.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import { texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

type Facets = ResponseOf<typeof event.facets>;

/** The few codes that cause most events; a click filters by one. */
export function Pareto({ facets, onCode }: { facets: Facets; onCode: (code: string) => void }) {
  const t = useMessages(texts);
  const nameOf = useCodeName(t);
  const most = facets.byCode[0]?.count ?? 1;
  return (
    <div className={styles['pareto']}>
      <p className={styles['paretoHead']}>
        <span>{t('codeName')}</span>
        <span>{t('count')}</span>
        <span>{t('share')}</span>
        <span>{t('cumulative')}</span>
      </p>
      <ol aria-label={t('pareto')}>
        {facets.byCode.map((row, index) => {
          const sum = facets.byCode.slice(0, index + 1).reduce((all, { count }) => all + count, 0);
          const sign = LEVEL[row.abnormalLevel ?? 'none'];
          return (
            <li key={`${row.log}:${row.code}`}>
              <button type="button" onClick={() => onCode(`${row.log}:${row.code}`)}>
                <span className={styles['paretoName']}>
                  <Glyph shape={sign.shape} tone={sign.tone} size={14} />
                  <span className={styles['paretoCode']}>{row.code}</span>
                  {nameOf(row)}
                </span>
                <span className={styles['paretoBar']}>
                  <i style={{ width: `${(row.count / most) * 100}%`, background: `var(--${sign.tone}-solid)` }} />
                </span>
                <b data-value={row.count}>{figure(row.count)}</b>
                <span>{percent(row.count, facets.all, 1)} %</span>
                <span>{percent(sum, facets.all, 1)} %</span>
              </button>
            </li>
          );
        })}
      </ol>
    </div>
  );
}
