import { deviceSn } from '@hes/contract/text/device-name.ts';
import type { TaskItemRow } from '@hes/contract/task/task.ts';
import { RELAY_TEXT } from '@hes/contract/text/device-text.ts';
import type { CSSProperties } from 'react';
import { Sparkline } from '#kit/chart/sparkline.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { clockTime, dateTime } from '#core/time/format.ts';
import { figure } from '#core/time/number.ts';
import { Num, Sn } from '#kit/basics/text.tsx';
import { reasonOf } from '#domain/live-run/run-columns.tsx';
import { StateOf } from '#kit/state/state-of.tsx';
import { ITEM } from '#domain/states/tables.ts';
import { useThresholds } from '#domain/states/thresholds.ts';
import { texts } from './messages.ts';
import { meterNow, type MeterNow, type Sample } from './meter-values.ts';
import { Phasor } from './phasor.tsx';
import styles from './real-time.module.css';

const PHASE_COLOURS = {
  '--phase-l1': 'var(--orange-solid)',
  '--phase-l2': 'var(--teal)',
  '--phase-l3': 'var(--violet-solid)',
} as CSSProperties; // variables are not known properties
const KILO = 1000;
const CURVE_FROM = 2;

const kilo = (value: number | null): number | null => (value === null ? null : value / KILO);

/** The clock as a local time; an invalid timestamp is shown unchanged. */
const clockShown = (clock: string | null): string => (clock === null ? '—' : Number.isNaN(Date.parse(clock)) ? clock : dateTime(clock));

function Phases({ now }: { now: MeterNow }) {
  const t = useMessages(texts);
  return (
    <table className={styles['phases']}>
      <thead>
        <tr>
          <th scope="col">{t('phase')}</th>
          <th scope="col">{t('voltage')} (V)</th>
          <th scope="col">{t('current')} (A)</th>
          <th scope="col">{t('activePower')} (kW)</th>
          <th scope="col">{t('reactivePower')} (kvar)</th>
          <th scope="col">{t('factor')}</th>
        </tr>
      </thead>
      <tbody>
        {now.phases.map((phase) => (
          <tr key={phase.name}>
            <th scope="row" style={{ color: `var(--phase-${phase.name.toLowerCase()})` }}>
              {phase.name}
            </th>
            <td>
              <Num value={phase.voltage} decimals={1} />
            </td>
            <td>
              <Num value={phase.current} decimals={2} />
            </td>
            <td>
              <Num value={kilo(phase.power)} decimals={3} />
            </td>
            <td>—</td>
            <td>
              <Num value={phase.factor} decimals={3} />
            </td>
          </tr>
        ))}
        <tr className={styles['sum']}>
          <th scope="row">{t('total')}</th>
          <td>—</td>
          <td title={t('neutral')}>{now.neutral === null ? '—' : `N ${figure(now.neutral, 2)}`}</td>
          <td>
            <Num value={kilo(now.power)} decimals={3} strong />
          </td>
          <td>
            <Num value={kilo(now.reactive)} decimals={3} />
          </td>
          <td>
            <Num value={now.factor} decimals={3} />
          </td>
        </tr>
      </tbody>
    </table>
  );
}

/** Deviation of the meter's clock from the time of its reading, in seconds: marked from the fine limit of the settings on. */
function ClockOff({ clock, readAt }: { clock: string | null; readAt: string | null }) {
  const t = useMessages(texts);
  const { clockFineS } = useThresholds();
  const offS = Math.round((Date.parse(clock ?? '') - Date.parse(readAt ?? '')) / 1000);
  if (Number.isNaN(offS) || Math.abs(offS) < clockFineS) return null;
  return (
    <b className={styles['clockOff']} data-value={offS}>
      {t(offS > 0 ? 'clockAhead' : 'clockBehind', { seconds: figure(Math.abs(offS)) })}
    </b>
  );
}

function Facts({ now, readAt }: { now: MeterNow; readAt: string | null }) {
  const t = useMessages(texts);
  const say = useSay();
  const { plus, minus, tariffs } = now.energy;
  return (
    <dl className={styles['facts']}>
      <div>
        <dt>{t('ePlus')}</dt>
        <dd>
          <Num value={kilo(plus)} decimals={3} unit="kWh" strong />
        </dd>
      </div>
      <div>
        <dt>{t('eMinus')}</dt>
        <dd>
          <Num value={kilo(minus)} decimals={3} unit="kWh" />
        </dd>
      </div>
      {tariffs.map((value, at) => (
        <div key={at}>
          <dt>{t('tariff', { number: String(at + 1) })}</dt>
          <dd>
            <Num value={kilo(value)} decimals={3} unit="kWh" />
          </dd>
        </div>
      ))}
      <div>
        <dt>{t('frequency')}</dt>
        <dd>
          <Num value={now.frequency} decimals={2} unit="Hz" />
        </dd>
      </div>
      <div>
        <dt>{t('relay')}</dt>
        <dd data-relay={now.relay ?? ''}>{now.relay === null ? t('noRelay') : say(RELAY_TEXT[now.relay])}</dd>
      </div>
      <div>
        <dt>{t('meterClock')}</dt>
        <dd>
          {clockShown(now.clock)} <ClockOff clock={now.clock} readAt={readAt} />
        </dd>
      </div>
    </dl>
  );
}

interface MeterCardProps {
  item: TaskItemRow;
  series: Sample[];
  isSelected: boolean;
  onSelect: () => void;
}

/**
 * Current values of a meter: measurements by phase, phasor diagram, registers, relay and clock. Grey until the first response of this run.
 */
export function MeterCard({ item, series, isSelected, onSelect }: MeterCardProps) {
  const t = useMessages(texts);
  const say = useSay();
  const sn = deviceSn(item);
  const last = series.at(-1);
  const isFresh = item.state === 'read_success';
  const now = last && meterNow(last.values);
  const reason = item.state === 'read_fail' ? reasonOf(item, say) : null;
  const curve = series.map((sample) => meterNow(sample.values).power);
  return (
    <article className={styles['card']} data-fresh={isFresh} data-selected={isSelected} aria-label={sn} style={PHASE_COLOURS}>
      <header className={styles['cardHead']}>
        <button type="button" aria-label={t('open', { sn })} aria-pressed={isSelected} onClick={onSelect}>
          <Sn sn={sn} />
        </button>
        <span className={styles['place']}>{item.transformerName}</span>
        <StateOf sign={ITEM[item.state]} />
      </header>
      {reason ? (
        <p className={styles['reason']} data-reason={item.reasonCode}>
          {reason}
        </p>
      ) : null}
      {now ? (
        <div className={styles['values']}>
          <Phasor phases={now.phases} label={sn} />
          <Phases now={now} />
          <Facts now={now} readAt={last.at} />
        </div>
      ) : (
        <div className={styles['blank']} />
      )}
      <footer className={styles['cardFoot']}>
        <span>{last ? t('lastAt', { at: clockTime(last.at) }) : '—'}</span>
        {item.latencyMs === null ? null : <span>{t('latency', { seconds: figure(item.latencyMs / KILO, 2) })}</span>}
        <span className={styles['curve']}>
          {curve.length >= CURVE_FROM ? <Sparkline values={curve} label={t('powerCurve', { sn })} /> : null}
        </span>
      </footer>
    </article>
  );
}
