import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { useMessages } from '#core/i18n/use-messages.ts';
import { percent } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState } from '#kit/basics/states.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import { toneOfDay } from '#pages/dashboard/tones.ts';
import { useChoice } from '#pages/dashboard/use-cards.ts';
import { useSummary, type Summary } from '#pages/dashboard/use-summary.ts';
import styles from './rail.module.css';

type Day = Summary['completeness'][number];

function Row({ label, days, of, isFilling }: { label: string; days: Day[]; of: 'daily' | 'lpa'; isFilling: boolean }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      {days.map((day) => {
        const { got, expected } = day[of];
        const tone = toneOfDay(day[of], isFilling);
        return (
          <td key={day.day}>
            <Link
              to={to.readings({ tab: of, from: day.day, to: day.day })}
              title={`${day.day}: ${got} / ${expected}`}
              style={{ background: `var(--${tone}-soft)`, color: `var(--${tone}-fg)` }}
            >
              {percent(got, expected, 1) ?? '—'}
            </Link>
          </td>
        );
      })}
    </tr>
  );
}

/** Received readings in percent of the expected ones, for a day and the six before. */
export function CompletenessPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  const [{ date }] = useChoice();
  return (
    <Panel
      title={t('completeness')}
      note={`%, ${t(date ? 'sevenDaysUntil' : 'sevenDays', { day: date ?? '' })}`}
      className={styles['rail']}
    >
      <PanelState query={query} lines={3}>
        {(data) => (
          <table className={styles['days']}>
            <thead>
              <tr>
                <td>
                  <span className="visually-hidden">{t('day')}</span>
                </td>
                {data.completeness.map((day, at) => (
                  <th key={day.day} scope="col" title={day.day}>
                    {at === data.completeness.length - 1 && !date ? t('today') : day.day.slice(8)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              <Row label={t('dailyRow')} days={data.completeness} of="daily" isFilling={data.filling !== null} />
              <Row label={t('lpaRow')} days={data.completeness} of="lpa" isFilling={data.filling !== null} />
            </tbody>
          </table>
        )}
      </PanelState>
    </Panel>
  );
}
