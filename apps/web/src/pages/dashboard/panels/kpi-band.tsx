import { taskName } from '@hes/contract/task/words.ts';
import { INVENTORY_STATES } from '@hes/contract/states/device.ts';
import { to } from '@hes/contract/page/links.ts';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Meter, StackBar } from '#kit/chart/bars.tsx';
import { Sparkline } from '#kit/chart/sparkline.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { figure, percent } from '#core/time/number.ts';
import { Panel } from '#kit/basics/panel.tsx';
import { PanelState, Skeleton } from '#kit/basics/states.tsx';
import { INVENTORY } from '#domain/states/tables.ts';
import { EventHours, eventsOf } from './events-panel.tsx';
import { loadNow } from '#pages/dashboard/load.ts';
import { texts } from '#pages/dashboard/texts.ts';
import { useCard, useChoice } from '#pages/dashboard/use-cards.ts';
import { useSummary, type Summary } from '#pages/dashboard/use-summary.ts';
import styles from './kpi.module.css';

interface KpiProps {
  label: string;
  to: string;
  value: ReactNode;
  raw?: number | undefined;
  small?: ReactNode;
  graphic: ReactNode;
  sentence: ReactNode;
}

function Kpi({ label, to, value, raw, small, graphic, sentence }: KpiProps) {
  return (
    <Link to={to} className={styles['kpi']}>
      <span className={styles['label']}>{label}</span>
      <span className={styles['value']} data-value={raw}>
        {value} <small>{small}</small>
      </span>
      <span className={styles['graphic']}>{graphic}</span>
      <span className={styles['sentence']}>{sentence}</span>
    </Link>
  );
}

/** Seven small bars, one per day; below 95 % a bar is amber, unless the history is still being read. */
function DayBars({ days, isFilling }: { days: Summary['completeness']; isFilling: boolean }) {
  return (
    <span className={styles['bars']} aria-hidden="true">
      {days.map((day, at) => {
        const share = day.daily.expected > 0 ? day.daily.got / day.daily.expected : 0;
        const colour =
          at === days.length - 1
            ? 'var(--primary)'
            : share < 0.95 && day.daily.expected > 0 && !isFilling
              ? 'var(--amber-solid)'
              : 'var(--line-strong)';
        return (
          <i
            key={day.day}
            title={`${day.day} ${percent(day.daily.got, day.daily.expected, 1) ?? '—'} %`}
            style={{ height: `${Math.max(8, share * 100)}%`, background: colour }}
          />
        );
      })}
    </span>
  );
}

/** A separate call: its loading or failure does not affect the other five figures. */
function EventsKpi() {
  const t = useMessages(texts);
  const query = useCard('events');
  const { data } = query;
  const [{ date }] = useChoice();
  const count = data && data.serious + data.warning;
  return (
    <Kpi
      label={date ? t('eventsOf', { day: date }) : t('events24h')}
      to={eventsOf(date)}
      value={count === undefined ? '—' : figure(count)}
      raw={count}
      graphic={data ? <EventHours hours={data.hours} /> : query.isError ? null : <Skeleton lines={1} />}
      sentence={data ? t('seriousWarning', { serious: figure(data.serious), warning: figure(data.warning) }) : null}
    />
  );
}

function Band({ data }: { data: Summary }) {
  const t = useMessages(texts);
  const say = useSay();
  const [{ date }] = useChoice();
  const days = { from: date, to: date };
  const today = data.completeness.at(-1)?.daily;
  const load = loadNow(data.load.today, data.load.yesterday);
  const failing = data.runningTasks.filter((task) => task.failed > 0).length;
  const { plc, rf, direct } = data.meters;
  const modes = { plc, rf, direct };
  const changeText =
    load?.change === undefined ? null : t(load.change >= 0 ? 'loadUp' : 'loadDown', { share: Math.abs(load.change * 100).toFixed(1) });
  return (
    <div className={styles['band']}>
      <Kpi
        label={t('meters')}
        to={to.meterAssets()}
        value={figure(data.meters.total)}
        raw={data.meters.total}
        small={modes.direct === 0 ? t('plcRf', modes) : t('plcRfDirect', modes)}
        graphic={
          <StackBar
            height={6}
            label={t('meters')}
            parts={INVENTORY_STATES.toReversed().map((state) => ({
              value: data.meters.byInventory[state],
              tone: INVENTORY[state].tone,
              label: say(INVENTORY[state].text),
            }))}
          />
        }
        sentence={INVENTORY_STATES.toReversed().map((state) => (
          <span key={state}>
            <i className={styles['key']} style={{ background: `var(--${INVENTORY[state].tone}-solid)` }} /> {say(INVENTORY[state].text)}{' '}
            {figure(data.meters.byInventory[state])}
          </span>
        ))}
      />
      <Kpi
        label={t('dcusOnline')}
        to={to.dcus({ onlineStatus: 'online' })}
        value={figure(data.dcus.byStatus.online)}
        raw={data.dcus.byStatus.online}
        small={`/ ${figure(data.dcus.total)}`}
        graphic={<Meter value={data.dcus.byStatus.online} max={data.dcus.total} label={t('dcusOnline')} />}
        sentence={[
          t('offlineNever', { offline: data.dcus.byStatus.offline, never: data.dcus.byStatus.never }),
          ...(data.dcus.byStatus.unknown > 0 ? [t('unknownDcus', { unknown: data.dcus.byStatus.unknown })] : []),
        ].join(' · ')}
      />
      <Kpi
        label={t('dailyFreeze')}
        to={to.readings({ tab: 'daily', ...days })}
        value={(today && percent(today.got, today.expected)) ?? '—'}
        small={today && today.expected > 0 ? '%' : null}
        graphic={<DayBars days={data.completeness} isFilling={data.filling !== null} />}
        sentence={
          today && today.expected > 0
            ? t(date ? 'gotOfDay' : 'gotOf', { got: today.got, expected: today.expected, day: date ?? '' })
            : t('noPlanYet')
        }
      />
      <Kpi
        label={date ? t('loadOfDay', { day: date }) : t('loadNow')}
        to={to.readings({ tab: 'lpa', ...days })}
        value={load ? figure(load.kw, 1) : '—'}
        raw={load?.kw}
        small={load ? 'kW' : null}
        graphic={<Sparkline values={data.load.today.map(({ kw }) => kw)} label={t('loadNow')} />}
        sentence={load ? (changeText ?? t('loadOf', { time: load.time })) : t('noLoad')}
      />
      <EventsKpi />
      <Kpi
        label={t('runningJobs')}
        to={to.onDemandReading()}
        value={figure(data.runningTasks.length)}
        raw={data.runningTasks.length}
        graphic={
          <span className={styles['jobs']}>
            {data.runningTasks.slice(0, 3).map((task) => (
              <Meter
                key={task.id}
                value={task.done}
                max={task.total}
                tone={task.failed > 0 ? 'amber' : 'run'}
                label={say(taskName(task))}
              />
            ))}
          </span>
        }
        sentence={data.runningTasks.length === 0 ? t('idle') : failing > 0 ? t('failing', { count: failing }) : t('allWell')}
      />
    </div>
  );
}

/** Six figures, each with a link to its list. */
export function KpiBand() {
  const t = useMessages(texts);
  const query = useSummary();
  return (
    <Panel flush label={t('overview')} className={styles['panel']}>
      <PanelState query={query} lines={3}>
        {(data) => <Band data={data} />}
      </PanelState>
    </Panel>
  );
}
