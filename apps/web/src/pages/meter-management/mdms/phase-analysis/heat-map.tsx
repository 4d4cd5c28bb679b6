import type { PhaseBalance } from '@hes/contract/analysis/phase.ts';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { figure } from '#shared/time/number.ts';
import { texts } from './messages.ts';
import styles from './phase.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const two = (hour: number): string => String(hour).padStart(2, '0');

/** Five steps up to the serious limit and one above it. */
function stepOf(value: number, { warningPercent, seriousPercent }: PhaseBalance['limits']): number {
  if (value > 2 * seriousPercent) return 4;
  if (value > seriousPercent) return 3;
  if (value > warningPercent) return 2;
  return value > warningPercent / 2 ? 1 : 0;
}

/** One row a day, one cell an hour; a day opens above. */
export function HeatMap({ data, onDay }: { data: PhaseBalance; onDay: (day: string) => void }) {
  const t = useMessages(texts);
  const { warningPercent, seriousPercent } = data.limits;
  const bounds = [0, warningPercent / 2, warningPercent, seriousPercent, 2 * seriousPercent];
  return (
    <section className={styles['heatPart']} aria-label={t('heat')}>
      <header>
        <h3>{t('heat')}</h3>
      </header>
      <div className={styles['heatScroll']}>
        <table className={styles['heat']} aria-label={t('heat')}>
          <thead>
            <tr>
              <td />
              {HOURS.map((hour) => (
                <th key={hour} scope="col" aria-label={two(hour)}>
                  {hour % 3 === 0 ? two(hour) : ''}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.heat.map(({ day, hours }) => (
              <tr key={day} data-shown={day === data.day}>
                <th scope="row">
                  <button type="button" aria-label={t('showDay', { day })} aria-pressed={day === data.day} onClick={() => onDay(day)}>
                    {day.slice(5)}
                  </button>
                </th>
                {hours.map((value, hour) => {
                  const tip =
                    value === null
                      ? t('heatNone', { day, hour: two(hour) })
                      : t('heatTip', { day, hour: two(hour), value: figure(value, 1) });
                  return (
                    <td key={hour} title={tip}>
                      <i data-step={value === null ? undefined : stepOf(value, data.limits)}>
                        <span className="visually-hidden">{tip}</span>
                      </i>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles['legend']}>
        {bounds.map((from, step) => (
          <span key={from}>
            <i data-step={step} /> {`${step === 0 ? '≥' : '>'} ${figure(from, from % 1 === 0 ? 0 : 1)} %`}
          </span>
        ))}
      </p>
    </section>
  );
}
