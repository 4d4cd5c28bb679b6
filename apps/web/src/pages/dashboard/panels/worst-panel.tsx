import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { Meter } from '#kit/chart/bars.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { percent } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { Sn } from '#kit/basics/text.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import { toneOfWorst } from '#pages/dashboard/tones.ts';
import { useChoice } from '#pages/dashboard/use-cards.ts';
import { useSummary } from '#pages/dashboard/use-summary.ts';
import styles from './rail.module.css';

/** The DCUs with the most missing slots of the last 24 hours, or of a day. */
export function WorstPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  const [{ date }] = useChoice();
  return (
    <Panel title={t(date ? 'worstOf' : 'worst', { day: date ?? '' })} className={styles['grow']}>
      <PanelState
        query={query}
        lines={5}
        isEmpty={(data) => data.worstDcus.length === 0}
        empty={<Empty small text={t(date ? 'noWorstOf' : 'noWorst')} />}
      >
        {(data) => (
          <ul className={styles['list']}>
            {data.worstDcus.map((dcu) => (
              <li key={dcu.id}>
                <Link to={to.dcus({ sel: dcu.id })} className={styles['worst']}>
                  <span>
                    <Sn sn={dcu.sn} /> <span className={styles['dim']}>{dcu.transformerName}</span>
                  </span>
                  <Meter
                    value={dcu.got}
                    max={dcu.expected}
                    tone={toneOfWorst(dcu, data.filling !== null)}
                    label={`${dcu.got} / ${dcu.expected}`}
                  />
                  <b>{percent(dcu.got, dcu.expected, 1) ?? '—'} %</b>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </PanelState>
    </Panel>
  );
}
