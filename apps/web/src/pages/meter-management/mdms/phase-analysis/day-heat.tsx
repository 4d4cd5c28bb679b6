import type { PhaseBalance } from '@hes/contract/analysis/phase.ts';
import { HeatLegend, HeatMap, type Heat } from '#kit/chart/heat-map.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { dayAxis, onAxis, sparseHour } from '#core/time/day-axis.ts';
import { figure } from '#core/time/number.ts';
import { texts } from './messages.ts';
import styles from './phase.module.css';

const momentOf = ({ at }: PhaseBalance['heat'][number]['hours'][number]): number => Date.parse(at);

/** Lower limits of the colours of an hour, in percent. */
const stepsOf = ({ warningPercent, seriousPercent }: PhaseBalance['limits']): { above: number; heat: Heat }[] => [
  { above: 0, heat: 'calm' },
  { above: warningPercent / 2, heat: 'pale' },
  { above: warningPercent, heat: 'amber' },
  { above: seriousPercent, heat: 'orange' },
  { above: 2 * seriousPercent, heat: 'red' },
];

/** One row per day, one cell per hour; a click opens the day above. */
export function DayHeat({ data, onDay }: { data: PhaseBalance; onDay: (day: string) => void }) {
  const t = useMessages(texts);
  const steps = stepsOf(data.limits);
  const axis = dayAxis(data.heat.map(({ hours }) => hours.map(momentOf)));
  const heatOf = (percent: number): Heat => steps.findLast(({ above }) => percent > above)?.heat ?? 'calm';
  return (
    <section className={styles['heatPart']} aria-label={t('heat')}>
      <header>
        <h3>{t('heat')}</h3>
      </header>
      <HeatMap
        label={t('heat')}
        headPx={64}
        columns={axis.map((time) => ({ key: time, name: time, text: sparseHour(time) }))}
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
          cells: onAxis(axis, hours, momentOf).map((hour, place) => {
            const time = axis[place] ?? '';
            if (hour === null) return { key: time, heat: 'nothing' as const, tip: t('heatNoHour', { day, time }) };
            if (hour.value === null) return { key: time, heat: 'nothing' as const, tip: t('heatNone', { day, time }) };
            return { key: time, heat: heatOf(hour.value), tip: t('heatTip', { day, time, value: figure(hour.value, 1) }) };
          }),
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
