import { useMessages } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import type { UrlWords } from '#kit/list/filters.tsx';
import { texts } from './messages.ts';
import { isRead, useSummary } from './use-summary.ts';
import styles from './sta-model.module.css';

/** Modules by vendor and version, roles and levels of the network. */
export function Summary({ filterBy }: { filterBy: (change: UrlWords) => void }) {
  const t = useMessages(texts);
  const summary = useSummary();
  const readAt = summary.data?.readAt;
  return (
    <Panel label={t('summary')} className={styles['head']}>
      <PanelState
        query={summary}
        lines={2}
        isEmpty={(data) => !isRead(data)}
        empty={<Empty small text={t('notRead')} hint={t('noneHint')} />}
      >
        {({ modules, levels, roles }) => (
          <dl className={styles['summary']} aria-label={t('summary')}>
            {modules.map(({ vendor, version, count }) => (
              <div key={`${vendor} ${version}`}>
                <dt>
                  {vendor} <span className="mono">{version}</span>
                </dt>
                <dd>
                  <button type="button" onClick={() => filterBy({ vendor, version })}>
                    {count}
                  </button>
                </dd>
              </div>
            ))}
            <div>
              <dt>{t('role')}</dt>
              <dd>{`◆ ${roles.cco} · ▲ ${roles.pco} · ● ${roles.sta}`}</dd>
            </div>
            <div>
              <dt>{t('levels')}</dt>
              <dd>{levels.map(({ level, count }) => `${level}: ${count}`).join(' · ') || '—'}</dd>
            </div>
          </dl>
        )}
      </PanelState>
      {readAt ? <small>{t('readAt', { time: dateTime(readAt) })}</small> : null}
    </Panel>
  );
}
