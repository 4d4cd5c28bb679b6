import { Link } from 'react-router';
import { HeatLegend, HeatMap, type Heat } from '#shared/chart/heat-map.tsx';
import { useMessages } from '#shared/i18n/use-messages.ts';
import { hourMinute } from '#shared/time/format.ts';
import { figure } from '#shared/time/number.ts';
import { Panel } from '#shared/ui/panel.tsx';
import { Empty, PanelState } from '#shared/ui/states.tsx';
import { texts } from './texts.ts';
import { useChoice } from './use-cards.ts';
import { useSummary, type Summary } from './use-summary.ts';
import styles from './heat.module.css';

const HOURS = Array.from({ length: 24 }, (_, hour) => hour);
/** Shares from which a cell has its colour; below the last it is red. */
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
const twoDigits = (hour: number): string => String(hour).padStart(2, '0');

/** One row a level, one cell an hour of the day. */
export function HeatPanel() {
  const t = useMessages(texts);
  const query = useSummary();
  const [{ date }] = useChoice();
  const days = date ? `&from=${date}&to=${date}` : '';
  const rowOf = ({ levelId, name, hours }: Summary['heat'][number], current: number) => {
    // The hour under way is still being collected: it is shown, but not judged.
    const known = hours.filter((share, hour): share is number => share !== null && hour < current);
    const mean = known.length > 0 ? known.reduce((sum, share) => sum + share, 0) / known.length : undefined;
    return {
      key: levelId,
      head: <Link to={`/meter/auto-meter-reading?tab=lpa&node=level:${levelId}${days}`}>{name}</Link>,
      cells: HOURS.map((hour) => {
        const share = hours[hour] ?? null;
        const params = { name, hour: twoDigits(hour) };
        const isRunning = hour === current && share !== null && !isCalm(share);
        return {
          key: String(hour),
          heat: share === null ? ('nothing' as const) : isRunning ? ('running' as const) : heatOf(share),
          tip: share === null ? t('heatNone', params) : t('heatTip', { ...params, rate: (share * 100).toFixed(1) }),
        };
      }),
      ends: [
        <b key="mean" className={styles['mean']} data-low={(mean !== undefined && !isCalm(mean)) || undefined}>
          {mean === undefined ? '—' : figure(Math.floor(mean * 1000) / 10, 1)}
        </b>,
      ],
    };
  };
  return (
    <Panel title={t('heat')} className={styles['panel']}>
      <PanelState query={query} lines={6} isEmpty={(data) => data.heat.length === 0} empty={<Empty text={t('noHeat')} />}>
        {(data) => (
          <>
            <HeatMap
              label={t('heat')}
              headPx={128}
              columns={HOURS.map((hour) => ({ key: String(hour), name: twoDigits(hour), text: hour % 3 === 0 ? twoDigits(hour) : '' }))}
              ends={[{ key: 'mean', title: t('mean'), widthPx: 52 }]}
              rows={data.heat.map((level) => rowOf(level, date ? HOURS.length : Number(hourMinute(data.at).slice(0, 2))))}
            />
            <HeatLegend
              title={t('heatLegend')}
              steps={[
                ...STEPS.map(({ from, heat }) => ({ heat, text: `≥ ${(from * 100).toFixed(1)}` })),
                { heat: 'red', text: `< ${(STEPS[4].from * 100).toFixed(1)}` },
              ]}
            />
          </>
        )}
      </PanelState>
    </Panel>
  );
}
