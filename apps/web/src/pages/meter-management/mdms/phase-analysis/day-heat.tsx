import type { PhaseBalance } from '@hes/contract/analysis/phase.ts';
import { HeatLegend, HeatMap, type Heat } from '#shared/chart/heat-map.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { figure } from '#shared/time/number.ts';
import { texts } from './messages.ts';
import styles from './phase.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
const two = (hour: number): string => String(hour).padStart(2, '0');

/** From above which percentage an hour has which colour. */
const stepsOf = ({ warningPercent, seriousPercent }: PhaseBalance['limits']): { above: number; heat: Heat }[] => [
  { above: 0, heat: 'calm' },
  { above: warningPercent / 2, heat: 'pale' },
  { above: warningPercent, heat: 'amber' },
  { above: seriousPercent, heat: 'orange' },
  { above: 2 * seriousPercent, heat: 'red' },
];

/** One row a day, one cell an hour; a day opens above. */
export function DayHeat({ data, onDay }: { data: PhaseBalance; onDay: (day: string) => void }) {
  const t = useMessages(texts);
  const steps = stepsOf(data.limits);
  const heatOf = (percent: number): Heat => steps.findLast(({ above }) => percent > above)?.heat ?? 'calm';
  return (
    <section className={styles['heatPart']} aria-label={t('heat')}>
      <header>
        <h3>{t('heat')}</h3>
      </header>
      <HeatMap
        label={t('heat')}
        headPx={64}
        columns={HOURS.map((hour) => ({ key: String(hour), name: two(hour), text: hour % 3 === 0 ? two(hour) : '' }))}
        rows={data.heat.map(({ day, hours }) => ({
          key: day,
          head: (
            <button
              type="button"
              className={styles['heatDay']}
              aria-label={t('showDay', { day })}
              aria-pressed={day === data.day}
              onClick={() => onDay(day)}
            >
              {day.slice(5)}
            </button>
          ),
          cells: hours.map((value, hour) => ({
            key: String(hour),
            heat: value === null ? 'nothing' : heatOf(value),
            tip: value === null ? t('heatNone', { day, hour: two(hour) }) : t('heatTip', { day, hour: two(hour), value: figure(value, 1) }),
          })),
        }))}
      />
      <HeatLegend
        steps={steps.map(({ above, heat }, step) => ({
          heat,
          text: `${step === 0 ? '≥' : '>'} ${figure(above, above % 1 === 0 ? 0 : 1)} %`,
        }))}
      />
    </section>
  );
}
