import type { PlanPreview } from '@hes/contract/reading/plan.ts';
import { CalendarX2, Check } from 'lucide-react';
import { useMessages } from '#core/i18n/use-messages.ts';
import { clockTime, dateTime, elapsed } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { PanelState, type Loaded } from '#kit/basics/states.tsx';
import { Figures, Num, Sn } from '#kit/basics/text.tsx';
import { texts } from './messages.ts';
import styles from './plan.module.css';

const DCUS_SHOWN = 8;

/** A rounded size such as `7.0 MB`. */
function octets(bytes: number): string {
  const [size, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${figure(size, 1)} ${unit}`;
}

/** Frames, bytes and air time of a run, when it runs, and other plans on the same DCUs at that time. */
export function PlanCost({ query }: { query: Loaded<PlanPreview> }) {
  const t = useMessages(texts);
  return (
    <section aria-label={t('preview')}>
      <PanelState query={query} lines={5}>
        {({ cost, next, collisions, fault }) => {
          const ends = next[0] === undefined ? undefined : new Date(next[0]).getTime() + cost.seconds * 1000;
          return (
            <>
              <h3 className={styles['head']}>
                {t('preview')}
                <small>{cost.basis === 'measured' ? t('basisMeasured', { sample: cost.sample }) : t('basisEstimated')}</small>
              </h3>
              <Figures
                items={[
                  { label: t('meters'), value: <Num value={cost.meters} /> },
                  { label: t('frames'), value: <Num value={cost.frames} /> },
                  { label: t('bytes'), value: <span data-value={cost.bytes}>{octets(cost.bytes)}</span> },
                  { label: t('airTime'), value: elapsed(cost.seconds * 1000), note: t('airTimeNote') },
                  { label: t('ends'), value: ends === undefined ? '—' : clockTime(ends) },
                ]}
              />
              {fault ? <p className={styles['fault']}>{fault.message}</p> : null}
              <div className={styles['columns']}>
                <div>
                  <h4>{t('nextTen')}</h4>
                  <ol className={styles['next']}>
                    {next.map((run) => (
                      <li key={run} className="mono">
                        {dateTime(run)}
                      </li>
                    ))}
                  </ol>
                </div>
                <div>
                  <h4>{t('perDcu')}</h4>
                  <ul className={styles['dcus']}>
                    {cost.perDcu.slice(0, DCUS_SHOWN).map((dcu) => (
                      <li key={dcu.dcuId}>
                        <Sn sn={dcu.dcuSn} />
                        <span className={styles['bar']}>
                          <i style={{ width: `${(dcu.seconds / Math.max(1, cost.seconds)) * 100}%` }} />
                        </span>
                        <span data-value={dcu.seconds}>{elapsed(dcu.seconds * 1000)}</span>
                      </li>
                    ))}
                  </ul>
                </div>
                <div>
                  <h4>{t('collisions')}</h4>
                  {collisions.length === 0 ? (
                    <p className={styles['free']}>
                      <Check size={14} aria-hidden="true" />
                      {t('noCollisions')}
                    </p>
                  ) : (
                    <ul className={styles['collisions']}>
                      {collisions.map((collision) => (
                        <li key={collision.planId}>
                          <CalendarX2 size={14} aria-hidden="true" />
                          {t('collision', { name: collision.name, at: dateTime(collision.at), dcus: collision.dcus })}
                        </li>
                      ))}
                    </ul>
                  )}
                </div>
              </div>
            </>
          );
        }}
      </PanelState>
    </section>
  );
}
