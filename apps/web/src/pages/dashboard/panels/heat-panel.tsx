import { to } from '@hes/contract/page/links.ts';
import { Link } from 'react-router';
import { HeatLegend, HeatMap, type Heat } from '#kit/chart/heat-map.tsx';
import { useMessages } from '#core/i18n/use-messages.ts';
import { sparseHour } from '#core/time/day-axis.ts';
import { wallTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { Empty, PanelState } from '#kit/basics/states.tsx';
import { texts } from '#pages/dashboard/texts.ts';
import { useChoice } from '#pages/dashboard/use-cards.ts';
import { useSummary, type Summary } from '#pages/dashboard/use-summary.ts';
import styles from './heat.module.css';

/** Lower limits of the colours; below the last one a cell is red. */
const STEPS = [
  { from: 0.995, heat: 'calm' },
  { from: 0.985, heat: 'pale' },
  { from: 0.97, heat: 'warm' },
  { from: 0.94, heat: 'amber' },
  { from: 0.9, heat: 'orange' },
] as const satisfies { from: number; heat: Heat }[];
const LOW = STEPS[1].from;

const heatOf = (share: number): Heat => STEPS.find(({ from }) => share >= from)?.heat ?? 'red';
const isCalm = (share: number): boolean => share >= LOW;

/** One row per level, one cell per hour of the day. */
export function HeatPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  const [{ date }] = useChoice();
  const days = { from: date, to: date };
  const isFilling = query.data?.filling != null;
  const rowOf = ({ levelId, name, rates }: Summary['heat']['levels'][number], times: string[], current: number) => {
    // Collection of the current hour is incomplete: it is displayed, but does not count in the average.
    const known = rates.filter((share, hour): share is number => share !== null && hour < current);
    const mean = known.length > 0 ? known.reduce((sum, share) => sum + share, 0) / known.length : undefined;
    return {
      key: levelId,
      head: <Link to={to.readings({ tab: 'lpa', node: `level:${levelId}`, ...days })}>{name}</Link>,
      cells: times.map((time, hour) => {
        const share = rates[hour] ?? null;
        const params = { name, time };
        const isRunning = (hour === current || isFilling) && share !== null && !isCalm(share);
        return {
          key: time,
          heat: share === null ? ('nothing' as const) : isRunning ? ('running' as const) : heatOf(share),
          tip: share === null ? t('heatNone', params) : t('heatTip', { ...params, rate: (share * 100).toFixed(1) }),
        };
      }),
      ends: [
        <b key="mean" className={styles['mean']} data-low={(mean !== undefined && !isCalm(mean) && !isFilling) || undefined}>
          {mean === undefined ? '—' : figure(Math.floor(mean * 1000) / 10, 1)}
        </b>,
      ],
    };
  };
  return (
    <Panel title={t('heat')} className={styles['panel']}>
      <PanelState query={query} lines={6} isEmpty={(data) => data.heat.levels.length === 0} empty={<Empty text={t('noHeat')} />}>
        {({ heat, at }) => {
          const times = heat.hours.map((hour) => wallTime(Date.parse(hour)));
          // A past day has no current hour.
          const current = date ? times.length : heat.hours.findLastIndex((hour) => hour <= at);
          return (
            <>
              <HeatMap
                label={t('heat')}
                headPx={128}
                columns={times.map((time) => ({ key: time, name: time, text: sparseHour(time) }))}
                ends={[{ key: 'mean', title: t('mean'), widthPx: 52 }]}
                rows={heat.levels.map((level) => rowOf(level, times, current))}
              />
              <HeatLegend
                title={t('heatLegend')}
                steps={[
                  ...STEPS.map(({ from, heat }) => ({ heat, text: `≥ ${(from * 100).toFixed(1)}` })),
                  { heat: 'red', text: `< ${(STEPS[4].from * 100).toFixed(1)}` },
                  ...(isFilling ? [{ heat: 'running' as const, text: t('beingFilled') }] : []),
                ]}
              />
            </>
          );
        }}
      </PanelState>
    </Panel>
  );
}
