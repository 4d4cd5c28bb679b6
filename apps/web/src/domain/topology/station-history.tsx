import type { StationHistory as History } from '@hes/contract/network/topology.ts';
import { SIGNAL_TEXT, signalUnitOf } from '@hes/contract/states/signal.ts';
import { TOPOLOGY_CHANGE_TEXT, type StationLink } from '@hes/contract/states/topology.ts';
import { Sparkline } from '#kit/chart/sparkline.tsx';
import { useMessages, useSay } from '#core/i18n/use-messages.ts';
import { dateTime } from '#core/time/format.ts';
import { Empty, PanelState, type Loaded } from '#kit/basics/states.tsx';
import { PaneSection } from '#kit/pane/side-pane.tsx';
import { texts } from './messages.ts';
import styles from './station.module.css';

const CHANGES = 8;

const isSignal = (word: string): word is keyof typeof SIGNAL_TEXT => word in SIGNAL_TEXT;

/** Minimum and maximum of a curve without axes. */
function spanOf(values: readonly (number | null)[], unit: string): string {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? unit : `${Math.min(...known)} … ${Math.max(...known)} ${unit}`;
}

/** The signal of a station over several days, and the changes around it. */
export function StationHistory({ history, link }: { history: Loaded<History>; link: StationLink }) {
  const t = useMessages(texts);
  const say = useSay();
  const word = (text: string | null) => (text === null ? '—' : isSignal(text) ? say(SIGNAL_TEXT[text]) : text);
  const signal = history.data?.signal.map(({ value }) => value) ?? [];
  const changes = history.data?.changes.slice(0, CHANGES) ?? [];
  return (
    <>
      <PaneSection title={t('history')} note={spanOf(signal, signalUnitOf(link))}>
        <PanelState query={history} lines={2} isEmpty={() => signal.length < 2} empty={<Empty small text={t('noData')} />}>
          {() => <Sparkline values={signal} label={t('history')} />}
        </PanelState>
      </PaneSection>
      {changes.length === 0 ? null : (
        <PaneSection title={t('changes')}>
          <ul className={styles['changes']} aria-label={t('changes')}>
            {changes.map((change, index) => (
              <li key={index}>
                <time>{dateTime(change.at).slice(5, 16)}</time>
                <span>{say(TOPOLOGY_CHANGE_TEXT[change.change])}</span>
                <small className="mono">
                  {word(change.before)} → {word(change.after)}
                </small>
              </li>
            ))}
          </ul>
        </PaneSection>
      )}
    </>
  );
}
