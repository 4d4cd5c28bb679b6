import type { ResponseOf } from '@hes/contract/core/route.ts';
import { event } from '@hes/contract/event/event.ts';
import { useMessages } from '#core/i18n/use-messages.ts';
import { figure, percent } from '#core/time/number.ts';
import { LEVEL } from '#domain/states/event-tables.ts';
import { Glyph } from '#kit/state/glyphs.tsx';
import type { ListState } from '#kit/list/use-list.ts';
import { PanelState } from '#kit/basics/states.tsx';
import { NoRows } from '#kit/list/list-table.tsx';
import { useApiQuery } from '#core/api/hooks.ts';
import { texts, useCodeName } from './texts.ts';
import styles from './event.module.css';

type Facets = ResponseOf<typeof event.facets>;

/** The few codes that cause most events of the filters; a click lists the events of one. */
export function Pareto({ list }: { list: ListState<typeof event.list> }) {
  const narrowed = useApiQuery(event.facets, { query: list.filter, keep: true, refetchMs: 60_000 });
  return (
    <PanelState query={narrowed} lines={14} isEmpty={(data) => data.byCode.length === 0} empty={<NoRows list={list} />}>
      {(data) => <Bars facets={data} onCode={(codes) => list.filterBy({ view: undefined, codes })} />}
    </PanelState>
  );
}

function Bars({ facets, onCode }: { facets: Facets; onCode: (code: string) => void }) {
  const t = useMessages(texts);
  const nameOf = useCodeName();
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
